"""How the pool comes back when the database does.

Left alone, psycopg's pool notices dead connections one by one, and whoever meets several waits 1, 2, 4, … seconds
between them: a click that comes first after a restart would be lost to that. And it doubles the pause between two
attempts to connect: an outage would last twice as long as it did. So we let it give up soon, and look at all it holds.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Final

import structlog
from psycopg_pool import AsyncConnectionPool

from bot.runtime import beside

GIVE_UP_SECONDS: Final = 5.0
"""After so long the pool begins again with short pauses; its longest pause is half of that."""
MEND_SECONDS: Final = 1.0


@asynccontextmanager
async def mending(pool: AsyncConnectionPool[Any], doubt: asyncio.Event) -> AsyncGenerator[None]:
    """Whenever there is doubt, replace all dead connections of the pool, and let it connect anew if it has none."""
    async with beside(_mend_for_ever(pool, doubt), name="pool-mending"):
        yield


async def _mend_for_ever(pool: AsyncConnectionPool[Any], doubt: asyncio.Event) -> None:
    while True:
        await doubt.wait()
        doubt.clear()
        try:
            await pool.check()
        except Exception as error:  # noqa: BLE001 — whatever happens to the pool, it is looked at again.
            structlog.get_logger().warning("pool_repair_failed", error=type(error).__name__)
            await asyncio.sleep(MEND_SECONDS)
            doubt.set()
