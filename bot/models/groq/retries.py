"""When a request is made again: after transient failures only, with growing pauses, and never before Groq wants it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import groq
import httpx
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    """How often, and how long between."""

    pauses: tuple[float, ...] = (1.0, 2.0, 4.0)
    """Seconds before each further attempt."""
    patience_seconds: float = 8.0
    """The longest `Retry-After` that is waited for; a longer one is given up at once, for a person waits."""

    async def call(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Return the first result; raise the last error."""
        retrying = AsyncRetrying(
            retry=retry_if_exception(self.is_worth_it),
            wait=self._wait,
            stop=stop_after_attempt(len(self.pauses) + 1),
            reraise=True,
        )

        async def once() -> T:  # tenacity awaits only what it recognises as a coroutine function
            return await attempt()

        return await retrying(once)

    def is_worth_it(self, error: BaseException) -> bool:
        """Tell whether the same request may soon succeed."""
        return is_transient(error) and retry_after(error) <= self.patience_seconds

    def pause(self, attempt: int, error: BaseException) -> float:
        """Return the seconds to wait after the failed `attempt`, counted from 1."""
        return max(self.pauses[attempt - 1], retry_after(error))

    def _wait(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        assert error is not None  # tenacity asks only after a failure
        return self.pause(state.attempt_number, error)


def is_transient(error: BaseException) -> bool:
    """Tell rate limits, failures of the server, and of the network from mistakes of ours."""
    transient = (groq.RateLimitError, groq.InternalServerError, groq.APIConnectionError, httpx.TransportError)
    return isinstance(error, transient)


def retry_after(error: BaseException) -> float:
    """Return the seconds that `Retry-After` asks for; 0 where it does not, or gives a date."""
    if not isinstance(error, groq.APIStatusError):
        return 0.0
    try:
        return max(float(error.response.headers.get("retry-after", 0)), 0.0)
    except ValueError:
        return 0.0
