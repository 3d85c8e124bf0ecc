"""Tells a test of the inbox that a session waits for a lock."""

import asyncio

from bot.postgres.pool import Database


async def wait_for_locks(database: Database, count: int) -> None:
    """Wait until this many sessions wait for a row."""
    async with asyncio.timeout(60), database.connection() as connection:
        while True:
            cursor = await connection.execute("SELECT count(*) AS waiting FROM pg_locks WHERE NOT granted")
            row = await cursor.fetchone()
            if row and row["waiting"] >= count:
                return
            await asyncio.sleep(0.01)
