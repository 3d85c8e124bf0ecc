"""What waits in the inbox: a turn, a reply, a reminder…, with its address (pure: records and their JSON)."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final, Literal, TypeAlias

from bot.conversation.address import Address, ChannelId, PersonId, TeamId, Ts
from bot.conversation.message_kinds import MessageRefused, Shown
from bot.conversation.turns.retry import ATTEMPTS
from graph.turn import Choice, Remark, Turn

Kind = Literal[
    "turn", "reply", "reminder", "edit", "removal", "notice", "drop", "revision", "review", "decision", "stop"
]  # fmt: skip
Status = Literal["waiting", "asking", "finished", "failed", "stopped", "dropped", "removed", "refused"]
"""Waiting: for its next run. Asking: its run ended in a question whose card is still to be posted."""
AT_ONCE: Final = datetime.fromtimestamp(0, UTC)
"""When an item is due that waits for nothing, whatever the clocks of other machines say."""
Surface: TypeAlias = str
"""Where the answer is shown: the Slack of one team (`slack:<team>`), or the terminal of one thread."""


@dataclass(frozen=True, kw_only=True)
class Item:
    """A row of the inbox; `bot.conversation.question` says how it changes."""

    id: int
    workspace: str
    thread_id: str
    kind: Kind
    address: Address
    content: Mapping[str, Any]
    reference: str
    """What a person quotes to an administrator."""
    status: Status = "waiting"
    due_at: datetime = AT_ONCE
    """No run begins before."""
    finished_at: datetime | None = None
    changed_at: Decimal | None = None
    """When its message was last edited or deleted, as Slack counts."""
    joined_to: int | None = None
    """The question that it is part of."""
    attempts: int = 0
    """Runs that were begun since it was stored, asked back or moved."""
    attempts_allowed: int = ATTEMPTS
    runs_again: bool = False
    """Whether what people see may answer what it was before."""
    partial: Mapping[str, Any] | None = None
    """What its last run had said when that was ended from outside."""
    last_error: Mapping[str, Any] | None = None

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Item":
        """Read a row of the table."""
        columns: dict[str, Any] = {field.name: row[field.name] for field in fields(cls)}
        columns["address"] = address_from_json(columns["address"])
        return cls(**columns)

    def changes_to(self, after: "Item") -> dict[str, Any]:
        """Return the columns that differ, with their new values."""
        pairs = ((field.name, getattr(self, field.name), getattr(after, field.name)) for field in fields(self))
        return {name: new for name, old, new in pairs if new != old}

    @property
    def asking(self) -> bool:
        """Whether its run has ended in a question whose card is still to be posted."""
        return self.status == "asking"

    @property
    def is_removed(self) -> bool:
        """Whether its message was deleted."""
        return self.status == "removed"

    @property
    def shows(self) -> Shown:
        """What its next run posts."""
        if self.asking:
            return "card"
        return "reminder" if self.kind == "reminder" else "answer"

    @property
    def turn(self) -> Turn:
        """What a turn's item asks."""
        return turn_from_json(self.content)

    @property
    def is_said_to_us(self) -> bool:
        """Whether a turn has closed a question of ours, and so was said to us, with or without a mention."""
        return self.content.get("said_to_us", False)

    @property
    def choice(self) -> Choice:
        """What a reply's item answers, or a revision's answers anew."""
        return Choice(**self.content["choice"])

    @property
    def ask_id(self) -> int:
        """Which ask it decides, applies, shows, or reminds of."""
        return self.content["ask_id"]

    @property
    def is_change(self) -> bool:
        """Whether it is an edit or a deletion of another item's message."""
        return self.kind in ("edit", "removal")

    @property
    def is_an_order(self) -> bool:
        """Whether it says what becomes of another item, and so must come into force."""
        return self.is_change or self.kind in ("stop", "drop")

    @property
    def is_a_question(self) -> bool:
        """Whether somebody waits for what comes of it."""
        return self.kind in ("turn", "reply", "revision", "decision")

    @property
    def refused_message(self) -> MessageRefused:
        """Why the message that a notice is about was not taken."""
        return MessageRefused(**self.content)

    @property
    def is_of_review(self) -> bool:
        """Whether it puts an answer before a reviewer, or applies what they ruled."""
        return self.kind in ("review", "decision")

    @property
    def takes_over(self) -> bool:
        """Whether it shows itself in a message that another item has posted."""
        return self.is_of_review or self.kind == "revision"

    @property
    def shown_for(self) -> int:
        """The item whose messages it shows itself in: its own, or that of the answer under review."""
        return self.content["answer_of"] if self.is_of_review else self.id

    @property
    def changed_turn(self) -> Turn:
        """What a message says after the edit that this item is."""
        return turn_from_json(self.content["turn"])


def turn_to_json(turn: Turn) -> dict[str, Any]:
    """Return the turn as the inbox stores it."""
    return asdict(turn)


def turn_from_json(content: Mapping[str, Any]) -> Turn:
    """Return the turn that the inbox stored."""
    return Turn(
        question=content["question"],
        asker=content["asker"],
        addressed=content["addressed"],
        mentions_others=content["mentions_others"],
        earlier=tuple(Remark(**remark) for remark in content["earlier"]),
        unread=tuple(content["unread"]),
        mode=content["mode"],
        asks_again=content.get("asks_again", ""),
    )


def address_from_json(stored: Mapping[str, Any]) -> Address:
    """Return the address that the inbox stored."""
    return Address(
        team=TeamId(stored["team"]),
        channel=ChannelId(stored["channel"]),
        thread_ts=Ts(stored["thread_ts"]),
        message_ts=Ts(stored["message_ts"]),
        person=PersonId(stored["person"]),
        person_team=TeamId(stored["person_team"]),
        privately=stored.get("privately", False),
        asked_at=address_from_json(stored["asked_at"]) if stored.get("asked_at") else None,
    )
