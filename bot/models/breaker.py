"""A circuit breaker: after several failures in a row, no run calls the model for a while, and so none waits for it."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from time import monotonic

from bot.models.llm.errors import RateLimitedError
from graph.context import ModelError, TextRefusedError


class Breaker:
    """A model's record of recent failures."""

    def __init__(
        self, *, failures: int = 3, rest_seconds: float = 60.0, seconds: Callable[[], float] = monotonic
    ) -> None:
        self._most = failures
        self._rest_seconds = rest_seconds
        self._seconds = seconds
        self._in_a_row = 0
        self._rests_until = 0.0

    @contextmanager
    def watch(self) -> Generator[None]:
        """Record how a call ends. Raises `ModelError` at once while the circuit is open."""
        if self._in_a_row >= self._most and self._seconds() < self._rests_until:
            raise ModelError("The model failed too often and is left alone for a while.")
        try:
            yield
        except (RateLimitedError, TextRefusedError):
            raise  # The provider says when to ask again, or what not to ask.
        except ModelError:
            self._in_a_row += 1
            self._rests_until = self._seconds() + self._rest_seconds
            raise
        else:
            self._in_a_row = 0
