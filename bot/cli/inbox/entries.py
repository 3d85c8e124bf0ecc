"""An administrator's view of the inbox: records (pure)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias, get_args

from bot.conversation.items import Kind

State: TypeAlias = Literal["waiting", "running", "asking", "failed"]
"""The states of unfinished items. `asking` is a turn whose question back waits for a person."""
STATES: tuple[State, ...] = get_args(State)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An item as an administrator sees it."""

    id: int
    reference: str
    state: str
    """One of `STATES`, or how the item ended."""
    kind: Kind
    surface: str
    thread_id: str
    person: str
    received_at: datetime
    due_at: datetime
    """The earliest time of the next claim; long past for an item that is due at once."""
    begun: int
    """Attempts."""
    allowed: int
    error: str | None
    """The type of the error that ended the last failed run; `None` if its process died instead."""
    place: str | None
    failed_at: datetime | None
    reason: str | None
    """The error's message, which may repeat people's words."""
    text: str | None
    """The person's text or choice."""

    def without_words(self) -> "Entry":
        """Return the entry without people's words."""
        return replace(self, text=None, reason=None)

    @property
    def is_open(self) -> bool:
        """Whether the item may still have a result."""
        return self.state in STATES


@dataclass(frozen=True, kw_only=True)
class Posted:
    """A message that we posted for an item."""

    kind: str
    channel: str
    ts: str
    posted_at: datetime


@dataclass(frozen=True, kw_only=True)
class QuestionBack:
    """A question back of an item's run."""

    status: str
    asked_at: datetime
    due_at: datetime
    decided_by: str | None
    options: int
    question: str | None
    choice: str | None


@dataclass(frozen=True, kw_only=True)
class Details:
    """All stored data about an item."""

    entry: Entry
    posted: Sequence[Posted]
    asked: Sequence[QuestionBack]

    def without_words(self) -> "Details":
        """Return the details without people's words."""
        asked = [replace(one, question=None, choice=None) for one in self.asked]
        return replace(self, entry=self.entry.without_words(), asked=asked)
