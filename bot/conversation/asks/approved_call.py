"""A call that the asker has approved: it is made at most once, whatever ends the process meanwhile."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

import structlog

from bot.conversation.asks import call_store
from bot.postgres.pool import Database
from graph.context import Clock
from graph.tools import CallOutcome, PlannedChange, ToolCall, ToolError, ToolResult, UnansweredError

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
            known = await call_store.begin(connection, self.ask_id, change, now=self.clock.now())
        if known:
            return known
        outcome = await _outcome(call, change)
        structlog.get_logger().info("tool_called", tool=change["tool"], state=outcome["state"])
        async with self.database.transaction(self.workspace) as connection:
            await call_store.end(connection, self.ask_id, outcome)
        return outcome


async def _outcome(call: Write, change: PlannedChange) -> CallOutcome:
    try:
        return CallOutcome(state="done", result=await call(change))
    except UnansweredError:
        return CallOutcome(state="unknown")
    except ToolError:
        return CallOutcome(state="refused")
