"""Holds runs back, so that a fault can happen in the middle of them."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import psycopg

from benchmarks.arena.contestants import Contestant

PATIENCE_SECONDS = 60.0


@asynccontextmanager
async def held_back(bot: Contestant) -> AsyncGenerator[None]:
    """Block runs from reading documents while the context is open."""
    async with await psycopg.AsyncConnection.connect(bot.database_url) as connection:
        await connection.execute("LOCK TABLE documents IN ACCESS EXCLUSIVE MODE")
        yield


async def begun(bot: Contestant, runs: int) -> None:
    """Wait until this many runs are blocked."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while await _waiting(bot) < runs:  # noqa: ASYNC110 (a lock tells nobody that it is waited for)
            await asyncio.sleep(0.05)


async def _waiting(bot: Contestant) -> int:
    async with await psycopg.AsyncConnection.connect(bot.database_url) as connection:
        cursor = await connection.execute(
            "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'documents'::regclass"
        )
        row = await cursor.fetchone()
    return row[0] if row else 0
