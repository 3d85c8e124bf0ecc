"""The tools of a run, each within a time limit. A tool that fails costs only its own result."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import structlog

from bot.tools.calculator import calculated
from bot.tools.dates import reckoned
from graph.tools import LONGEST_RESULT, ToolCall, ToolError, ToolResult

SECONDS = 5.0
"""The time limit of a call."""

Using: TypeAlias = Callable[[dict[str, str]], Awaitable[str]]
"""Takes arguments by name; returns the result, or raises."""


@dataclass(frozen=True)
class Tool:
    """A tool and its name for people."""

    title: str
    use: Using


class Toolbox:
    """The tools by name."""

    def __init__(self, tools: Mapping[str, Tool], *, seconds: float = SECONDS) -> None:
        self._tools = tools
        self._seconds = seconds

    async def use(self, call: ToolCall) -> ToolResult:
        """Return the result, cut to its longest size. Raises `ToolError`, whatever the tool raises."""
        tool = self._tools.get(call["tool"])
        if tool is None:
            raise ToolError("There is no such tool.")
        try:
            async with asyncio.timeout(self._seconds):
                text = await tool.use(call["arguments"])
        except Exception as error:
            structlog.get_logger().warning("tool_failed", tool=call["tool"], reason=type(error).__name__)
            raise ToolError("The tool failed.") from error
        if not text.strip():
            raise ToolError("The tool said nothing.")
        return ToolResult(title=tool.title, text=text[:LONGEST_RESULT])


def built_in() -> dict[str, Tool]:
    """Return the tools that need no configuration."""
    return {"calculator": Tool("Calculator", _calculate), "dates": Tool("Dates", _reckon)}


async def _calculate(arguments: dict[str, str]) -> str:
    return await asyncio.to_thread(calculated, arguments.get("expression", ""))


async def _reckon(arguments: dict[str, str]) -> str:
    return await asyncio.to_thread(reckoned, arguments)
