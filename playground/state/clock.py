"""The playground's clock: the machine's time plus what a test has skipped."""

import asyncio
import time
from typing import Any


class Clock:
    """A clock that can be moved ahead. Waiting tasks notice."""

    def __init__(self) -> None:
        self._ahead_seconds = 0.0
        self._moved = asyncio.Event()

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time() + self._ahead_seconds

    def advance(self, seconds: float) -> None:
        """Skip this many seconds."""
        self._ahead_seconds += seconds
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()

    async def sleep(self, seconds: float) -> None:
        """Wait until this many seconds have passed or were skipped."""
        await self.wait(asyncio.get_running_loop().create_future(), seconds)

    async def wait(self, future: asyncio.Future[Any], seconds: float) -> bool:
        """Wait for the future, at most this many seconds. Return whether it is done."""
        deadline = self.now() + seconds
        while not future.done() and (left := deadline - self.now()) > 0:
            moved = asyncio.ensure_future(self._moved.wait())
            await asyncio.wait({future, moved}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            moved.cancel()
        return future.done()
