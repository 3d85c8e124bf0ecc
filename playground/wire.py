"""Records of the traffic: Web API calls, and deliveries with their attempts."""

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, TypeGuard, cast

Json: TypeAlias = dict[str, Any]
DeliveryKind: TypeAlias = Literal["events_api", "interactive", "slash_commands"]
DeliveryState: TypeAlias = Literal["waiting", "sent", "acknowledged", "given_up"]


@dataclass(frozen=True, kw_only=True)
class Call:
    """A Web API call and its response."""

    method: str
    arguments: Json
    answer: Json
    status: int
    at: float

    @property
    def ok(self) -> bool:
        """Whether the call succeeded."""
        return bool(self.answer.get("ok"))

    def to_json(self) -> Json:
        """Return the record as JSON, for the page and for other processes."""
        return dict(vars(self))


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One attempt to send a delivery."""

    envelope_id: str
    connection: int
    """The number of the connection, from 1; 0 if the attempt was lost."""
    at: float
    reason: str
    """The reason of a repeat; empty for the first attempt."""


@dataclass(kw_only=True)
class Delivery:
    """An event or interaction on its way to the bot."""

    id: str
    """The event's id, or a new id for an interaction."""
    kind: DeliveryKind
    payload: Json
    at: float
    state: DeliveryState = "waiting"
    attempts: list[Attempt] = field(default_factory=list[Attempt])
    acknowledged_at: float | None = None
    answer: Json | None = None
    """The payload of the bot's acknowledgement."""

    @property
    def about(self) -> str:
        """The event's type, the interaction's type, or the command."""
        event: Any = self.payload.get("event")
        told: Json = cast("Json", event) if isinstance(event, dict) else self.payload
        return str(told.get("type") or self.payload.get("command", ""))

    @property
    def settled(self) -> bool:
        """Whether no further attempt follows."""
        return self.state in {"acknowledged", "given_up"}

    def to_json(self) -> Json:
        """Return the record as JSON, for the page and for other processes."""
        # No copies: under load they would take most of the time.
        return {**vars(self), "attempts": [vars(attempt) for attempt in self.attempts], "about": self.about}


def kind_of(payload: Json) -> DeliveryKind:
    """Return the kind of envelope for a payload."""
    if payload.get("type") == "event_callback":
        return "events_api"
    return "slash_commands" if "command" in payload else "interactive"


def is_object(value: Any) -> TypeGuard[Json]:
    """Tell whether a JSON value is an object."""
    return isinstance(value, dict)


def is_array(value: Any) -> TypeGuard[list[Any]]:
    """Tell whether a JSON value is an array."""
    return isinstance(value, list)
