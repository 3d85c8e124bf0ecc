"""The kinds of our messages, and values that the core and Slack share."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bot.conversation.address import PersonId, Placed
from graph.events import Option

Shown: TypeAlias = Literal["answer", "card", "failure", "reminder"]
"""The kinds of our messages."""
Parts: TypeAlias = Sequence[Placed]
"""The parts of one message of ours, in order: a long message takes several Slack messages."""
Record: TypeAlias = Callable[[Shown, Parts], Awaitable[None]]
"""Records the parts of a message. The presenter awaits it as soon as Slack has accepted a new part."""
Ending: TypeAlias = Literal["answered", "superseded", "edited", "given_up", "expired", "stopped"]
"""How a card's question ended."""


@dataclass(frozen=True, kw_only=True)
class MessageRefused:
    """The reason for refusing a message: too many questions wait, or the bot does not serve its writer."""

    of: Literal["person", "everybody", "guest", "unchecked"]
    """Whose limit is reached, or why the writer is not served."""
    limit: int = 0
    """The limit of waiting questions."""

    @property
    def is_about_its_person(self) -> bool:
        """Whether it tells something about a person, which nobody else should read."""
        return self.of in ("guest", "unchecked")


@dataclass(frozen=True, kw_only=True)
class Changeable:
    """A menu with which people can change a choice."""

    token: str
    revision: int
    """The number of the choice that a change replaces. A change of an older choice comes too late."""
    others: tuple[Option, ...]
    """The interpretations that were not chosen."""
    forgets: bool = False
    """Whether the menu offers to ask next time, because the choice was a preference."""


@dataclass(frozen=True, kw_only=True)
class CardOutcome:
    """What a card shows after its question has ended."""

    how: Ending
    by: PersonId | None = None
    """The person who ended it; `None` if nobody did."""
    label: str = ""
    """The chosen or assumed interpretation."""
    changeable: Changeable | None = None
    """The menu to choose again."""


@dataclass(frozen=True, kw_only=True)
class OfferedQuestion:
    """A question that people may ask next with a click."""

    token: str
    question: str


@dataclass(frozen=True, kw_only=True)
class ClickedQuestion:
    """A question that nobody wrote, because a person clicked it below an answer."""

    by: PersonId
    question: str


@dataclass(frozen=True, kw_only=True)
class AssumptionBanner:
    """The interpretation of an answer, if it is a preference or a changed choice."""

    label: str
    instead_of: str = ""
    """The earlier choice; empty if there was none."""
    by: PersonId | None = None
    """The person who changed the choice; `None` if it is a preference."""
    changeable: Changeable | None
    """The menu below the answer, if there is no card to hold it."""
