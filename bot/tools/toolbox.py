"""The tools of a run, each within a time limit. A tool that fails costs only its own result."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import structlog

from bot.markup import storable
from bot.tools.calculator import calculated, legible
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
    seconds: float = SECONDS
    """The time limit of a call."""
    titled: Callable[[str, Arguments], str] = lambda title, _arguments: title
    """Returns a source's title from the tool's title; it names the arguments if the result does not."""
    writes: bool = False
    """Whether it changes something, so that the asker must approve each call."""
    takes: Callable[[Arguments], bool] = bool
    """Tells whether arguments fit."""


class Servers(Protocol):
    """What offers tools besides our own. It may still be starting, and fail meanwhile."""

    async def started(self) -> None:
        """Wait a moment for what is still starting."""
        ...

    def tools(self, *, may_write: bool) -> dict[str, Tool]:
        """Return the tools that can be used now, by name."""
        ...

    def offers(self, *, may_write: bool) -> list[Offer]:
        """Return what a model is told of these tools."""
        ...


class Toolbox:
    """The tools by name: our own, and those of servers, with those that write only if somebody can approve a call."""

    def __init__(self, own: Mapping[str, Tool], servers: Servers | None = None, *, may_write: bool = False) -> None:
        self._own = own
        self._servers = servers
        self._may_write = may_write

    async def offers(self) -> list[Offer]:
        """Return the tools that a model may name besides those of the prompt."""
        if self._servers is None:
            return []
        await self._servers.started()
        return self._servers.offers(may_write=self._may_write)

    def takes(self, call: ToolCall) -> bool:
        """Tell whether a call's arguments fit its tool."""
        tool = self._known(call)
        return tool is not None and tool.takes(call["arguments"])

    async def use(self, call: ToolCall) -> list[ToolResult]:
        """Return the one result, cut to its longest size. Raises `ToolError`, whatever the tool raises."""
        tool = await self._tool(call, writes=False)
        text = await self._called(tool, call)
        if not text.strip():
            raise ToolError("The tool said nothing.")
        title = tool.titled(tool.title, call["arguments"])[:_LONGEST_TITLE]
        return [ToolResult(title=title, text=text[:LONGEST_RESULT])]

    async def write(self, call: ToolCall) -> ToolResult:
        """Call a tool that writes, which somebody approved; the result may be empty.

        Raises `UnansweredError` if the tool may have done it, and `ToolError` if the tool refused the call.
        """
        tool = await self._tool(call, writes=True)
        return ToolResult(title=tool.title, text=(await self._called(tool, call))[:LONGEST_RESULT])

    def _known(self, call: ToolCall) -> Tool | None:
        of_servers = self._servers.tools(may_write=self._may_write) if self._servers else {}
        return self._own.get(call["tool"]) or of_servers.get(call["tool"])

    async def _tool(self, call: ToolCall, *, writes: bool) -> Tool:
        if self._servers and call["tool"] not in self._own:
            await self._servers.started()
        tool = self._known(call)
        if tool is None or tool.writes != writes:
            raise ToolError("There is no such tool.")
        return tool

    async def _called(self, tool: Tool, call: ToolCall) -> str:
        try:
            async with asyncio.timeout(tool.seconds):
                return storable(await tool.use(call["arguments"]))
        except Exception as error:
            structlog.get_logger().warning("tool_failed", tool=call["tool"], reason=type(error).__name__)
            if isinstance(error, ToolError):
                raise
            raise UnansweredError("The tool failed.") from error


def with_arguments(title: str, arguments: Arguments) -> str:
    """Return a call as the title of a source, such as `Tracker: search(query: printer)`."""
    shown = ", ".join(f"{name}: {in_one_line(value)[:_LONGEST_SHOWN]}" for name, value in arguments.items())
    return f"{title}({shown})"


def _with_sum(title: str, arguments: Arguments) -> str:
    return f"{title}: {legible(arguments.get('expression', ''))}"


def built_in() -> dict[str, Tool]:
    """Return the tools that need no configuration."""
    return {"calculator": Tool("Calculator", _calculate, titled=_with_sum), "dates": Tool("Dates", _reckon)}


async def _calculate(arguments: dict[str, str]) -> str:
    return await asyncio.to_thread(calculated, arguments.get("expression", ""))


async def _reckon(arguments: dict[str, str]) -> str:
    return await asyncio.to_thread(reckoned, arguments)
