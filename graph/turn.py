"""The inputs of a run: a person's `Turn`, the `Reply` to a question back, or a reviewer's `ReviewDecision`.

A run also reads the `Profile` of who asks, which is never stored.
"""

from dataclasses import dataclass
from typing import Literal, TypedDict

Mode = Literal["conversational", "stateless"]
"""Whether the thread's memory is used and kept."""
ChoiceKind = Literal["option", "text", "just_answer"]
Unit = Literal["office", "team", "department"]
"""A part of the organisation that somebody belongs to."""


@dataclass(frozen=True, kw_only=True)
class Remark:
    """A message in the thread from before the bot was called into it."""

    person: str
    text: str
    key: str = ""
    """The message's key, of the same form as a turn's."""


@dataclass(frozen=True, kw_only=True)
class Turn:
    """A person's message that may need an answer."""

    question: str
    asker: str
    addressed: bool
    """Whether it was meant for the bot: a mention, a direct message, the command line."""
    mentions_others: bool = False
    """Whether it mentions a person."""
    is_muted: bool = False
    """Whether people have muted the bot in the thread. It then answers only who addresses it."""
    earlier: tuple[Remark, ...] = ()
    """Messages in the thread from before the bot was called into it, oldest first."""
    unread: tuple[str, ...] = ()
    """Names of attachments that the bot cannot read."""
    mode: Mode = "conversational"
    asks_again: str = ""
    """The question back that a person wants to see again. The run neither understands nor assumes anything."""
    is_follow_up: bool = False
    """Whether the question was offered below an answer, and the asker clicked it."""
    is_literal: bool = False
    """Whether no phrase of the question is a wish for a preset, as a person has said."""
    search_token: str = ""
    """What lets the surface search in the asker's name for a few minutes; empty if it does not."""
    key: str = ""
    """The message's key. In memory, a new exchange replaces the old one with the same key.

    The keys of a thread sort like its messages, even if an earlier one is answered later.
    """

    @property
    def was_clicked(self) -> bool:
        """Whether the question came by a click, so it stands for itself and answers no open question."""
        return bool(self.asks_again) or self.is_follow_up


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A person's answer to a question back."""

    kind: ChoiceKind
    value: str = ""
    """The option's id, or what the person typed; empty for "Just answer"."""
    label: str = ""
    """The text for people: the option's label, or the typed text."""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """The answer to the interrupt on which a run waits."""

    interrupt_id: str
    choice: Choice


class ReviewDecision(TypedDict):
    """A reviewer's decision about an answer."""

    kind: Literal["approved", "edited", "rejected", "expired"]
    text: str
    """The reviewer's answer (edited), or the reason (rejected); else empty."""
    by: str
    """Who decided; empty if nobody decided in time."""


class Profile(TypedDict):
    """What a person's profile says of them. Others wrote it, so it is untrusted; it is never stored."""

    zone: str
    """The name of their time zone, such as Europe/Lisbon; empty if nobody knows."""
    title: str
    """What they do; may be empty."""
    units: dict[Unit, str]
    """The names of the units that they belong to."""
