"""The inbox for administrators, in SQL; call everything here within the workspace."""

from collections.abc import Sequence

from bot.cli.inbox.entries import Details, Entry, Posted, QuestionBack
from bot.postgres import fetch
from bot.postgres.pool import Connection


async def entries(
    connection: Connection, *, workspace: str, states: Sequence[str], limit: int, reference: str | None = None
) -> list[Entry]:
    """Return items in some states, the oldest first; no states are all, and a reference is the one of it."""
    query = """
        WITH stated AS (
            SELECT item.id, reference, item.kind, surface, thread_id, address ->> 'person' AS person, received_at,
                   due_at, attempts AS begun, attempts_allowed AS allowed, last_error ->> 'error' AS error,
                   last_error ->> 'place' AS place, last_error ->> 'reason' AS reason,
                   (last_error ->> 'at')::timestamptz AS failed_at,
                   coalesce(content ->> 'question', content #>> '{choice,label}', content #>> '{turn,question}')
                       AS text,
                   CASE
                       WHEN EXISTS (
                           SELECT FROM claims
                           WHERE inbox_id = item.id AND process IN (SELECT number FROM processes)
                       ) THEN 'running'
                       WHEN item.status IN ('waiting', 'asking') THEN 'waiting'
                       WHEN EXISTS (
                           SELECT FROM asks
                           WHERE inbox_id = item.id AND asks.kind = 'clarification' AND asks.status = 'open'
                       ) THEN 'asking'
                       ELSE item.status
                   END AS state
            FROM inbox item
            WHERE item.workspace = %(workspace)s AND item.reference = coalesce(%(reference)s, item.reference)
        )
        SELECT * FROM stated WHERE %(states)s = '{}'::text[] OR state = ANY(%(states)s)
        ORDER BY received_at, id
        LIMIT %(limit)s
    """
    return await fetch.rows(
        connection, Entry, query, workspace=workspace, states=list(states), limit=limit, reference=reference
    )


async def details(connection: Connection, reference: str, *, workspace: str) -> Details | None:
    """Return all that is known of an item."""
    found = await entries(connection, workspace=workspace, states=(), limit=1, reference=reference)
    if not found:
        return None
    item = {"workspace": workspace, "reference": reference}
    posted = """
        SELECT messages.kind, channel, ts, posted_at FROM messages JOIN inbox ON inbox.id = messages.inbox_id
        WHERE inbox.workspace = %(workspace)s AND reference = %(reference)s ORDER BY posted_at
    """
    asked = """
        SELECT asked.status, asked_at, asked.due_at, decided_by, payload ->> 'question' AS question,
               decision ->> 'label' AS choice, jsonb_array_length(payload -> 'options') AS options
        FROM asks asked JOIN inbox ON inbox.id = asked.inbox_id
        WHERE inbox.workspace = %(workspace)s AND reference = %(reference)s AND asked.kind = 'clarification'
        ORDER BY asked.id
    """
    return Details(
        entry=found[0],
        posted=await fetch.rows(connection, Posted, posted, **item),
        asked=await fetch.rows(connection, QuestionBack, asked, **item),
    )
