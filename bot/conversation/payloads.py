"""What an item of each kind holds, as its row stores it (pure)."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Final, Literal, Self, TypeAlias

from bot.conversation.address import PersonId
from bot.conversation.message_kinds import MessageRefused
from graph.turn import Choice, Remark, Turn

Kind = Literal[
    "turn", "reply", "reminder", "edit", "removal", "notice", "drop", "revision", "review", "decision", "stop"
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class _Stored:
    kind: ClassVar[Kind]

    def to_json(self) -> dict[str, Any]:
        """Return it as the row stores it."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """Read what the row stores."""
        known = known_fields(cls, content)
        for name in known.keys() & _NESTED.keys():
            known[name] = _NESTED[name](known[name])
        return cls(**known)


@dataclass(frozen=True, kw_only=True)
class TurnPayload(_Stored):
    """A person's message. The row stores its turn's fields side by side."""

    kind: ClassVar[Kind] = "turn"
    turn: Turn
    said_to_us: bool = False
    """Whether it has closed a question back, and so is addressed to the bot, even without a mention."""

    def to_json(self) -> dict[str, Any]:
        """Return it as the row stores it."""
        return {**asdict(self.turn), **({"said_to_us": True} if self.said_to_us else {})}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """Read what the row stores."""
        return cls(turn=turn_from_json(content), said_to_us=content.get("said_to_us", False))


@dataclass(frozen=True, kw_only=True)
class ReplyPayload(_Stored):
    """A choice that answers a question back."""

    kind: ClassVar[Kind] = "reply"
    revision: ClassVar[int] = 0
    ask_id: int
    choice: Choice


@dataclass(frozen=True, kw_only=True)
class RevisionPayload(_Stored):
    """A choice that replaces an earlier one."""

    kind: ClassVar[Kind] = "revision"
    ask_id: int
    choice: Choice
    revision: int
    """The number of the choice."""
    instead_of: str
    """The label of the earlier choice; empty if nobody said what was meant."""


@dataclass(frozen=True, kw_only=True)
class ReminderPayload(_Stored):
    """A reminder of an open question back."""

    kind: ClassVar[Kind] = "reminder"
    ask_id: int


@dataclass(frozen=True, kw_only=True)
class ReviewStepPayload(_Stored):
    """A step of a review."""

    ask_id: int
    answer_of: int
    """The item whose answer is reviewed."""


@dataclass(frozen=True, kw_only=True)
class ReviewPayload(ReviewStepPayload):
    """The card of a review, which is to be posted."""

    kind: ClassVar[Kind] = "review"


@dataclass(frozen=True, kw_only=True)
class DecisionPayload(ReviewStepPayload):
    """The end of a review, which is to be applied."""

    kind: ClassVar[Kind] = "decision"


@dataclass(frozen=True, kw_only=True)
class EditPayload(_Stored):
    """The new text of a message."""

    kind: ClassVar[Kind] = "edit"
    target: int
    changed_at: str
    turn: Turn


@dataclass(frozen=True, kw_only=True)
class RemovalPayload(_Stored):
    """The deletion of a message."""

    kind: ClassVar[Kind] = "removal"
    target: int
    changed_at: str


@dataclass(frozen=True, kw_only=True)
class StopPayload(_Stored):
    """A person's wish to end a question."""

    kind: ClassVar[Kind] = "stop"
    target: int
    by: PersonId | None
    """None if Slack has stopped the run."""


@dataclass(frozen=True, kw_only=True)
class DropPayload(_Stored):
    """An administrator's wish to end a question."""

    kind: ClassVar[Kind] = "drop"
    target: int
    why: str


@dataclass(frozen=True, kw_only=True)
class NoticePayload(_Stored):
    """Something that only its person is told: why their message was refused, or a text."""

    kind: ClassVar[Kind] = "notice"
    refused: MessageRefused | None = None
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class UnreadablePayload:
    """What this version cannot read, perhaps because a newer one stored it. Its run fails, and its thread goes on."""

    kind: Kind
    content: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return it as the row stores it."""
        return dict(self.content)


ChoicePayload: TypeAlias = ReplyPayload | RevisionPayload
ChangePayload: TypeAlias = EditPayload | RemovalPayload
CommandPayload: TypeAlias = ChangePayload | StopPayload | DropPayload
"""What must be applied."""
Readable: TypeAlias = (
    TurnPayload | ChoicePayload | ReminderPayload | ReviewPayload | DecisionPayload | CommandPayload | NoticePayload
)
Payload: TypeAlias = Readable | UnreadablePayload


_CLASSES: Final[tuple[type[Readable], ...]] = (
    TurnPayload, ReplyPayload, RevisionPayload, ReminderPayload, ReviewPayload, DecisionPayload, EditPayload,
    RemovalPayload, StopPayload, DropPayload, NoticePayload,
)  # fmt: skip
_BY_KIND: Final = {each.kind: each for each in _CLASSES}


def payload_from_json(kind: Kind, content: Mapping[str, Any]) -> Payload:
    """Read what the row of an item stores."""
    try:
        return _BY_KIND[kind].from_json(content)
    except (KeyError, TypeError):
        return UnreadablePayload(kind=kind, content=content)


def turn_from_json(content: Mapping[str, Any]) -> Turn:
    """Return a stored turn."""
    stored = known_fields(Turn, content)
    stored["earlier"] = tuple(Remark(**remark) for remark in content["earlier"])
    stored["unread"] = tuple(content["unread"])
    return Turn(**stored)


def known_fields(of: type[Any], stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a class knows of what is stored: an older or a newer version may have stored other fields."""
    return {each.name: stored[each.name] for each in fields(of) if each.name in stored}


_NESTED: Final[Mapping[str, Callable[[Any], object]]] = {
    "turn": turn_from_json,
    "choice": lambda stored: Choice(**stored),
    "refused": lambda stored: MessageRefused(**stored) if stored else None,
}
