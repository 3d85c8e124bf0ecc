"""What an administrator sees of the inbox (pure: records of it)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, TypeAlias, get_args

from bot.conversation.items import Kind

State: TypeAlias = Literal["waiting", "running", "asking", "failed"]
"""What is not done: `asking` is a turn whose question waits for a person."""
STATES: tuple[State, ...] = get_args(State)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An item as an administrator sees it."""

    id: int
    reference: str
    state: str
    """One of `STATES`, or how it ended."""
    kind: Kind
    surface: str
    thread_id: str
    person: str
    received_at: datetime
    due_at: datetime
    """Not claimed before; long past for what is due at once."""
    finished_at: datetime | None
    begun: int
    """Attempts."""
    allowed: int
    error: str | None
    """The type of the error that ended the last run that failed; none, where the process ended, too."""
    place: str | None
    failed_at: datetime | None
    reason: str | None
    """What the error said, which may repeat people's words."""
    text: str | None
    """What the person wrote or chose."""

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Entry":
        """Read a row of the query."""
        return cls(**{name: row[name] for name in cls.__dataclass_fields__})

    def without_words(self) -> "Entry":
        """Return it without what people said."""
        return replace(self, text=None, reason=None)

    @property
    def is_open(self) -> bool:
        """Whether anything may still come of it."""
        return self.state in STATES


@dataclass(frozen=True, kw_only=True)
class Posted:
    """A message of ours that an item led to."""

    kind: str
    channel: str
    ts: str
    posted_at: datetime


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A question that an item's run asked back."""

    status: str
    asked_at: datetime
    due_at: datetime
    decided_by: str | None
    options: int
    question: str | None
    choice: str | None


@dataclass(frozen=True, kw_only=True)
class Details:
    """All that is known of an item."""

    entry: Entry
    posted: Sequence[Posted]
    asked: Sequence[Asked]

    def without_words(self) -> "Details":
        """Return it without what people said, and what repeats it."""
        asked = [replace(one, question=None, choice=None) for one in self.asked]
        return replace(self, entry=self.entry.without_words(), asked=asked)
