"""An ask: what the bot wants to know of people, with one life for every kind of it (pure).

A kind is a class of its own: it names what its payload and its decision hold. All else is the same for all.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from typing import Any, ClassVar, Final, Literal, Self, TypeAlias

from pydantic import TypeAdapter

from bot.conversation.address import ChannelId, PersonId, Placed
from bot.conversation.contents import Readable
from bot.conversation.items import Position, Sequel
from bot.settings.choices import MayAnswer


@dataclass(frozen=True, kw_only=True)
class AskRules:
    """The rules of questions back; each is a setting."""

    may_answer: MayAnswer = "anyone"
    change_within: timedelta = timedelta(days=7)
    """How long a choice can be changed; zero if never."""
    remind_after: timedelta = timedelta(hours=4)
    expire_after: timedelta = timedelta(hours=24)
    """How long a question back waits for a choice."""
    remember_for: timedelta = timedelta(days=180)
    """How long a choice is assumed again; zero if never."""

    def lets(self, person: PersonId, *, asker: PersonId) -> bool:
        """Tell whether a person may decide about a question of the asker's."""
        return self.may_answer == "anyone" or person == asker


USUAL: Final = AskRules()

AskStatus: TypeAlias = Literal["offered", "open", "decided", "expired", "superseded"]
"""Offered: it belongs to an answer that people see, and nobody was asked: people may open or change it."""


@dataclass(frozen=True, kw_only=True)
class NewAsk:
    """An ask that is about to be stored."""

    interrupt_id: str
    person: PersonId | None
    payload: Mapping[str, Any]
    status: AskStatus = "open"
    decision: Mapping[str, Any] | None = None
    remind_at: datetime | None = None
    due_at: datetime
    token: str = field(default_factory=lambda: secrets.token_urlsafe(12))


_reader = cache(TypeAdapter[Any])


@dataclass(frozen=True, kw_only=True)
class Ask:
    """A stored ask."""

    kind: ClassVar[str]

    id: int
    token: str
    """What the buttons of its card carry."""
    inbox_id: int
    """The item whose run asks, or whose answer it is about."""
    thread_id: str
    channel: ChannelId
    """Where the question was asked."""
    interrupt_id: str
    """What a run waits on; empty if none does."""
    person: PersonId | None
    """Whose question it is, or who wants the answer to be reviewed."""
    payload: Mapping[str, Any]
    status: AskStatus
    decision: Mapping[str, Any] | None = None
    decided_by: PersonId | None = None
    decided_at: datetime | None = None
    revision: int = 0
    """How often the decision was changed."""
    due_at: datetime
    """When it expires."""
    card: Placed | None = None
    """Where its card is, if that is in no thread of ours."""

    @classmethod
    def from_row(cls, **row: Any) -> Self:
        """Read a row of the table."""
        return _reader(cls).validate_python(row)

    def sequel(
        self, content: Readable, position: Position, *, event_key: str = "", person: PersonId | None = None
    ) -> Sequel:
        """Return the item that comes of it; without a key there is one of each kind."""
        key = event_key or f"{content.kind}:{self.id}"
        return Sequel(about=self.inbox_id, position=position, event_key=key, content=content, person=person)
