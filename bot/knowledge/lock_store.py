"""What only one process may do at a time: read a source, and change the embedding model.

A lock belongs to a session of PostgreSQL, which must be in autocommit, and ends with it.
"""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final

from bot.postgres import fetch
from bot.postgres.pool import Connection

SOURCES: Final = 4207302
"""The seed of the hashes by which sources are locked: of the workspace, a line break and the location."""
_MODELS: Final = 4207303
"""The seed of the hashes by which changes of the embedding model are locked: of the workspace."""

HELD_KEYS: Final = """
    SELECT classid::bigint << 32 | objid::bigint FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 1 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
"""The keys that are locked now. It takes no lock, not even for a moment: who wants the same one would give up."""


def source_lock(
    connection: Connection, workspace: str, location: str, *, waits: bool = True
) -> AbstractAsyncContextManager[bool]:
    """Lock a source against other readings, and yield whether it worked, which is sure if it waits."""
    return _lock(connection, f"{workspace}\n{location}", SOURCES, waits=waits)


def model_lock(connection: Connection, workspace: str) -> AbstractAsyncContextManager[bool]:
    """Try to lock the change of the embedding model, and yield whether it worked."""
    return _lock(connection, workspace, _MODELS, waits=False)


async def is_model_locked(connection: Connection, workspace: str) -> bool:
    """Tell, without a lock of its own, whether a process changes the embedding model."""
    query = f"SELECT WHERE hashtextextended(%(name)s, %(seed)s) IN ({HELD_KEYS})"
    return await fetch.found(connection, query, name=workspace, seed=_MODELS)


@asynccontextmanager
async def _lock(connection: Connection, name: str, seed: int, *, waits: bool) -> AsyncGenerator[bool]:
    key = {"name": name, "seed": seed}
    if waits:
        await connection.execute("SELECT pg_advisory_lock(hashtextextended(%(name)s, %(seed)s))", key)
    elif not await fetch.value(connection, "SELECT pg_try_advisory_lock(hashtextextended(%(name)s, %(seed)s))", **key):
        yield False
        return
    try:
        yield True
    finally:
        await connection.execute("SELECT pg_advisory_unlock(hashtextextended(%(name)s, %(seed)s))", key)
