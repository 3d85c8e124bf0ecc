"""Publishes all changes to tests that wait for a condition and to pages."""

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Literal, TypeVar

from playground.wire import Json

T = TypeVar("T")
NET_SECONDS = 0.1
"""The interval for checking a condition without a change, because it may depend on more than the playground."""


class Changes:
    """A publisher of changes. Each follower gets all changes after its start."""

    def __init__(self) -> None:
        self._followers: set[asyncio.Queue[Json]] = set()

    def publish(self, change: Json) -> None:
        """Publish a change, which is an object with a `type`."""
        for queue in self._followers:
            queue.put_nowait(change)

    @contextmanager
    def follow(self) -> Generator[asyncio.Queue[Json]]:
        """Yield all changes from now on."""
        queue: asyncio.Queue[Json] = asyncio.Queue()
        self._followers.add(queue)
        try:
            yield queue
        finally:
            self._followers.discard(queue)

    async def until(self, condition: Callable[[], T | Literal[False] | None], seconds: float) -> T:
        """Wait until the condition is true, and return its value. Raises `TimeoutError` after the timeout."""
        with self.follow() as queue:
            async with asyncio.timeout(seconds):
                while not (found := condition()):
                    with suppress(TimeoutError):
                        await asyncio.wait_for(queue.get(), NET_SECONDS)
                    while not queue.empty():
                        queue.get_nowait()
                return found
