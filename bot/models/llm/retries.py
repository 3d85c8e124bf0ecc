"""Retry policy: retries transient failures only, with growing pauses, and never before `Retry-After`."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from tenacity import AsyncRetrying, RetryCallState, Retrying, retry_if_exception, stop_after_attempt, stop_after_delay

from bot.models.llm.errors import CallError

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    """The number of attempts, and the pauses between them."""

    pauses: tuple[float, ...] = (0.5, 1.0, 2.0)
    """Seconds before each further attempt."""
    patience_seconds: float = 4.0
    """The longest `Retry-After` to wait for. A longer one fails at once, because a person waits."""
    budget_seconds: float = 8.0
    """On a thread, no attempt begins after this time, so that timeouts do not add up."""

    async def call(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Return the first result. Raises the last error. The caller's deadline is for all attempts together."""

        async def once() -> T:  # tenacity awaits only what it recognises as a coroutine function
            return await attempt()

        return await AsyncRetrying(**self._rules())(once)

    def call_now(self, attempt: Callable[[], T]) -> T:
        """Return the first result, on this thread. Raises the last error."""
        rules = self._rules()
        rules["stop"] |= stop_after_delay(self.budget_seconds)
        return Retrying(**rules)(attempt)

    def _rules(self) -> dict[str, Any]:
        return {
            "retry": retry_if_exception(self.is_worth_it),
            "wait": self._wait,
            "stop": stop_after_attempt(len(self.pauses) + 1),
            "reraise": True,
        }

    def is_worth_it(self, error: BaseException) -> bool:
        """Tell whether the same call may succeed soon."""
        return isinstance(error, CallError) and error.transient and error.retry_after_seconds <= self.patience_seconds

    def pause(self, attempt: int, error: BaseException | None) -> float:
        """Return the pause in seconds after failed attempt number `attempt`, counted from 1."""
        asked = error.retry_after_seconds if isinstance(error, CallError) else 0.0
        # tenacity also asks after the last attempt, and does not wait.
        return max([*self.pauses[attempt - 1 : attempt], asked])

    def _wait(self, state: RetryCallState) -> float:
        return self.pause(state.attempt_number, state.outcome.exception() if state.outcome else None)
