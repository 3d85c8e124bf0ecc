"""What we show for an item: words that the spine, the inbox and Slack have in common."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bot.conversation.address import PersonId, Placed
from graph.events import Option

Shown: TypeAlias = Literal["answer", "card", "failure", "reminder"]
"""The kinds of our messages."""
Parts: TypeAlias = Sequence[Placed]
"""Where one message of ours is, in order: in several of Slack's, where it is long."""
Record: TypeAlias = Callable[[Shown, Parts], Awaitable[None]]
"""Remembers where the parts of a message are now; awaited as soon as Slack has named a new one."""
Settled: TypeAlias = Literal["answered", "superseded", "edited", "given_up", "expired", "stopped"]
"""How a card's question ended."""


@dataclass(frozen=True, kw_only=True)
class MessageRefused:
    """Why a message was not taken: too many wait already, or it is not known to be of somebody whom the bot serves."""

    of: Literal["person", "everybody", "guest", "unchecked"]
    """Whose messages wait, or who wrote it."""
    limit: int = 0
    """How many wait."""

    @property
    def is_about_its_person(self) -> bool:
        """Whether it says who somebody is, which concerns nobody else."""
        return self.of in ("guest", "unchecked")


@dataclass(frozen=True, kw_only=True)
class Changeable:
    """A choice that people may still change, in one calm menu."""

    token: str
    revision: int
    """The choice that a change replaces, by its number: a change of an earlier one comes too late."""
    others: tuple[Option, ...]
    """The readings that were not chosen."""
    forgets: bool = False
    """Whether it may be asked for again the next time, because it was assumed."""


@dataclass(frozen=True, kw_only=True)
class AssumptionBanner:
    """The reading that an answer stands on, where it was assumed as last time, or changed."""

    label: str
    instead_of: str = ""
    """What was chosen before; empty where nothing was."""
    by: PersonId | None = None
    """Who changed it; None where it was assumed."""
    changeable: Changeable | None
    """Where the answer itself has the menu, for there is no card."""
