"""The rows of the inbox, what comes of them, and their claims (pure)."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import takewhile
from typing import Any, Final, Literal, TypeAlias

from pydantic import TypeAdapter

from bot.conversation.address import Address, PersonId, Ts
from bot.conversation.contents import (
    ChoiceContent,
    Content,
    Kind,
    Readable,
    ReviewContent,
    TurnContent,
    content_from_json,
)
from bot.conversation.message_kinds import Shown
from graph.turn import Turn

Status = Literal["waiting", "asking", "finished", "failed", "stopped", "dropped", "removed", "refused"]
"""Waiting: for its next run. Asking: its run ended in a question back whose card is not posted yet."""
AT_ONCE: Final = datetime.fromtimestamp(0, UTC)
"""The due time of an item that waits for nothing. It is long past, whatever the clocks of other machines say."""
Surface: TypeAlias = str
"""The surface: Slack of one team (`slack:<team>`), or one thread of the terminal."""
OFFSETS: Final = {"before": Decimal("-0.0000005"), "after": Decimal("0.0000001")}
"""Less than Slack's timestamps differ by, so that nothing comes between."""
Position: TypeAlias = Ts | Literal["before", "after"]
"""A time, or directly beside another item."""
ATTEMPTS: Final = 3
"""The attempts of an item, fresh after each Retry."""
LONGEST_DELAY_SECONDS: Final = 2.0
"""Before the last attempt; half as long before the one before it, and so on."""
MOST_ALLOWED: Final = 24
"""The most attempts that an item may have after refunds for outages and overtaken runs.

An item that causes outages itself must not run for ever.
"""
MOST_LAST_WORDS: Final = 5
"""How often a failure message is retried."""


def new_reference() -> str:
    """Return what a person quotes to an administrator: eight characters that are easy to read out."""
    return "".join(secrets.choice("23456789ABCDEFGHJKMNPQRSTUVWXYZ") for _ in range(8))


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """A run of an item: its number, from 1, and the most attempts."""

    number: int
    allowed: int

    @property
    def is_first(self) -> bool:
        """Whether no run of the item can have died before.

        One that asked back may have left messages: it ended well, and its attempts are forgotten.
        """
        return self.number == 1

    @property
    def is_suspect(self) -> bool:
        """Whether two runs before this one ended. Without an error, their process died.

        One such run may be another item's fault: an item that ends its process ends all runs beside it.
        """
        return self.number > self.allowed - ATTEMPTS + 2

    @property
    def is_last(self) -> bool:
        """Whether no attempt follows."""
        return self.number >= self.allowed

    @property
    def is_one_too_many(self) -> bool:
        """Whether all allowed attempts were made: only that the item has failed is left to be told."""
        return self.number > self.allowed

    @property
    def is_very_last(self) -> bool:
        """Whether not even a failure message is tried again."""
        return self.number >= self.allowed + MOST_LAST_WORDS

    @property
    def pause_before_retry(self) -> timedelta | None:
        """The pause after it if it fails: of three attempts, 1 and 2 seconds; after the last, None: give up."""
        left = self.allowed - self.number
        return timedelta(seconds=LONGEST_DELAY_SECONDS / 2 ** (left - 1)) if left > 0 else None

    @property
    def pause_before_last_words(self) -> timedelta | None:
        """The pause after a failed failure message: 2, 4, 8, 16 and 32 seconds, then None: end silently."""
        return None if self.is_very_last else timedelta(seconds=2 ** (self.number - self.allowed + 1))


