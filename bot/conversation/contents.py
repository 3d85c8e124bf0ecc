"""What an item of each kind holds, as its row stores it (pure)."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Final, Literal, TypeAlias

from pydantic import TypeAdapter, ValidationError

from bot.conversation.address import Address, PersonId
from bot.conversation.message_kinds import MessageRefused
from graph.turn import Choice, Turn

Kind = Literal[
    "turn", "reply", "reminder", "edit", "removal", "notice", "drop", "revision", "review", "decision", "stop"
]


def compact(value: Turn | Address) -> dict[str, Any]:
    """Return what a row stores: fields that have their default value are left out."""
    changed = {each.name for each in fields(value) if getattr(value, each.name) != each.default}
    return {name: stored for name, stored in asdict(value).items() if name in changed}


@dataclass(frozen=True, kw_only=True)
class _Stored:
    def to_json(self) -> dict[str, Any]:
        """Return it as the row stores it."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class TurnContent(_Stored):
    """A person's message. The row stores its turn's fields side by side."""

    kind: ClassVar[Kind] = "turn"
    turn: Turn
    said_to_us: bool = False
    """Whether it has closed a question back, and so is addressed to the bot, even without a mention."""

    def to_json(self) -> dict[str, Any]:
        """Return it as the row stores it."""
        return {**compact(self.turn), "said_to_us": self.said_to_us}


@dataclass(frozen=True, kw_only=True)
class ChoiceContent(_Stored):
    """A choice that answers a question back, or that replaces an earlier one."""

    ask_id: int
    choice: Choice
    revision: int = 0
    """The number of the choice; 0 if it is the first."""
    instead_of: str = ""
    """The label of the earlier choice; empty if nobody said what was meant."""

    @property
    def kind(self) -> Kind:
        """Whether it replaces an earlier choice."""
        return "revision" if self.revision else "reply"


@dataclass(frozen=True, kw_only=True)
class ReminderContent(_Stored):
    """A reminder of an open question back."""

    kind: ClassVar[Kind] = "reminder"
    ask_id: int


@dataclass(frozen=True, kw_only=True)
class ReviewContent(_Stored):
    """A step of a review: its card is to be posted, or its end is to be applied."""

    ask_id: int
    answer_of: int
    """The item whose answer is reviewed."""
    has_ended: bool = False

    @property
    def kind(self) -> Kind:
        """Which step it is."""
        return "decision" if self.has_ended else "review"


@dataclass(frozen=True, kw_only=True)
class ChangeContent(_Stored):
    """The edit or the deletion of a message."""

    target: int
    changed_at: str
    turn: Turn | None
    """The message with its new text; None if it was deleted."""

    @property
    def kind(self) -> Kind:
        """Whether the message was edited or deleted."""
        return "edit" if self.turn else "removal"


@dataclass(frozen=True, kw_only=True)
class StopContent(_Stored):
    """A person's wish to end a question."""

    kind: ClassVar[Kind] = "stop"
    target: int
    by: PersonId | None
    """None if Slack has stopped the run."""


@dataclass(frozen=True, kw_only=True)
class DropContent(_Stored):
    """An administrator's wish to end a question."""

    kind: ClassVar[Kind] = "drop"
    target: int
    why: str


@dataclass(frozen=True, kw_only=True)
class NoticeContent(_Stored):
    """Something that only its person is told: why their message was refused, or a text."""

    kind: ClassVar[Kind] = "notice"
    refused: MessageRefused | None = None
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class UnreadableContent:
    """What this version cannot read, perhaps because a newer one stored it. Its run fails, and its thread goes on."""

    kind: Kind
    content: Mapping[str, Any]


CommandContent: TypeAlias = ChangeContent | StopContent | DropContent
"""What must be applied."""
Readable: TypeAlias = TurnContent | ChoiceContent | ReminderContent | ReviewContent | CommandContent | NoticeContent
Content: TypeAlias = Readable | UnreadableContent


_READERS: Final[Mapping[Kind, TypeAdapter[Any]]] = {
    "turn": TypeAdapter(TurnContent),
    "reply": TypeAdapter(ChoiceContent),
    "revision": TypeAdapter(ChoiceContent),
    "reminder": TypeAdapter(ReminderContent),
    "review": TypeAdapter(ReviewContent),
    "decision": TypeAdapter(ReviewContent),
    "edit": TypeAdapter(ChangeContent),
    "removal": TypeAdapter(ChangeContent),
    "stop": TypeAdapter(StopContent),
    "drop": TypeAdapter(DropContent),
    "notice": TypeAdapter(NoticeContent),
}


def content_from_json(kind: Kind, content: Mapping[str, Any]) -> Content:
    """Read what the row of an item stores; an older or a newer version may have stored other fields."""
    # A row of 0.1.0's first state has neither: a deletion had no text, and a decision was a class of its own.
    was = {"turn": content if kind == "turn" else None, "has_ended": kind == "decision"}
    try:
        return _READERS[kind].validate_python({**was, **content})
    except (KeyError, TypeError, ValidationError):
        return UnreadableContent(kind=kind, content=content)
