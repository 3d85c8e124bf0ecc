"""The life of this process, as others see it: a session that listens, and holds the lock of the process's number.

If that session ends, all claims of the process end, and others may run what it ran. So then what runs here is ended,
and nothing is claimed before there is another session.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import structlog

from bot.conversation import store
from bot.conversation.workers import claim_store
from bot.conversation.workers.runs import Runs
from bot.conversation.workers.wake_up import WakeUp, polling
from bot.postgres.pool import Connection, Database

MEND_SECONDS = 1.0


class Life:
    """The sessions of this process, one after another."""

    def __init__(self, runs: Runs, bell: WakeUp) -> None:
        self._runs = runs
        self._bell = bell
        self.number: int | None = None
        """What this process claims by; None while it has no session."""
        self._session: Connection | None = None

    def begin(self, number: int) -> None:
        """Claim by this number from now on."""
        self.number = number
        self._bell.ring()

    def end(self) -> None:
        """Claim nothing more, and end what runs: its claims are free."""
        self.number = None
        self._runs.lose_claims()

    async def hang_up(self) -> None:
        """End the session, and with it all claims of this process."""
        if self._session:
            await self._session.close()

    @asynccontextmanager
    async def lived(self, database: Database, surface: str) -> AsyncGenerator[None]:
        """Live until the context ends, in one session after another; ring for what comes in, end what is overtaken."""
        living = asyncio.create_task(self._live_for_ever(database, surface), name="life")
        try:
            async with polling(self._bell):
                yield
        finally:
            living.cancel()
            await asyncio.gather(living, return_exceptions=True)

    async def _live_for_ever(self, database: Database, surface: str) -> None:
        while True:
            try:
                async with database.connection() as connection:
                    await self._live(connection, surface)
            except Exception as error:  # noqa: BLE001 — whatever ended the session, there is to be another one.
                structlog.get_logger().warning("session_lost", error=type(error).__name__)
            await asyncio.sleep(MEND_SECONDS)

    async def _live(self, connection: Connection, surface: str) -> None:
        try:
            self._session = connection
            number = await claim_store.begin_life(connection)
            await store.listen(connection)
            self.begin(number)
            async for notification in connection.notifies():
                if notification.channel == "askback_changes":
                    self._runs.overtake(int(notification.payload))
                elif notification.payload == surface:
                    self._bell.ring()
        finally:
            self._session = None
            self.end()
            # Back in the pool it would keep the lock.
            await connection.close()
