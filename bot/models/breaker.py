"""A circuit breaker: a model that failed some times in a row is left alone for a while, so that nobody waits for it."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from time import monotonic

from bot.models.llm.errors import RateLimitedError
from graph.context import ModelError


class Breaker:
    """The record of how a model did lately."""

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
        """Note how a call ends; raise `ModelError` at once while the model rests."""
        if self._in_a_row >= self._most and self._seconds() < self._rests_until:
            raise ModelError("The language model failed too often and is left alone for a while.")
        try:
            yield
        except RateLimitedError:
            raise  # It says itself when it may be asked again.
        except ModelError:
            self._in_a_row += 1
            self._rests_until = self._seconds() + self._rest_seconds
            raise
        else:
            self._in_a_row = 0
