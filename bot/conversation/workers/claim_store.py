"""Claims in SQL: a row for each thread that is run, which counts as long as its process lives.

A process lives as long as its session holds the lock of its number; then all its claims are free at once. A run
stores its outcome in the transaction that ends its claim, which fails if another process has taken the claim over.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, LiteralString

from bot.conversation import store, transitions
from bot.conversation.items import ClaimedItem, Item, Surface
from bot.errors import ClaimLostError, RunOvertakenError
from bot.postgres import fetch
from bot.postgres.pool import Connection, Database

LIVES: Final = 4207303
"""The class of the advisory locks that processes live by, as in the view of all that do."""
MOST_CHECKPOINTS: Final = 32
"""The most checkpoints of a busy thread; reading so many takes a tenth of a millisecond."""
_LOOK_SECONDS: Final = 0.1
_PATIENCE_SECONDS: Final = 2.0


_CLAIM: Final = """
    WITH alive AS MATERIALIZED (
        SELECT number FROM processes UNION ALL SELECT %(process)s
    ), next AS (
        SELECT * FROM inbox i
        WHERE surface = %(surface)s AND status IN ('waiting', 'asking') AND due_at <= %(now)s
          AND id = (
            SELECT o.id FROM inbox o
            WHERE o.thread_id = i.thread_id AND o.status IN ('waiting', 'asking')
            ORDER BY o.position, o.id LIMIT 1
          )
          AND NOT EXISTS (
            SELECT FROM claims WHERE claims.thread_id = i.thread_id AND process IN (SELECT * FROM alive)
          )
        ORDER BY rank NULLS FIRST, id
        LIMIT 1
        FOR NO KEY UPDATE SKIP LOCKED
    ), claimed AS (
        INSERT INTO claims (thread_id, inbox_id, process) SELECT thread_id, id, %(process)s FROM next
        ON CONFLICT (workspace, thread_id) DO UPDATE SET inbox_id = excluded.inbox_id, process = excluded.process
        WHERE claims.process NOT IN (SELECT * FROM alive)
        RETURNING inbox_id, xmax <> 0 AS is_takeover
    ), counted AS (
        UPDATE inbox SET attempts = attempts + 1, partial = NULL FROM claimed WHERE id = inbox_id
        RETURNING id, attempts, is_takeover
    )
    SELECT next.*, counted.attempts, is_takeover, EXISTS (
        SELECT FROM inbox o
        WHERE o.thread_id = next.thread_id AND o.status IN ('waiting', 'asking') AND o.id <> next.id
    ) OR EXISTS (SELECT FROM inbox o WHERE o.joined_to = next.id) AS has_company
    FROM next LEFT JOIN counted USING (id)
"""


async def begin_life(connection: Connection) -> int:
    """Let the connection's session be a new process that may claim, and return its number."""
    query = """
        WITH new AS MATERIALIZED (SELECT nextval('process_numbers')::integer AS number)
        SELECT number FROM new, pg_advisory_lock(%(lives)s, number)
    """
    return await fetch.value(connection, query, lives=LIVES)


async def go_on_living(connection: Connection, number: int) -> bool:
    """Let the connection's session be the process that had a number; return whether the session before has ended."""
    query = "SELECT pg_try_advisory_lock(%(lives)s, %(number)s)"
    return await fetch.value(connection, query, lives=LIVES, number=number)


async def kept_claims(connection: Connection, number: int, *, running: Sequence[int]) -> list[int]:
    """Return the items that a process still claims of those that it runs, and release what it does not run."""
    await connection.execute(
        "DELETE FROM claims WHERE process = %(number)s AND inbox_id <> ALL(%(running)s)",
        {"number": number, "running": list(running)},
    )
    return await fetch.values(connection, "SELECT inbox_id FROM claims WHERE process = %(number)s", number=number)


