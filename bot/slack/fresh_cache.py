"""A cache in memory with two ages: a fresh answer needs no new question, and an older one counts if nobody answers."""

from collections.abc import Callable
from time import monotonic
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class FreshCache(Generic[K, V]):
    """Answers that may be used again, each with the time at which it was given."""

    def __init__(
        self, *, fresh_seconds: float, counts_seconds: float, most: int, seconds: Callable[[], float] = monotonic
    ) -> None:
        """With more than `most` answers, drop the oldest."""
        self._fresh_seconds = fresh_seconds
        self._counts_seconds = counts_seconds
        self._most = most
        self._seconds = seconds
        self._known: dict[K, tuple[V, float]] = {}

    def fresh(self, key: K) -> V | None:
        """Return an answer that is so new that nobody needs to ask again."""
        return self._within(self._fresh_seconds, key)

    def counting(self, key: K) -> V | None:
        """Return an answer that counts if nobody gives a newer one."""
        return self._within(self._counts_seconds, key)

    def keep(self, key: K, value: V) -> None:
        """Keep an answer that was given now."""
        self._known.pop(key, None)
        self._known[key] = (value, self._seconds())
        if len(self._known) > self._most:
            del self._known[next(iter(self._known))]

    def _within(self, seconds: float, key: K) -> V | None:
        known = self._known.get(key)
        return known[0] if known and self._seconds() - known[1] < seconds else None
