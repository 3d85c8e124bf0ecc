"""Injected faults: failing methods, lost responses, and lost, doubled, late or reordered deliveries."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from playground.errors import RateLimitedError, SlackError
from playground.wire import Delivery, Json

FOREVER = 1_000_000_000
Watcher: TypeAlias = Callable[[str, Literal["before", "after"]], bool]
"""Called with each call's method, before the call and before its response. Returns whether the caller was killed."""


@dataclass(kw_only=True)
class Fault:
    """A fault of the next calls of a method."""

    method: str
    kind: Literal["fail", "answer", "lose_answer", "delay"]
    times: int
    error: str = ""
    status: int = 200
    seconds: float = 0.0
    answer: Json | None = None


class Faults:
    """The faults to come."""

    def __init__(self) -> None:
        self._calls: list[Fault] = []
        self.dropping = 0
        """The number of envelopes to lose."""
        self.duplicating = 0
        """The number of deliveries to double."""
        self.late = 0
        """The number of deliveries to delay by `late_seconds`."""
        self.late_seconds = 0.0
        self.reordering = 0
        """The number of deliveries to hold back and send in reverse order."""
        self._held: list[Delivery] = []
        self._watcher: Watcher | None = None

    def watch(self, watcher: Watcher) -> None:
        """Register a callback for every call, which may kill the caller."""
        self._watcher = watcher

    def caller_is_gone(self, method: str, side: Literal["before", "after"]) -> bool:
        """Tell whether the caller was killed before the call, or before its response."""
        return self._watcher is not None and self._watcher(method, side)

    def fail(self, method: str, error: str = "internal_error", *, status: int = 200, times: int = 1) -> None:
        """Let the next calls of a method fail with Slack's error name and an HTTP status; `ratelimited` is a 429."""
        self._calls.append(Fault(method=method, kind="fail", times=times, error=error, status=status))

    def answer(self, method: str, answer: Json, *, times: int = 1) -> None:
        """Do nothing in the next calls of a method but give this answer: Slack may send a shape that nobody knows."""
        self._calls.append(Fault(method=method, kind="answer", times=times, answer=answer))

    def lose_answer(self, method: str, *, times: int = 1) -> None:
        """Do the next calls, but cut the connection instead of responding."""
        self._calls.append(Fault(method=method, kind="lose_answer", times=times))

    def delay(self, method: str, seconds: float, *, times: int = 1) -> None:
        """Delay the responses to the next calls of a method."""
        self._calls.append(Fault(method=method, kind="delay", times=times, seconds=seconds))

    def refuse_streaming(self, error: str = "unknown_method") -> None:
        """Let `chat.startStream` fail permanently, as in a workspace without the feature."""
        self.fail("chat.startStream", error, times=FOREVER)

    def drop_deliveries(self, times: int = 1) -> None:
        """Lose the next envelopes. An event is repeated later, a click is not."""
        self.dropping += times

    def duplicate(self, times: int = 1) -> None:
        """Deliver the next payloads twice."""
        self.duplicating += times

    def delay_deliveries(self, seconds: float, *, times: int = 1) -> None:
        """Deliver the next payloads late."""
        self.late, self.late_seconds = times, seconds

    def reorder(self, count: int = 2) -> None:
        """Hold back this many deliveries, then send them in reverse order."""
        self.reordering = count

    def clear(self) -> None:
        """Remove all faults to come. Held-back deliveries go with the next one."""
        self._calls.clear()
        self.dropping = self.duplicating = self.late = self.reordering = 0

    def check(self, method: str) -> None:
        """Raise the injected `SlackError` of this method, if there is one."""
        if fault := self._take(method, "fail"):
            raise RateLimitedError(1) if fault.error == "ratelimited" else SlackError(fault.error, status=fault.status)

    def answer_to(self, method: str) -> Json | None:
        """Return the injected answer of this method, if there is one."""
        fault = self._take(method, "answer")
        return fault.answer if fault else None

    def loses_answer(self, method: str) -> bool:
        """Tell whether this call's response gets lost."""
        return self._take(method, "lose_answer") is not None

    def delay_seconds(self, method: str) -> float:
        """Return the delay of this call's response."""
        fault = self._take(method, "delay")
        return fault.seconds if fault else 0.0

    def drops(self) -> bool:
        """Tell whether this envelope gets lost."""
        self.dropping, dropped = max(0, self.dropping - 1), self.dropping > 0
        return dropped

    def duplicates(self) -> bool:
        """Tell whether this payload is delivered twice."""
        self.duplicating, doubled = max(0, self.duplicating - 1), self.duplicating > 0
        return doubled

    def lateness_seconds(self) -> float:
        """Return the delay of this payload."""
        self.late, late = max(0, self.late - 1), self.late > 0
        return self.late_seconds if late else 0.0

    def sent_now(self, delivery: Delivery) -> list[Delivery]:
        """Return the deliveries to send now, in order."""
        self._held.append(delivery)
        if len(self._held) < self.reordering:
            return []
        held, self._held = self._held, []
        self.reordering = 0
        return held[::-1]

    def _take(self, method: str, kind: str) -> Fault | None:
        for fault in self._calls:
            if fault.kind == kind and fault.method == method and fault.times > 0:
                fault.times -= 1
                return fault
        return None
