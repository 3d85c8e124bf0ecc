"""The kinds of our messages, and values that the core and Slack share."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from bot.conversation.address import PersonId, Placed
from graph.events import AnswerEvent, DraftWithdrawn, Option, SourcesFound, TextWritten
from graph.passages import Source

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
class AssumptionBanner:
    """The interpretation of an answer, if it is a preference or a changed choice."""

    label: str
    instead_of: str = ""
    """The earlier choice; empty if there was none."""
    by: PersonId | None = None
    """The person who changed the choice; `None` if it is a preference."""
    changeable: Changeable | None
    """The menu below the answer, if there is no card to hold it."""


@dataclass(frozen=True, kw_only=True)
class PartialAnswer:
    """The shown text, and the sources that it may cite."""

    text: str = ""
    sources: tuple[Source, ...] = ()
    is_withdrawn: bool = False
    """Whether the run has withdrawn its text, so that the shown text does not count."""
    is_earlier: bool = False
    """Whether it is not known of the run that is ended: an earlier one may have said it, perhaps to another text."""

    def after(self, event: AnswerEvent) -> "PartialAnswer":
        """Return what has been said after an event."""
        match event:
            case TextWritten():
                return replace(self, text=self.text + event.text, is_withdrawn=False)
            case SourcesFound():
                return replace(self, sources=event.sources)
            case DraftWithdrawn():
                return replace(self, text="", is_withdrawn=True)
            case _:
                return self

    @property
    def cited(self) -> tuple[Source, ...]:
        """The sources that the text cites."""
        return tuple(source for source in self.sources if f"[{source['number']}]" in self.text)
