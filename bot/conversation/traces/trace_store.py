"""The stored records of runs, with their SQL. Call each function within the workspace."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from psycopg.types.json import Json

from bot.conversation.items import Item
from bot.conversation.traces.kept_run import KeptRun
from bot.postgres import fetch
from bot.postgres.pool import Connection
from graph.trace import RunOutcome, TracedStep

IN_VAIN: Final = timedelta(days=90)
"""How long it is known who asked in vain."""


def numbers_of(steps: Sequence[TracedStep]) -> dict[str, int]:
    """Return the calls to models, their tokens with reasoning, and the milliseconds of some steps."""
    calls = [call for step in steps for call in step["calls"]]
    return {
        "calls": len(calls),
        "tokens_in": sum(call["tokens_in"] for call in calls),
        "tokens_out": sum(call["tokens_out"] for call in calls),
        "ms": sum(step["ms"] for step in steps),
    }


async def insert(
    connection: Connection, item: Item, steps: Sequence[TracedStep], *, outcome: RunOutcome, now: datetime
) -> None:
    """Store the steps of an item's run, and how it ended."""
    await connection.execute(
        """
        INSERT INTO runs (workspace, inbox_id, ended_at, outcome, calls, tokens_in, tokens_out, ms, steps)
        VALUES (%(workspace)s, %(inbox_id)s, %(now)s, %(outcome)s, %(calls)s, %(tokens_in)s, %(tokens_out)s, %(ms)s,
                %(steps)s)
        """,
        {
            **numbers_of(steps),
            "workspace": item.workspace,
            "inbox_id": item.id,
            "now": now,
            "outcome": outcome,
            "steps": Json(steps),
        },
    )


async def forget_from(connection: Connection, item_id: int) -> None:
    """Delete the traces of an item and of later items in its thread, which may repeat its words."""
    await connection.execute(
        """
        DELETE FROM runs USING inbox forgotten, inbox item
        WHERE forgotten.id = %(id)s AND item.thread_id = forgotten.thread_id
          AND (item.position, item.id) >= (forgotten.position, forgotten.id) AND inbox_id = item.id
        """,
        {"id": item_id},
    )


async def forget_before(connection: Connection, before: datetime, *, in_vain_since: datetime) -> None:
    """Delete the runs that ended before a time. Of those since another time that answered nothing, keep how they ended.

    Who asked in vain is told if the question is answered later.
    """
    given = {"before": before, "since": in_vain_since}
    await connection.execute(
        """
        DELETE FROM runs
        WHERE ended_at < %(before)s AND NOT (ended_at > %(since)s AND outcome IN ('admitted', 'rejected'))
        """,
        given,
    )
    await connection.execute(
        "UPDATE runs SET steps = '[]' WHERE ended_at < %(before)s AND json_array_length(steps) > 0", given
    )


async def runs(
    connection: Connection,
    *,
    limit: int,
    run_id: int | None = None,
    reference: str | None = None,
    item_id: int | None = None,
) -> list[KeptRun]:
    """Return stored runs, the newest first: all of them, one by its id, or those of an item."""
    query = """
        SELECT runs.*, reference, kind, thread_id, address ->> 'person' AS person,
               coalesce(content ->> 'question', content #>> '{choice,label}') AS question, ARRAY(
                   SELECT verdict || coalesce(' (' || reason || ')', '') FROM feedback
                   WHERE feedback.inbox_id = inbox.id ORDER BY given_at
               ) AS ratings, ARRAY(
                   SELECT words FROM feedback
                   WHERE feedback.inbox_id = inbox.id AND words IS NOT NULL ORDER BY given_at
               ) AS objections
        FROM runs JOIN inbox ON inbox.id = inbox_id
        WHERE NOT (json_array_length(steps) = 0 AND outcome IN ('admitted', 'rejected'))
          AND runs.id = coalesce(%(run_id)s::bigint, runs.id)
          AND reference = coalesce(%(reference)s::text, reference)
          AND inbox_id = coalesce(%(item_id)s::bigint, inbox_id)
        ORDER BY runs.id DESC
        LIMIT %(limit)s
    """
    given = {"limit": limit, "run_id": run_id, "reference": reference, "item_id": item_id}
    return await fetch.rows(connection, KeptRun.from_row, query, **given)


async def run_of_message(connection: Connection, channel: str, ts: str) -> KeptRun | None:
    """Return the last run behind a message of ours, if it is kept."""
    query = "SELECT inbox_id AS id FROM messages WHERE channel = %(channel)s AND ts = %(ts)s"
    for item_id in await fetch.values(connection, query, channel=channel, ts=ts):
        for run in await runs(connection, limit=1, item_id=item_id):
            return run
    return None
