"""The tools of a run, each within a time limit. A tool that fails costs only its own result."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import structlog

from bot.tools.calculator import calculated
from bot.tools.dates import reckoned
from graph.text.invisible import in_one_line
from graph.tools import LONGEST_RESULT, Offer, ToolCall, ToolError, ToolResult, UnansweredError

SECONDS = 5.0
"""The time limit of a call."""
_LONGEST_SHOWN = 60
"""Characters of an argument in a source's title."""
_LONGEST_TITLE = 200

Arguments: TypeAlias = Mapping[str, str]
Using: TypeAlias = Callable[[dict[str, str]], Awaitable[str]]
"""Takes arguments by name; returns the result, or raises."""


@dataclass(frozen=True)
class Tool:
    """A tool and its name for people."""

    title: str
    use: Using
    seconds: float = 0.0
    """The time limit of a call; 0: that of the toolbox."""
    shows_arguments: bool = False
    """Whether a source names the arguments, because the result does not."""
    writes: bool = False
    """Whether it changes something, so that the asker must approve each call."""
    takes: Callable[[Arguments], bool] = bool
    """Tells whether arguments fit."""


class Toolbox:
    """The tools by name."""

    def __init__(self, tools: Mapping[str, Tool], offers: Sequence[Offer] = (), *, seconds: float = SECONDS) -> None:
        self._tools = tools
        self._offers = offers
        self._seconds = seconds

    def offers(self) -> list[Offer]:
        """Return the tools that a model may name besides those of the prompt."""
        return [*self._offers]

    def takes(self, call: ToolCall) -> bool:
        """Tell whether a call's arguments fit its tool."""
        tool = self._tools.get(call["tool"])
        return tool is not None and tool.takes(call["arguments"])

    async def use(self, call: ToolCall) -> list[ToolResult]:
        """Return the one result, cut to its longest size. Raises `ToolError`, whatever the tool raises."""
        tool = self._tool(call, writes=False)
        text = await self._called(tool, call)
        if not text.strip():
            raise ToolError("The tool said nothing.")
        title = titled(tool.title, call["arguments"]) if tool.shows_arguments else tool.title
        return [ToolResult(title=title, text=text[:LONGEST_RESULT])]

    async def write(self, call: ToolCall) -> ToolResult:
        """Call a tool that writes, which somebody approved; the result may be empty.

        Raises `UnansweredError` if nobody knows what came of the call, and `ToolError` if the tool did not take it.
        """
        tool = self._tool(call, writes=True)
        return ToolResult(title=tool.title, text=(await self._called(tool, call))[:LONGEST_RESULT])

    def _tool(self, call: ToolCall, *, writes: bool) -> Tool:
        tool = self._tools.get(call["tool"])
        if tool is None or tool.writes != writes:
            raise ToolError("There is no such tool.")
        return tool

    async def _called(self, tool: Tool, call: ToolCall) -> str:
        try:
            async with asyncio.timeout(tool.seconds or self._seconds):
                return await tool.use(call["arguments"])
        except Exception as error:
            structlog.get_logger().warning("tool_failed", tool=call["tool"], reason=type(error).__name__)
            if isinstance(error, ToolError):
                raise
            raise UnansweredError("The tool failed.") from error


def titled(title: str, arguments: Mapping[str, str]) -> str:
    """Return a call as the title of a source, such as `Tracker: search(query: printer)`."""
    shown = ", ".join(f"{name}: {in_one_line(value)[:_LONGEST_SHOWN]}" for name, value in arguments.items())
    return f"{title}({shown})"[:_LONGEST_TITLE]


def built_in() -> dict[str, Tool]:
    """Return the tools that need no configuration."""
    return {"calculator": Tool("Calculator", _calculate), "dates": Tool("Dates", _reckon)}


async def _calculate(arguments: dict[str, str]) -> str:
    return await asyncio.to_thread(calculated, arguments.get("expression", ""))


async def _reckon(arguments: dict[str, str]) -> str:
    return await asyncio.to_thread(reckoned, arguments)
