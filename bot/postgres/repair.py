"""Repairs the pool after an outage of the database.

psycopg's pool notices dead connections one by one, and waits 1, 2, 4, … seconds between them. This would lose the first
click after a restart. It also doubles the pause between two attempts to connect, so that an outage takes twice as long.
So this module restarts its attempts early, and checks all connections if one is dead.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Final

import structlog
from psycopg_pool import AsyncConnectionPool

from bot.runtime import beside

GIVE_UP_SECONDS: Final = 5.0
"""The pool's attempts start again, with short pauses, after this time. The longest pause is half of it."""
MEND_SECONDS: Final = 1.0


@asynccontextmanager
async def repairing(pool: AsyncConnectionPool[Any], doubt: asyncio.Event) -> AsyncGenerator[None]:
    """Replace all dead connections as soon as one is dead, and restart the pool's attempts if none is left."""
    async with beside(_repair_forever(pool, doubt), name="pool-repair"):
        yield


async def _repair_forever(pool: AsyncConnectionPool[Any], doubt: asyncio.Event) -> None:
    while True:
        await doubt.wait()
        doubt.clear()
        try:
            await pool.check()
        except Exception as error:  # noqa: BLE001 — whatever happens to the pool, it is looked at again.
            structlog.get_logger().warning("pool_repair_failed", error=type(error).__name__)
            await asyncio.sleep(MEND_SECONDS)
            doubt.set()