async def claim(connection: Connection, *, surface: Surface, process: int, now: datetime) -> ClaimedItem | None:
    """Claim the thread of the next due item that is the oldest unfinished one there, and count an attempt.

    It is one statement, because a slot also looks whenever it has finished an item, mostly in vain.

    The oldest is looked up, not compared with: under row-level security no index is used to compare numerics. The
    process counts as alive, so that it does not take over its own claims before it notices that its session is gone.
    Raises `ClaimLostError` if another process was faster: there may be more to claim.
    """

    def claimed(*, is_takeover: bool | None, has_company: bool, **row: Any) -> ClaimedItem:
        if is_takeover is None:
            raise ClaimLostError
        return ClaimedItem(item=Item.from_row(**row), process=process, is_takeover=is_takeover, has_company=has_company)

    return await fetch.row(connection, claimed, _CLAIM, surface=surface, process=process, now=now)


async def end(connection: Connection, ended: ClaimedItem, *, asking: bool = False, now: datetime) -> None:
    """End the item with its claim, in the transaction that holds all that the run stores.

    Raises `ClaimLostError` if another process has taken the claim over, `RunOvertakenError` if the item was taken back.
    """
    ending = transitions.asked if asking else transitions.finished
    if not await store.change(connection, [ended.item.id], ending, now=now):
        raise RunOvertakenError
    await release(connection, ended)


async def release(connection: Connection, released: ClaimedItem) -> None:
    """Give a claim up; raise `ClaimLostError` if it is another's.

    What an item has closed may open again only while that item waits. A stop, too, ends another item than its own.
    """
    query = """
        WITH concluded AS (
            UPDATE asks SET superseded_by = NULL FROM inbox
            WHERE inbox.id = superseded_by AND inbox.thread_id = %(thread_id)s AND inbox.status <> 'waiting'
        )
        DELETE FROM claims WHERE thread_id = %(thread_id)s AND inbox_id = %(inbox_id)s AND process = %(process)s
    """
    await _demand(connection, released, query)


async def hold(connection: Connection, held: ClaimedItem) -> None:
    """Keep other processes off a claim until the transaction ends; raise `ClaimLostError` if it is another's."""
    query = """
        SELECT FROM claims
        WHERE thread_id = %(thread_id)s AND inbox_id = %(inbox_id)s AND process = %(process)s
        FOR SHARE
    """
    await _demand(connection, held, query)


async def _demand(connection: Connection, claim: ClaimedItem, query: LiteralString) -> None:
    """Run a statement for a claim; raise `ClaimLostError` if it does not find the claim."""
    item = claim.item
    if not await fetch.found(connection, query, thread_id=item.thread_id, inbox_id=item.id, process=claim.process):
        raise ClaimLostError


async def await_run(database: Database, thread_id: str, *, workspace: str) -> bool:
    """Wait up to two seconds until a thread has no run; return whether it has none.

    People see an answer, and may act on it, a moment before its run is stored.
    """
    query = "SELECT FROM claims WHERE thread_id = %(thread_id)s AND process IN (SELECT number FROM processes)"
    for _ in range(round(_PATIENCE_SECONDS / _LOOK_SECONDS)):
        async with database.transaction(workspace) as connection:
            if not await fetch.found(connection, query, thread_id=thread_id):
                return True
        await asyncio.sleep(_LOOK_SECONDS)
    return False


async def threads_to_prune(connection: Connection, *, before: datetime) -> list[str]:
    """Return the threads with checkpoints to spare: very many, or nothing waits and all was finished before a time."""
    query = """
        SELECT thread_id FROM checkpoints
        WHERE EXISTS (SELECT FROM inbox i WHERE i.thread_id = checkpoints.thread_id)
        GROUP BY thread_id
        HAVING count(*) > %(most)s OR count(*) > 1 AND NOT EXISTS (
            SELECT FROM inbox i
            WHERE i.thread_id = checkpoints.thread_id
              AND (i.status IN ('waiting', 'asking') OR i.finished_at >= %(before)s)
        ) AND NOT EXISTS (
            SELECT FROM asks WHERE asks.thread_id = checkpoints.thread_id AND asks.status = 'open'
        )
    """
    return await fetch.values(connection, query, before=before, most=MOST_CHECKPOINTS)
