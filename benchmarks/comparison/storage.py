"""Measures the stored bytes of a long thread: every row, as it is stored."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import psycopg
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncConnection

from benchmarks.arena.contestants import Contestant, Name
from benchmarks.arena.questions import plain


@dataclass
class Room:
    """The bytes of a thread."""

    after: list[int] = field(default_factory=list[int])
    """After this many turns."""
    pruned: int = 0
    """After the last turn and pruning, which Askback does after a quiet hour, or 32 runs."""


async def rooms(contestants: Sequence[Contestant], *, turns: Sequence[int]) -> dict[Name, Room]:
    """Let each bot's thread grow to this many turns, side by side, and return the bytes."""
    found = await asyncio.gather(*(_room(contestant, turns) for contestant in contestants))
    return {contestant.name: room for contestant, room in zip(contestants, found, strict=True)}


async def _room(contestant: Contestant, turns: Sequence[int]) -> Room:
    room = Room()
    root = await contestant.ask(plain(0))
    await contestant.answers(root)
    for number in range(1, max(turns) + 1):
        if number in turns:
            room.after.append(await _settled_size(contestant.database_url, root))
        if number < max(turns):
            await contestant.ask(plain(number), root=root)
            await contestant.answers(root, number + 1)
    await _prune(contestant.database_url, root)
    room.pruned = await _size(contestant.database_url, root)
    return room


async def _settled_size(database_url: str, root: str) -> int:
    # An answer is visible a moment before its run is committed.
    before, now = -1, await _size(database_url, root)
    while now != before:
        await asyncio.sleep(0.5)
        before, now = now, await _size(database_url, root)
    return now


async def _size(database_url: str, root: str) -> int:
    """Return the bytes of a thread's rows, compressed as stored, in LangGraph's tables and ours."""
    async with await psycopg.AsyncConnection.connect(database_url) as connection:
        cursor = await connection.execute(
            """
            WITH items AS (SELECT id FROM inbox WHERE thread_id LIKE '%%' || %(root)s)
            SELECT sum(size)::bigint FROM (
                SELECT pg_column_size(c.*) FROM checkpoints c WHERE thread_id LIKE '%%' || %(root)s
                UNION ALL SELECT pg_column_size(b.*) FROM checkpoint_blobs b WHERE thread_id LIKE '%%' || %(root)s
                UNION ALL SELECT pg_column_size(w.*) FROM checkpoint_writes w WHERE thread_id LIKE '%%' || %(root)s
                UNION ALL SELECT pg_column_size(i.*) FROM inbox i WHERE id IN (TABLE items)
                UNION ALL SELECT pg_column_size(m.*) FROM messages m WHERE inbox_id IN (TABLE items)
            ) AS of_rows (size)
            """,
            {"root": root},
        )
        row = await cursor.fetchone()
    return row[0] if row else 0


async def _prune(database_url: str, root: str) -> None:
    async with AsyncPostgresSaver.from_conn_string(database_url) as saver:
        assert isinstance(saver.conn, AsyncConnection)
        cursor = await saver.conn.execute(
            "SELECT DISTINCT thread_id FROM checkpoints WHERE thread_id LIKE '%%' || %(root)s", {"root": root}
        )
        await saver.aprune([row["thread_id"] for row in await cursor.fetchall()], strategy="keep_latest")
