"""News of everything that changes, for whoever waits for a condition or shows a page."""

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import TypeVar

from playground.wire import Json

T = TypeVar("T")
NET_SECONDS = 0.1
"""How often a condition is asked without news, for it may depend on more than the playground."""


class Changes:
    """The place where changes are told; each follower hears all that come after it began to listen."""

    def __init__(self) -> None:
        self._followers: set[asyncio.Queue[Json]] = set()

    def publish(self, change: Json) -> None:
        """Tell every follower; a change is an object with a `type`."""
        for queue in self._followers:
            queue.put_nowait(change)

    @contextmanager
    def follow(self) -> Generator[asyncio.Queue[Json]]:
        """Hear what changes from now on."""
        queue: asyncio.Queue[Json] = asyncio.Queue()
        self._followers.add(queue)
        try:
            yield queue
        finally:
            self._followers.discard(queue)

    async def until(self, condition: Callable[[], T], seconds: float) -> T:
        """Wait until the condition gives something true, and return it; raise `TimeoutError` after so many seconds."""
        with self.follow() as queue:
            async with asyncio.timeout(seconds):
                while not (found := condition()):
                    with suppress(TimeoutError):
                        await asyncio.wait_for(queue.get(), NET_SECONDS)
                    while not queue.empty():
                        queue.get_nowait()
                return found
