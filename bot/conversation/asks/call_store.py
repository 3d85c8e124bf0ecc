"""Calls of tools that write, in SQL; call everything here within the workspace.

The row of a call outlives its words: without it, the call could be made again.
"""

from collections.abc import Sequence
from datetime import datetime

from psycopg.types.json import Jsonb

from bot.postgres.pool import Connection
from graph.asking.approvals import ALLOW, DENY
from graph.tools import CallOutcome, PlannedChange


async def begin(connection: Connection, ask_id: int, change: PlannedChange, *, now: datetime) -> CallOutcome | None:
    """Note that a call begins; `None` if it may be made now, else what came of it.

    It may be made if this very call was approved, and nothing waits that would end its question.
    """
    cursor = await connection.execute(
        """
        INSERT INTO tool_calls (workspace, ask_id, tool, arguments, begun_at)
        SELECT workspace, id, %(tool)s, %(arguments)s, %(now)s FROM asks
        WHERE id = %(ask_id)s AND status = 'decided' AND decision ->> 'value' = %(allow)s
          AND payload -> 'change' = %(change)s AND NOT EXISTS (
            SELECT FROM inbox WHERE inbox.thread_id = asks.thread_id AND inbox.status = 'waiting'
                                AND inbox.kind IN ('edit', 'removal', 'stop', 'drop')
          )
        FOR SHARE OF asks
        ON CONFLICT DO NOTHING
        """,
        {
            "ask_id": ask_id,
            "tool": change["tool"],
            "arguments": Jsonb(change["arguments"]),
            "change": Jsonb(change),
            "allow": ALLOW,
            "now": now,
        },
    )
    return None if cursor.rowcount else await begun(connection, ask_id) or CallOutcome(state="withdrawn")


async def end(connection: Connection, ask_id: int, outcome: CallOutcome) -> None:
    """Note what came of a call that was begun."""
    result = outcome.get("result")
    await connection.execute(
        """
        UPDATE tool_calls SET state = %(state)s, result = %(result)s WHERE ask_id = %(ask_id)s AND state = 'begun'
        """,
        {"ask_id": ask_id, "state": outcome["state"], "result": Jsonb(result) if result else None},
    )


async def withdraw(connection: Connection, ask_id: int) -> None:
    """Take back an approval, if the ask is one: a call that has not begun is not made any more."""
    await connection.execute(
        """
        UPDATE asks SET decision = decision || jsonb_build_object('value', %(deny)s::text)
        WHERE id = %(ask_id)s AND payload ? 'change' AND decision ->> 'value' = %(allow)s
        """,
        {"ask_id": ask_id, "allow": ALLOW, "deny": DENY},
    )


async def forget_words(connection: Connection, *, items: Sequence[int] = (), thread_id: str = "") -> None:
    """Forget the words of all calls that some items or a thread asked to approve."""
    await connection.execute(
        """
        UPDATE tool_calls SET arguments = '{}', result = NULL FROM asks
        WHERE asks.id = ask_id AND (inbox_id = ANY (%(items)s) OR thread_id = %(thread_id)s)
        """,
        {"items": list(items), "thread_id": thread_id},
    )


async def forget_words_before(connection: Connection, before: datetime) -> None:
    """Forget the words of calls that began before a time."""
    await connection.execute(
        """
        UPDATE tool_calls SET arguments = '{}', result = NULL
        WHERE begun_at < %(before)s AND (arguments <> '{}' OR result IS NOT NULL)
        """,
        {"before": before},
    )


async def begun(connection: Connection, ask_id: int) -> CallOutcome | None:
    """Return what came of a call whose run is over; `None` if none has begun.

    One that has only begun may have arrived, so nobody knows.
    """
    await end(connection, ask_id, CallOutcome(state="unknown"))
    cursor = await connection.execute(
        "SELECT state, result FROM tool_calls WHERE ask_id = %(ask_id)s", {"ask_id": ask_id}
    )
    row = await cursor.fetchone()
    if row is None:
        return None
    outcome = CallOutcome(state=row["state"])
    return {**outcome, "result": row["result"]} if row["result"] else outcome
