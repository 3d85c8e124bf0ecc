"""What goes into a run: a person's `Turn`, the `Reply` to a question the bot asked, or a reviewer's `Ruling`."""

from dataclasses import dataclass
from typing import Literal

Mode = Literal["conversational", "stateless"]


@dataclass(frozen=True, kw_only=True)
class Remark:
    """Something a person said in the thread before the bot was called into it."""

    person: str
    text: str
    key: str = ""
    """Names the message; the keys of remarks and of turns are of one kind."""


@dataclass(frozen=True, kw_only=True)
class Turn:
    """A person's message that may want an answer."""

    question: str
    asker: str
    addressed: bool
    """Whether it was said to the bot: a mention, a direct message, the command line."""
    mentions_others: bool = False
    """Whether it mentions a person who is not the bot."""
    earlier: tuple[Remark, ...] = ()
    """What was said in the thread before the bot was called into it, oldest first."""
    unread: tuple[str, ...] = ()
    """Names of attachments that the bot cannot read."""
    mode: Mode = "conversational"
    asks_again: str = ""
    """Names the clarifying question that a person wants to be asked again: nothing is to be understood or assumed."""
    key: str = ""
    """Names the message: in memory, what is said under a key takes the place of what was said under it before.

    The keys of a thread sort as its messages do, also where an earlier one is answered later.
    """


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What a person answered to a clarifying question."""

    kind: Literal["option", "text", "just_answer"]
    value: str = ""
    """The option's id, or what the person typed; empty for "Just answer"."""
    label: str = ""
    """What a person reads: the option's label, or the typed text."""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """The answer to the one question (an interrupt) that a run is waiting on."""

    interrupt_id: str
    choice: Choice


@dataclass(frozen=True, kw_only=True)
class Ruling:
    """What became of an answer that a person was asked to review."""

    kind: Literal["approved", "edited", "rejected", "expired"]
    text: str = ""
    """The answer in the reviewer's words (edited), or why there is none (rejected)."""
    by: str = ""
    """Who decided; empty where nobody did in time."""
