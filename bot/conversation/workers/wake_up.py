"""Wakes sleeping worker slots: on a notification, on a poll each second, and when another slot finds work."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from bot.runtime import beside

POLL_SECONDS = 1.0


class WakeUp:
    """A counter of reasons to look into the inbox, never higher than there are slots."""

    def __init__(self, slots: int) -> None:
        self._signals = asyncio.Queue[None](maxsize=slots)

    def signal(self) -> None:
        """Wake one slot. If all are awake, do nothing."""
        with suppress(asyncio.QueueFull):
            self._signals.put_nowait(None)

    async def wait(self) -> None:
        """Sleep until there is a signal."""
        await self._signals.get()


@asynccontextmanager
async def polling(wake_up: WakeUp) -> AsyncGenerator[None]:
    """Signal every second while the context is open, in case a notification was lost."""
    async with beside(_poll(wake_up), name="inbox-poll"):
        yield


async def _poll(wake_up: WakeUp) -> None:
    while True:
        wake_up.signal()
        await asyncio.sleep(POLL_SECONDS)
