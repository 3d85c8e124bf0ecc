"""What goes over the wire, and the records kept of it: Web API calls, and deliveries with their attempts."""

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, TypeGuard, cast

Json: TypeAlias = dict[str, Any]
DeliveryKind: TypeAlias = Literal["events_api", "interactive", "slash_commands"]
DeliveryState: TypeAlias = Literal["waiting", "sent", "acknowledged", "given_up"]


@dataclass(frozen=True, kw_only=True)
class Call:
    """A Web API call, as it was answered."""

    method: str
    arguments: Json
    answer: Json
    status: int
    at: float

    @property
    def ok(self) -> bool:
        """Whether Slack did what was asked."""
        return bool(self.answer.get("ok"))

    def to_json(self) -> Json:
        """Return the record as JSON, for the page and for other processes."""
        return dict(vars(self))


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One sending of a delivery."""

    envelope_id: str
    connection: int
    """Which connection got it, counted from 1; 0 for one that was lost on the way."""
    at: float
    reason: str
    """Why it was sent again; empty for the first."""


@dataclass(kw_only=True)
class Delivery:
    """An event or interaction on its way to the bot."""

    id: str
    """The event's id; an id of its own for an interaction."""
    kind: DeliveryKind
    payload: Json
    at: float
    state: DeliveryState = "waiting"
    attempts: list[Attempt] = field(default_factory=list[Attempt])
    acknowledged_at: float | None = None
    answer: Json | None = None
    """What the bot sent with its acknowledgement."""

    @property
    def about(self) -> str:
        """What is delivered, in one word: the event's type, the interaction's, or the command."""
        event: Any = self.payload.get("event")
        told: Json = cast("Json", event) if isinstance(event, dict) else self.payload
        return str(told.get("type") or self.payload.get("command", ""))

    @property
    def settled(self) -> bool:
        """Whether nothing more will be sent."""
        return self.state in {"acknowledged", "given_up"}

    def to_json(self) -> Json:
        """Return the record as JSON, for the page and for other processes."""
        # Without copies: under load they would be most of the work.
        return {**vars(self), "attempts": [vars(attempt) for attempt in self.attempts], "about": self.about}


def kind_of(payload: Json) -> DeliveryKind:
    """Tell by what it says which kind of envelope carries a payload."""
    if payload.get("type") == "event_callback":
        return "events_api"
    return "slash_commands" if "command" in payload else "interactive"


def is_object(value: Any) -> TypeGuard[Json]:
    """Tell whether some JSON is an object."""
    return isinstance(value, dict)


def is_array(value: Any) -> TypeGuard[list[Any]]:
    """Tell whether some JSON is an array."""
    return isinstance(value, list)
