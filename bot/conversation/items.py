"""The rows of the inbox: turns, replies, commands, reminders, what comes of them, their claims, their JSON (pure)."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from decimal import Decimal
from itertools import takewhile
from typing import Any, Final, Literal, TypeAlias

from bot.conversation.address import Address, PersonId, Ts
from bot.conversation.message_kinds import MessageRefused, Shown
from bot.conversation.retry import ATTEMPTS, Attempt
from graph.turn import Choice, Remark, Turn

Kind = Literal[
    "turn", "reply", "reminder", "edit", "removal", "notice", "drop", "revision", "review", "decision", "stop"
]  # fmt: skip
Status = Literal["waiting", "asking", "finished", "failed", "stopped", "dropped", "removed", "refused"]
"""Waiting: for its next run. Asking: its run ended in a question back whose card is not posted yet."""
AT_ONCE: Final = datetime.fromtimestamp(0, UTC)
"""The due time of an item that waits for nothing. It is long past, whatever the clocks of other machines say."""
Surface: TypeAlias = str
"""The surface: Slack of one team (`slack:<team>`), or one thread of the terminal."""
OFFSETS: Final = {"before": Decimal("-0.0000005"), "after": Decimal("0.0000001")}
"""Less than Slack's timestamps differ by, so that nothing comes between."""
Place: TypeAlias = Ts | Literal["before", "after"]
"""A time, or directly beside another item."""


def new_reference() -> str:
    """Return what a person quotes to an administrator: eight characters that are easy to read out."""
    return "".join(secrets.choice("23456789ABCDEFGHJKMNPQRSTUVWXYZ") for _ in range(8))


@dataclass(frozen=True, kw_only=True)
class Item:
    """A row of the inbox. `bot.conversation.transitions` has its transitions."""

    id: int
    workspace: str
    thread_id: str
    kind: Kind
    address: Address
    content: Mapping[str, Any]
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

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Item":
        """Read a row of the table."""
        columns: dict[str, Any] = {each.name: row[each.name] for each in fields(cls)}
        columns["address"] = address_from_json(columns["address"])
        return cls(**columns)

    def changes_to(self, after: "Item") -> dict[str, Any]:
        """Return the columns that differ, with their new values."""
        pairs = ((each.name, getattr(self, each.name), getattr(after, each.name)) for each in fields(self))
        return {name: new for name, old, new in pairs if new != old}

    @property
    def attempt(self) -> Attempt:
        """Its last attempt."""
        return Attempt(number=self.attempts, allowed=self.attempts_allowed)

    @property
    def asking(self) -> bool:
        """Whether its run has ended in a question back whose card is not posted yet."""
        return self.status == "asking"

    @property
    def is_removed(self) -> bool:
        """Whether its message was deleted."""
        return self.status == "removed"

    @property
    def shows(self) -> Shown:
        """The kind of message that its next run posts."""
        if self.asking:
            return "card"
        return "reminder" if self.kind == "reminder" else "answer"

    @property
    def turn(self) -> Turn:
        """The turn of a turn's item."""
        return turn_from_json(self.content)

    @property
    def is_said_to_us(self) -> bool:
        """Whether the turn has closed a question back, and so is addressed to the bot, even without a mention."""
        return self.content.get("said_to_us", False)

    @property
    def choice(self) -> Choice:
        """The choice of a reply, or of a changed choice."""
        return Choice(**self.content["choice"])

    @property
    def ask_id(self) -> int:
        """The ask that it decides, shows or reminds of."""
        return self.content["ask_id"]

    @property
    def is_change(self) -> bool:
        """Whether it is an edit or a deletion of another item's message."""
        return self.kind in ("edit", "removal")

    @property
    def is_command(self) -> bool:
        """Whether it is a command, which must be applied."""
        return self.is_change or self.kind in ("stop", "drop")

    @property
    def is_a_question(self) -> bool:
        """Whether somebody waits for its result."""
        return self.kind in ("turn", "reply", "revision", "decision")

    @property
    def refused_message(self) -> MessageRefused:
        """The reason of a notice about a refused message."""
        return MessageRefused(**self.content)

    @property
    def is_of_review(self) -> bool:
        """Whether it posts a review's card, or applies a decision."""
        return self.kind in ("review", "decision")

    @property
    def takes_over(self) -> bool:
        """Whether it is shown in a message that another item has posted."""
        return self.is_of_review or self.kind == "revision"

    @property
    def shown_for(self) -> int:
        """The item whose messages show it: itself, or the item of the reviewed answer."""
        return self.content["answer_of"] if self.is_of_review else self.id

    @property
    def changed_turn(self) -> Turn:
        """The message's turn after this edit."""
        return turn_from_json(self.content["turn"])

    def burst(self, behind: "Sequence[Item]") -> "list[Item]":
        """Return the items directly after a turn that are of the same person, in the same kind of conversation."""

        def belongs(other: Item) -> bool:
            same_person = other.kind == "turn" and other.address.person == self.address.person
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
        return replace(self, content=asdict(whole))

    def is_newest_of(self, target: "Item") -> bool:
        """Tell whether no newer change of its message was applied."""
        return target.changed_at is None or target.changed_at < Decimal(self.content["changed_at"])

    def matters_to(self, target: "Item") -> bool:
        """Tell whether this change still counts: it is the newest, and it changes the text.

        A message that was edited to nothing is removed like a deleted one, but may be edited again.
        """
        leaves_all = target.is_removed if self.kind == "removal" else self.changed_turn == target.turn
        return self.is_newest_of(target) and not leaves_all


@dataclass(frozen=True, kw_only=True)
class Sequel:
    """An item that comes of another, in whose thread and at whose address it is."""

    kind: Kind
    about: int
    """The other item's id."""
    place: Place
    """Where it stands in its thread."""
    event_key: str
    content: Mapping[str, object]
    person: PersonId | None = None
    """Whose doing it is; without one, that of the other's person."""
    reference: str = field(default_factory=new_reference)


@dataclass(frozen=True, kw_only=True)
class Claim:
    """An item that one process runs, without a connection, while nobody else runs anything in its thread."""

    item: Item
    process: int
    """Who runs it, by the number of its life."""
    is_takeover: bool
    """Whether the process that ran it before has died, or lost its session and may not have noticed yet."""

    @property
    def attempt(self) -> Attempt:
        """The attempt that the claim has counted."""
        return self.item.attempt

    @property
    def is_suspect(self) -> bool:
        """Whether runs of it have ended without a word again and again, as if they took their process with them."""
        return self.item.last_error is None and self.attempt.is_suspect


def turn_from_json(content: Mapping[str, Any]) -> Turn:
    """Return the turn that the inbox stored."""
    stored = _fields(Turn, content)
    stored["earlier"] = tuple(Remark(**remark) for remark in content["earlier"])
    stored["unread"] = tuple(content["unread"])
    return Turn(**stored)


def address_from_json(stored: Mapping[str, Any]) -> Address:
    """Return the address that the inbox stored."""
    known = _fields(Address, stored)
    known["asked_at"] = address_from_json(stored["asked_at"]) if stored.get("asked_at") else None
    return Address(**known)


def _fields(of: type[Turn | Address], stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a class knows of what is stored: an older or a newer version may have stored other fields."""
    return {each.name: stored[each.name] for each in fields(of) if each.name in stored}
