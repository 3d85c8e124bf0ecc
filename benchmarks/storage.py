"""What a long thread leaves in the database: every row of it, as it is stored."""

import asyncio
from collections.abc import Sequence

import psycopg

from benchmarks.contestants import Contestant, Name
from benchmarks.questions import plain


async def sizes(contestants: Sequence[Contestant], *, turns: Sequence[int]) -> dict[Name, list[int]]:
    """Return each bot's bytes for a thread after so many turns; the bots go on side by side."""
    found = await asyncio.gather(*(_sizes(contestant, turns) for contestant in contestants))
    return {contestant.name: sizes for contestant, sizes in zip(contestants, found, strict=True)}


async def _sizes(contestant: Contestant, turns: Sequence[int]) -> list[int]:
    found: list[int] = []
    root = await contestant.ask(plain(0))
    await contestant.answers(root)
    for number in range(1, max(turns) + 1):
        if number in turns:
            found.append(await size(contestant.database_url, root))
        if number < max(turns):
            await contestant.ask(plain(number), root=root)
            await contestant.answers(root, number + 1)
    return found


async def size(database_url: str, root: str) -> int:
    """Return the bytes of a thread's rows, compressed as they are, in LangGraph's tables and in ours."""
    async with await psycopg.AsyncConnection.connect(database_url) as connection:
        cursor = await connection.execute(
            """
            WITH items AS (SELECT id FROM inbox WHERE thread_id LIKE '%%' || %(root)s)
            SELECT sum(size)::bigint FROM (
                SELECT pg_column_size(c.*) FROM checkpoints c WHERE thread_id LIKE '%%' || %(root)s
                UNION ALL SELECT pg_column_size(b.*) FROM checkpoint_blobs b WHERE thread_id LIKE '%%' || %(root)s
                UNION ALL SELECT pg_column_size(w.*) FROM checkpoint_writes w WHERE thread_id LIKE '%%' || %(root)s
                UNION ALL SELECT pg_column_size(i.*) FROM inbox i WHERE id IN (TABLE items)
                UNION ALL SELECT pg_column_size(a.*) FROM attempts a WHERE inbox_id IN (TABLE items)
                UNION ALL SELECT pg_column_size(m.*) FROM messages m WHERE inbox_id IN (TABLE items)
            ) AS of_rows (size)
            """,
            {"root": root},
        )
        row = await cursor.fetchone()
    return row[0] if row else 0
