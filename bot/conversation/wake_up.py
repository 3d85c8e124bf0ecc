"""Wakes sleeping worker slots: by notification, by the poll that is the net under it, and by one another."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

import structlog

from bot.conversation import store
from bot.conversation.runs import Runs
from bot.postgres.pool import Database

POLL_SECONDS = 1.0
MEND_SECONDS = 1.0


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
async def ringing(bell: WakeUp, runs: Runs, database: Database, surface: str) -> AsyncGenerator[None]:
    """Ring at every notification for the surface, and every second in case one was lost; end runs that are overtaken.

    Where a notification of a change was lost, the run goes on to its end, and only then the change comes into force.
    """
    tasks = [
        asyncio.create_task(_poll(bell), name="inbox-poll"),
        asyncio.create_task(_listen_for_ever(bell, runs, database, surface), name="inbox-listen"),
    ]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _poll(bell: WakeUp) -> None:
    while True:
        bell.ring()
        await asyncio.sleep(POLL_SECONDS)


async def _listen_for_ever(bell: WakeUp, runs: Runs, database: Database, surface: str) -> None:
    log = structlog.stdlib.get_logger()
    while True:
        try:
            await _listen(bell, runs, database, surface)
        except Exception as error:  # noqa: BLE001 — whatever broke the connection, the poll goes on and we listen again.
            log.warning("listener_lost", error=type(error).__name__)
        await asyncio.sleep(MEND_SECONDS)


async def _listen(bell: WakeUp, runs: Runs, database: Database, surface: str) -> None:
    async with database.connection() as connection:
        await store.listen(connection)
        async for notification in connection.notifies():
            if notification.channel == "askback_changes":
                runs.overtake(int(notification.payload))
            elif notification.payload == surface:
                bell.ring()
