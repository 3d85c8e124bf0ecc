"""Calls of tools that write: each is made at most once, whatever ends the process meanwhile.

The row of a call outlives its words, or the call could be made again.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

import structlog
from psycopg.types.json import Jsonb

from bot.postgres import fetch
from bot.postgres.pool import Connection, Database
from graph.asking.approvals import ALLOW, DENY
from graph.context import Clock
from graph.tools import CallOutcome, CallState, PlannedChange, ToolCall, ToolError, ToolResult, UnansweredError


async def begin(connection: Connection, ask_id: int, change: PlannedChange, *, now: datetime) -> CallOutcome | None:
    """Note that a call begins; `None` if it may be made now, else what came of it.

    It may be made if this very call was approved, and nothing waits that would end its question.
    """
    query = """
        INSERT INTO tool_calls (workspace, ask_id, tool, arguments, begun_at)
        SELECT workspace, id, %(tool)s, %(arguments)s, %(now)s FROM asks
        WHERE id = %(ask_id)s AND status = 'decided' AND decision ->> 'value' = %(allow)s
          AND payload -> 'change' = %(change)s AND NOT EXISTS (
            SELECT FROM inbox WHERE inbox.thread_id = asks.thread_id AND inbox.status = 'waiting'
                                AND inbox.kind IN ('edit', 'removal', 'stop', 'drop')
          )
        FOR SHARE OF asks
        ON CONFLICT DO NOTHING
    """
    call = {"tool": change["tool"], "arguments": Jsonb(change["arguments"]), "change": Jsonb(change)}
    may_be_made = await fetch.found(connection, query, ask_id=ask_id, **call, allow=ALLOW, now=now)
    return None if may_be_made else await outcome_of(connection, ask_id) or CallOutcome(state="withdrawn")


async def end(connection: Connection, ask_id: int, outcome: CallOutcome) -> None:
    """Note what came of a call that was begun."""
    result = outcome.get("result")
    query = "UPDATE tool_calls SET state = %(state)s, result = %(result)s WHERE ask_id = %(ask_id)s AND state = 'begun'"
    stored = Jsonb(result) if result else None
    await connection.execute(query, {"ask_id": ask_id, "state": outcome["state"], "result": stored})


async def withdraw(connection: Connection, ask_id: int) -> None:
    """Take back an approval, if the ask is one: a call that has not begun is not made any more."""
    query = """
        UPDATE asks SET decision = decision || jsonb_build_object('value', %(deny)s::text)
        WHERE id = %(ask_id)s AND payload ? 'change' AND decision ->> 'value' = %(allow)s
    """
    await connection.execute(query, {"ask_id": ask_id, "allow": ALLOW, "deny": DENY})


async def forget_words(
    connection: Connection, *, items: Sequence[int] = (), thread_id: str = "", before: datetime | None = None
) -> None:
    """Forget the words of all calls that some items or a thread asked to approve, or that began before a time."""
    query = """
        UPDATE tool_calls SET arguments = '{}', result = NULL FROM asks
        WHERE asks.id = ask_id AND (arguments <> '{}' OR result IS NOT NULL)
          AND (inbox_id = ANY (%(items)s) OR thread_id = %(thread_id)s OR begun_at < %(before)s)
    """
    await connection.execute(query, {"items": list(items), "thread_id": thread_id, "before": before})


async def outcome_of(connection: Connection, ask_id: int) -> CallOutcome | None:
    """Return what came of a call whose run is over; `None` if none has begun.

    One that has only begun may have arrived, so nobody knows.
    """
    await end(connection, ask_id, CallOutcome(state="unknown"))
    query = "SELECT state, result FROM tool_calls WHERE ask_id = %(ask_id)s"
    return await fetch.row(connection, _stored_outcome, query, ask_id=ask_id)


def _stored_outcome(state: CallState, result: ToolResult | None) -> CallOutcome:
    return CallOutcome(state=state, result=result) if result else CallOutcome(state=state)


Write: TypeAlias = Callable[[ToolCall], Awaitable[ToolResult]]
"""Calls a tool that writes; raises `ToolError`."""


@dataclass(frozen=True, kw_only=True)
class ApprovedCall:
    """The one call that an ask may allow; implements `graph.context.ApprovedCalls`."""

    database: Database
    workspace: str
    ask_id: int
    connected: Callable[[], Awaitable[Write]]
    """Waits until the tools' servers were tried. After a start of the bot this takes a moment."""
    clock: Clock

    async def make(self, change: PlannedChange) -> CallOutcome:
        """Make the call if it was approved, and return what came of it; the same if it was made before."""
        call = await self.connected()
        async with self.database.transaction(self.workspace) as connection:
            known = await begin(connection, self.ask_id, change, now=self.clock.now())
        if known:
            return known
        outcome = await _outcome(call, change)
        structlog.get_logger().info("tool_called", tool=change["tool"], state=outcome["state"])
        async with self.database.transaction(self.workspace) as connection:
            await end(connection, self.ask_id, outcome)
        return outcome


async def _outcome(call: Write, change: PlannedChange) -> CallOutcome:
    try:
        return CallOutcome(state="done", result=await call(change))
    except UnansweredError:
        return CallOutcome(state="unknown")
    except ToolError:
        return CallOutcome(state="refused")