@dataclass(frozen=True, kw_only=True)
class Item:
    """A row of the inbox. `bot.conversation.transitions` has its transitions."""

    id: int
    workspace: str
    thread_id: str
    address: Address
    position: Decimal
    """Its place in its thread: when it was said, by Slack's clock."""
    content: Content
    """What it holds, by its kind; the column `content`."""
    reference: str
    """The reference that a person quotes to an administrator."""
    status: Status = "waiting"
    due_at: datetime = AT_ONCE
    """The earliest time of its next run."""
    finished_at: datetime | None = None
    changed_at: Decimal | None = None
    """The time of its message's last edit or deletion, by Slack's clock."""
    joined_to: int | None = None
    """The turn that it is a part of."""
    attempts: int = 0
    """Runs since it was stored, asked back or moved."""
    attempts_allowed: int = ATTEMPTS
    runs_again: bool = False
    """Whether its visible answer may be to its earlier words."""
    partial: Mapping[str, Any] | None = None
    """The partial answer of its last run, if that run was cancelled."""
    last_error: Mapping[str, Any] | None = None

    @staticmethod
    def from_row(**row: Any) -> "Item":
        """Read a row of the table."""
        return _ROWS.validate_python({**row, "content": content_from_json(row["kind"], row["content"])})

    def changes_to(self, after: "Item") -> dict[str, Any]:
        """Return the fields that differ, with their new values."""
        pairs = ((each.name, getattr(self, each.name), getattr(after, each.name)) for each in fields(self))
        return {name: new for name, old, new in pairs if new != old}

    @property
    def kind(self) -> Kind:
        """The kind of its content."""
        return self.content.kind

    @property
    def attempt(self) -> Attempt:
        """Its last attempt."""
        return Attempt(number=self.attempts, allowed=self.attempts_allowed)

    @property
    def asking(self) -> bool:
        """Whether its run has ended in a question back whose card is not posted yet."""
        return self.status == "asking"

    @property
    def shows(self) -> Shown:
        """The kind of message that its next run posts."""
        if self.asking:
            return "card"
        return "reminder" if self.kind == "reminder" else "answer"

    @property
    def turn(self) -> Turn:
        """The turn of a message. Raises `TypeError` for other items."""
        if not isinstance(self.content, TurnContent):
            raise TypeError("Only a message has a turn.")
        return self.content.turn

    @property
    def is_said_to_us(self) -> bool:
        """Whether it is a message that has closed a question back."""
        return isinstance(self.content, TurnContent) and self.content.said_to_us

    @property
    def is_a_question(self) -> bool:
        """Whether somebody waits for its result."""
        return isinstance(self.content, TurnContent | ChoiceContent) or self.kind == "decision"

    def is_after(self, other: "Item") -> bool:
        """Whether it comes later in the thread."""
        return (self.position, self.id) > (other.position, other.id)

    @property
    def shown_for(self) -> int:
        """The item whose messages show it: itself, or the item of the reviewed answer."""
        return self.content.answer_of if isinstance(self.content, ReviewContent) else self.id

    def burst(self, behind: "Sequence[Item]") -> "list[Item]":
        """Return the items directly after a turn that are of the same person, in the same kind of conversation."""

        def belongs(other: Item) -> bool:
            same_person = isinstance(other.content, TurnContent) and other.address.person == self.address.person
            was_clicked = same_person and (self.turn.was_clicked or other.turn.was_clicked)
            return same_person and not was_clicked and other.turn.addressed == self.turn.addressed

        return list(takewhile(belongs, behind))

    def with_parts(self, others: "Sequence[Item]") -> "Item":
        """Return a turn's item with the text of the others below its own."""
        turns = [self.turn, *(other.turn for other in others)]
        whole = replace(
            self.turn,
            question="\n".join(turn.question for turn in turns),
            mentions_others=any(turn.mentions_others for turn in turns),
            unread=tuple(name for turn in turns for name in turn.unread),
        )
        return self.with_turn(whole)

    def with_turn(self, turn: Turn) -> "Item":
        """Return a turn's item with other words."""
        return replace(self, content=TurnContent(turn=turn, said_to_us=self.is_said_to_us))


_ROWS: Final = TypeAdapter(Item)


@dataclass(frozen=True, kw_only=True)
class Sequel:
    """An item that comes of another, in whose thread and at whose address it is."""

    about: int
    """The other item's id."""
    position: Position
    """Where it stands in its thread."""
    event_key: str
    content: Readable
    person: PersonId | None = None
    """Whose doing it is; without one, that of the other's person."""


@dataclass(frozen=True, kw_only=True)
class ClaimedItem:
    """An item that one process runs, without a connection, while nobody else runs anything in its thread."""

    item: Item
    process: int
    """Who runs it, by the number of its life."""
    is_takeover: bool
    """Whether the process that ran it before has died, or lost its session and may not have noticed yet."""
    has_company: bool
    """Whether other items wait in its thread, or are part of it."""

    @property
    def is_suspect(self) -> bool:
        """Whether runs of it have ended without a word again and again, as if they took their process with them."""
        return self.item.last_error is None and self.item.attempt.is_suspect
