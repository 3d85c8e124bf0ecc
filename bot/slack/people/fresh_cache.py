"""A cache in memory with two ages: a fresh answer needs no new question, and an older one counts if nobody answers.

What many want at the same time is asked for once (`SingleFlight`).
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import Context
from functools import partial
from time import monotonic
from typing import Any, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class FreshCache(Generic[K, V]):
    """Answers that may be used again, each with the time at which it was given."""

    def __init__(
        self,
        ask: Callable[[K], Awaitable[V]],
        *,
        fresh_seconds: float,
        counts_seconds: float,
        most: int,
        seconds: Callable[[], float] = monotonic,
    ) -> None:
        """With more than `most` answers, drop the oldest."""
        self._ask = ask
        self._fresh_seconds = fresh_seconds
        self._counts_seconds = counts_seconds
        self._most = most
        self._seconds = seconds
        self._known: dict[K, tuple[V, float]] = {}
        self._asking = SingleFlight[K, V]()

    async def get(self, key: K) -> V:
        """Return a fresh answer, which is asked for if there is none.

        If nobody waits for it any more, the request goes on, so that the next one who asks knows the result.
        """
        known = self.fresh(key)
        if known is not None:
            return known
        return await asyncio.shield(self._asking.start(key, partial(self._ask_for, key)))

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

    async def _ask_for(self, key: K) -> V:
        answer = await self._ask(key)
        self.keep(key, answer)
        return answer

    def _within(self, seconds: float, key: K) -> V | None:
        known = self._known.get(key)
        return known[0] if known and self._seconds() - known[1] < seconds else None


class SingleFlight(Generic[K, V]):
    """Requests of which only one for a key is under way, however many want its result."""

    def __init__(self) -> None:
        self._under_way: dict[K, asyncio.Task[V]] = {}

    def start(self, key: K, ask: Callable[[], Coroutine[Any, Any, V]]) -> asyncio.Task[V]:
        """Return the request for a key, begun now if none is under way. Shield it: others may wait for it, too."""
        task = self._under_way.get(key)
        if task is None or task.done():
            # In a context of its own: the permit of the run that asks first is not that of the others who wait.
            task = self._under_way[key] = asyncio.create_task(ask(), context=Context())
            task.add_done_callback(lambda done: self._end(key, done))
        return task

    def _end(self, key: K, done: asyncio.Task[V]) -> None:
        if self._under_way.get(key) is done:
            del self._under_way[key]
        # asyncio warns of an exception that nobody has read.
        _ = done.cancelled() or done.exception()
