"""Wakes sleeping worker slots: by notification, by the poll that is the net under it, and by one another."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from bot.runtime import beside

POLL_SECONDS = 1.0


class WakeUp:
    """A counter of reasons to look into the inbox, never higher than there are slots."""

    def __init__(self, slots: int) -> None:
        self._rings = asyncio.Queue[None](maxsize=slots)

    def ring(self) -> None:
        """Wake one slot; with all of them awake already it does nothing."""
        with suppress(asyncio.QueueFull):
            self._rings.put_nowait(None)

    async def heard(self) -> None:
        """Sleep until the bell rings."""
        await self._rings.get()


@asynccontextmanager
async def polling(bell: WakeUp) -> AsyncGenerator[None]:
    """Ring every second while the context is open, in case a notification was lost."""
    async with beside(_poll(bell), name="inbox-poll"):
        yield


async def _poll(bell: WakeUp) -> None:
    while True:
        bell.ring()
        await asyncio.sleep(POLL_SECONDS)
