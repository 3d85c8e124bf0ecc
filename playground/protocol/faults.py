"""What goes wrong on purpose: failing methods, lost answers, lost, doubled, late and mixed-up deliveries."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from playground.errors import RateLimitedError, SlackError
from playground.wire import Delivery

FOREVER = 1_000_000_000
Watcher: TypeAlias = Callable[[str, Literal["before", "after"]], bool]
"""Told of each call by its method, before it is done and before it is answered; returns whether the caller is gone."""


@dataclass(kw_only=True)
class Fault:
    """Something that happens to the next calls of a method."""

    method: str
    kind: Literal["fail", "lose_answer", "delay"]
    times: int
    error: str = ""
    status: int = 200
    seconds: float = 0.0


class Faults:
    """The faults that are waiting to happen."""

    def __init__(self) -> None:
        self._calls: list[Fault] = []
        self.dropping = 0
        """How many envelopes get lost on the way."""
        self.duplicating = 0
        """How many deliveries arrive twice."""
        self.late = 0
        """How many deliveries come late, by `late_seconds`."""
        self.late_seconds = 0.0
        self.reordering = 0
        """How many deliveries are held back, to be sent the other way round."""
        self._held: list[Delivery] = []
        self._watcher: Watcher | None = None

    def watch(self, watcher: Watcher) -> None:
        """Tell somebody of every call, who may kill the caller at that very moment."""
        self._watcher = watcher

    def caller_is_gone(self, method: str, side: Literal["before", "after"]) -> bool:
        """Whether the caller was killed before the call was heard, or before it was answered."""
        return self._watcher is not None and self._watcher(method, side)

    def fail(self, method: str, error: str = "internal_error", *, status: int = 200, times: int = 1) -> None:
        """Let the next calls of a method fail, by Slack's error name and an HTTP status; `ratelimited` is a 429."""
        self._calls.append(Fault(method=method, kind="fail", times=times, error=error, status=status))

    def lose_answer(self, method: str, *, times: int = 1) -> None:
        """Do what the next calls ask, but cut the connection instead of answering."""
        self._calls.append(Fault(method=method, kind="lose_answer", times=times))

    def delay(self, method: str, seconds: float, *, times: int = 1) -> None:
        """Answer the next calls of a method late."""
        self._calls.append(Fault(method=method, kind="delay", times=times, seconds=seconds))

    def refuse_streaming(self, error: str = "unknown_method") -> None:
        """Let `chat.startStream` fail for good, as in a workspace that lacks the feature."""
        self.fail("chat.startStream", error, times=FOREVER)

    def drop_deliveries(self, times: int = 1) -> None:
        """Lose the next envelopes on the way; an event is sent again when its time is over, a click is not."""
        self.dropping += times

    def duplicate(self, times: int = 1) -> None:
        """Deliver the next payloads twice."""
        self.duplicating += times

    def delay_deliveries(self, seconds: float, *, times: int = 1) -> None:
        """Deliver the next payloads late."""
        self.late, self.late_seconds = times, seconds

    def reorder(self, count: int = 2) -> None:
        """Hold the next deliveries back until there are so many, then send the last first."""
        self.reordering = count

    def clear(self) -> None:
        """Forget every fault that has not happened yet; what is held back goes with the next delivery."""
        self._calls.clear()
        self.dropping = self.duplicating = self.late = self.reordering = 0

    def check(self, method: str) -> None:
        """Raise the `SlackError` that waits for this method, if one does."""
        if fault := self._take(method, "fail"):
            raise RateLimitedError(1) if fault.error == "ratelimited" else SlackError(fault.error, status=fault.status)

    def loses_answer(self, method: str) -> bool:
        """Whether this call's answer gets lost."""
        return self._take(method, "lose_answer") is not None

    def delay_seconds(self, method: str) -> float:
        """How late this call is answered."""
        fault = self._take(method, "delay")
        return fault.seconds if fault else 0.0

    def drops(self) -> bool:
        """Whether this envelope gets lost."""
        self.dropping, dropped = max(0, self.dropping - 1), self.dropping > 0
        return dropped

    def duplicates(self) -> bool:
        """Whether this payload is delivered twice."""
        self.duplicating, doubled = max(0, self.duplicating - 1), self.duplicating > 0
        return doubled

    def lateness_seconds(self) -> float:
        """How late this payload is delivered."""
        self.late, late = max(0, self.late - 1), self.late > 0
        return self.late_seconds if late else 0.0

    def sent_now(self, delivery: Delivery) -> list[Delivery]:
        """Return what goes on its way when this delivery comes, in order."""
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
