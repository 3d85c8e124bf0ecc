"""The life of this process, as others see it: a session that listens, and holds the lock of the process's number.

If the session ends, others may claim what runs here. Until there is another session with the same number, the process
claims nothing and its runs do not call Slack. Then runs that were taken over end, and the others go on.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Final

import structlog

from bot.conversation.workers import claim_store
from bot.conversation.workers.runs import Runs
from bot.postgres.pool import Connection, Database
from bot.runtime import beside

POLL_SECONDS = 1.0
MEND_SECONDS: Final = 0.5
CLAIM_SECONDS: Final = 0.2
"""After this time, a claim that began before this process lived again is committed and can be seen."""
TRIES: Final = 20


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


class Life:
    """The sessions of this process, one after another."""

    def __init__(self, runs: Runs, wake_up: WakeUp) -> None:
        self._runs = runs
        self._wake_up = wake_up
        self.number: int | None = None
        """What this process claims by; None while it has no session."""
        self._last: int | None = None
        self._session: Connection | None = None

    def begin(self, number: int) -> None:
        """Claim by this number from now on."""
        self.number = self._last = number
        self._runs.confirm_claims()
        self._wake_up.signal()

    def doubt(self) -> None:
        """Claim nothing more, and let runs wait before they call Slack, because others may have taken them over."""
        self.number = None
        self._runs.doubt_claims()

    async def hang_up(self) -> None:
        """End the session. The next one releases the claims that have no run."""
        if self._session:
            await self._session.close()

    @asynccontextmanager
    async def lived(self, database: Database, surface: str) -> AsyncGenerator[None]:
        """Live until the context ends, in one session after another: wake slots for new items, end outdated runs."""
        living, polling = self._live_for_ever(database, surface), _poll(self._wake_up)
        async with beside(living, name="life"), beside(polling, name="inbox-poll"):
            yield

    async def _live_for_ever(self, database: Database, surface: str) -> None:
        while True:
            try:
                async with database.session() as connection:
                    await self._live(connection, surface)
            except Exception as error:  # noqa: BLE001 — whatever ended the session, there is to be another one.
                structlog.get_logger().warning("session_lost", error=type(error).__name__)
            await asyncio.sleep(MEND_SECONDS)

    async def _live(self, connection: Connection, surface: str) -> None:
        try:
            self._session = connection
            await connection.execute("LISTEN askback_inbox")
            await connection.execute("LISTEN askback_changes")
            self.begin(await self.numbered(connection))
            async for notification in connection.notifies():
                if notification.channel == "askback_changes":
                    self._runs.overtake(int(notification.payload))
                elif notification.payload == surface:
                    self._wake_up.signal()
        finally:
            self._session = None
            self.doubt()

    async def numbered(self, connection: Connection) -> int:
        """Return the session's number: the last one, if the server has ended the session that held it."""
        if self._last is None or not await self._goes_on(connection, self._last):
            self._runs.lose_claims()
            return await claim_store.begin_life(connection)
        # Twice, because a claim may be under way whose process saw this one dead.
        for _ in range(2):
            kept = await claim_store.kept_claims(connection, self._last, running=self._runs.items)
            self._runs.lose_claims(but=kept)
            await asyncio.sleep(CLAIM_SECONDS)
        return self._last

    async def _goes_on(self, connection: Connection, number: int) -> bool:
        for _ in range(TRIES):
            if await claim_store.go_on_living(connection, number):
                return True
            await asyncio.sleep(CLAIM_SECONDS)
        return False


async def _poll(wake_up: WakeUp) -> None:
    """Signal every second, in case a notification was lost."""
    while True:
        wake_up.signal()
        await asyncio.sleep(POLL_SECONDS)
