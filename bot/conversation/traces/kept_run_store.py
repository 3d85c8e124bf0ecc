"""The stored runs in SQL, for administrators. Call each function within the workspace."""

from bot.conversation.traces.kept_run import KeptRun
from bot.postgres.pool import Connection


async def runs(
    connection: Connection, *, limit: int, run_id: int | None = None, reference: str | None = None,
    item_id: int | None = None,
) -> list[KeptRun]:  # fmt: skip
    """Return stored runs, the newest first: all of them, one by its id, or those of an item."""
    cursor = await connection.execute(
        """
        SELECT runs.*, reference, kind, thread_id, address ->> 'person' AS person,
               coalesce(content ->> 'question', content #>> '{choice,label}') AS question, ARRAY(
                   SELECT verdict || coalesce(' (' || reason || ')', '') FROM feedback
                   WHERE feedback.inbox_id = inbox.id ORDER BY given_at
               ) AS ratings, ARRAY(
                   SELECT words FROM feedback
                   WHERE feedback.inbox_id = inbox.id AND words IS NOT NULL ORDER BY given_at
               ) AS objections
        FROM runs JOIN inbox ON inbox.id = inbox_id
        WHERE runs.id = coalesce(%(run_id)s::bigint, runs.id) AND reference = coalesce(%(reference)s::text, reference)
          AND inbox_id = coalesce(%(item_id)s::bigint, inbox_id)
        ORDER BY runs.id DESC
        LIMIT %(limit)s
        """,
        {"limit": limit, "run_id": run_id, "reference": reference, "item_id": item_id},
    )
    return [KeptRun.from_row(row) for row in await cursor.fetchall()]


async def run_of_message(connection: Connection, channel: str, ts: str) -> KeptRun | None:
    """Return the last run behind a message of ours, if it is kept."""
    cursor = await connection.execute(
        "SELECT inbox_id FROM messages WHERE channel = %(channel)s AND ts = %(ts)s", {"channel": channel, "ts": ts}
    )
    row = await cursor.fetchone()
    found = await runs(connection, limit=1, item_id=row["inbox_id"]) if row else []
    return found[0] if found else None
