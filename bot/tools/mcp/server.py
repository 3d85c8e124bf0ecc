"""The connection to an MCP server: opened in the background, opened again after a failure, and ended with the bot.

A server that hangs, crashes or never starts costs only its own results.
"""

import asyncio
import json
import math
import os
import sys
from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, Final, TextIO

import anyio
import structlog
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, CallToolResult, TextContent
from mcp_types import Tool as Listed

from bot.tools.mcp.allowed import AllowedServer
from bot.tools.mcp.arguments import MOST_ARGUMENTS, choices, described, typed
from bot.tools.mcp.bounded import bounded_client
from bot.tools.toolbox import Tool, with_arguments
from graph.text.credentials import redacted
from graph.text.invisible import visible
from graph.tools import LONGEST_RESULT, Offer, ToolError

START_SECONDS: Final = 20.0
"""How long a server may take to start and to list its tools."""
END_SECONDS: Final = 10.0
MOST_HANGS: Final = 2
"""Calls in a row that may hang. Then the server is started again."""
LONGEST_PAUSE_SECONDS: Final = 60.0
_MOST_PAGES: Final = 50
LONGEST_SAID: Final = 300
"""Characters of a server's description of a tool."""


class ConnectedServer:
    """One server, and those of its tools that the operator allows."""

    def __init__(self, name: str, allowed: AllowedServer, *, pause_seconds: float = 1.0) -> None:
        self.name = name
        self.allowed = allowed
        self.fault = "It has not started yet."
        """Why it cannot be used now; empty if it can."""
        self._tools: dict[str, Listed] = {}
        self._arguments: dict[str, str] = {}
        """What a model is told of the arguments of each tool whose calls can be checked."""
        self._client: Client | None = None
        self._lost = asyncio.Event()
        self._tried = asyncio.Event()
        self._hangs = 0
        self._pause_seconds = pause_seconds

    async def wait_until_tried(self) -> None:
        """Wait until the server was tried once."""
        await self._tried.wait()

    def why_unusable(self, tool: str) -> str:
        """Return why an allowed tool cannot be used; empty if it can."""
        if tool not in self._tools:
            return "The server has no such tool."
        if tool not in self._arguments:
            return "Its server describes its arguments in a form that I cannot check."
        says = self._tools[tool].annotations
        is_said_to_write = says is not None and (says.read_only_hint is False or says.destructive_hint is True)
        # A server may lie about what it only reads, but hardly about what it changes.
        return "It changes something, says its server." if is_said_to_write and tool in self.allowed.reads else ""

    def offers(self) -> list[Offer]:
        """Return its tools for the model, in the order of the operator's file; those that were listed last."""
        return [self._offer(self._tools[tool]) for tool in self._usable()]

    def tools(self) -> dict[str, Tool]:
        """Return its tools by the names of their offers."""
        return {
            f"{self.name}.{tool}": Tool(
                self._title(tool),
                use=lambda arguments, tool=tool: self._use(tool, arguments),
                seconds=self.allowed.seconds,
                titled=with_arguments,
                writes=tool in self.allowed.writes,
                takes=lambda arguments, tool=tool: self._takes(tool, arguments),
            )
            for tool in self._usable()
        }

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[None]:
        """Keep the server connected while the context is open."""
        ended = asyncio.Event()
        task = asyncio.create_task(self._stay(ended), name=f"mcp_{self.name}")
        try:
            yield
        finally:
            ended.set()
            # The SDK ends a process in steps that a cancellation would cut short.
            self._lost.set()
            with suppress(TimeoutError):
                await asyncio.wait_for(task, END_SECONDS)

    async def _stay(self, ended: asyncio.Event) -> None:
        pause = self._pause_seconds
        while not ended.is_set():
            self._lost.clear()
            began = anyio.current_time()
            try:
                await self._connect(ended)
            except Exception as error:  # noqa: BLE001 - whatever a server does, the bot goes on
                self._fail(error)
            self._client = None
            self._tried.set()
            pause = self._pause_seconds if anyio.current_time() - began > LONGEST_PAUSE_SECONDS else pause * 2
            with suppress(TimeoutError):
                await asyncio.wait_for(ended.wait(), min(pause, LONGEST_PAUSE_SECONDS))

    async def _connect(self, ended: asyncio.Event) -> None:
        # The SDK's own scopes end inside this one, so that it shuts a process down also if the start takes too long.
        with anyio.CancelScope(deadline=anyio.current_time() + START_SECONDS) as start:
            await self._serve(start, ended)
        if start.cancelled_caught:
            raise TimeoutError

    async def _serve(self, start: anyio.CancelScope, ended: asyncio.Event) -> None:
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(await self._client_on(stack))
            self._tools = await _listed(client, self._allowed())
            start.deadline = math.inf
            self._arguments = _described(self._tools)
            self._client, self._hangs, self.fault = client, 0, ""
            self._tried.set()
            structlog.get_logger().info("tool_server_connected", server=self.name, tools=len(self._tools))
            if not ended.is_set():
                await self._lost.wait()
        self.fault = "It was disconnected."

    async def _client_on(self, stack: AsyncExitStack) -> Client:
        allowed = self.allowed
        if allowed.url:
            http = await stack.enter_async_context(bounded_client(allowed.headers))
            return Client(streamable_http_client(allowed.url, http_client=http))
        silent: TextIO = stack.enter_context(open(os.devnull, "w", encoding="utf-8"))  # noqa: ASYNC230, PTH123, SIM115 - no disk
        arguments = ["-P", "-m", "bot.tools.mcp.watchdog", str(os.getpid()), allowed.command, *allowed.args]
        server = StdioServerParameters(command=sys.executable, args=arguments, env=allowed.env)
        return Client(stdio_client(server, errlog=silent))

    async def _use(self, tool: str, arguments: dict[str, str]) -> str:
        client = self._client
        if client is None:
            raise ToolError("The server is not connected.")
        given = typed(arguments, self._tools[tool].input_schema)
        try:
            result = await client.call_tool(tool, given)
        except asyncio.CancelledError:
            self._hangs += 1
            if self._hangs >= MOST_HANGS:
                self._lost.set()
            raise
        except MCPError as error:
            if error.code == CONNECTION_CLOSED:
                self._lost.set()
            raise
        except Exception:
            self._lost.set()
            raise
        self._hangs = 0
        if result.is_error:
            raise ToolError("The tool reported an error.")
        return said(result)

    def _takes(self, tool: str, arguments: Mapping[str, str]) -> bool:
        try:
            return len(typed(arguments, self._tools[tool].input_schema)) <= MOST_ARGUMENTS
        except ToolError:
            return False

    def _title(self, tool: str) -> str:
        return f"{self.allowed.title or self.name}: {tool}"

    def _usable(self) -> list[str]:
        return [tool for tool in self._allowed() if not self.why_unusable(tool)]

    def _allowed(self) -> list[str]:
        return [*self.allowed.reads, *self.allowed.writes]

    def _offer(self, tool: Listed) -> Offer:
        offer = Offer(
            name=f"{self.name}.{tool.name}",
            title=self._title(tool.name),
            says=" ".join(visible(tool.description or "").split())[:LONGEST_SAID],
            arguments=self._arguments[tool.name],
            writes=tool.name in self.allowed.writes,
        )
        given = choices(tool.input_schema)
        return {**offer, "choices": given} if given else offer

    def _fail(self, error: Exception) -> None:
        self.fault = f"It failed: {_first(error)}."
        structlog.get_logger().warning("tool_server_failed", server=self.name, reason=_first(error))


def said(result: CallToolResult) -> str:
    """Return what a result says in words, cut, without credentials and invisible characters."""
    texts = [block.text for block in result.content if isinstance(block, TextContent)]
    structured: Any = result.structured_content
    text = "\n".join(texts) or (json.dumps(structured, ensure_ascii=False) if structured is not None else "")
    # Cut first: to clean 10 MB would take longer than a call may. A key at the cut is longer than what is kept of it.
    return visible(redacted(text[: 2 * LONGEST_RESULT]))[:LONGEST_RESULT]


async def _listed(client: Client, allowed: Collection[str]) -> dict[str, Listed]:
    """Return the allowed tools among all that the server lists, page by page."""
    found: dict[str, Listed] = {}
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        found |= {tool.name: tool for tool in page.tools if tool.name in allowed}
        if (cursor := page.next_cursor) is None:
            break
    return found


def _described(tools: Mapping[str, Listed]) -> dict[str, str]:
    said: dict[str, str] = {}
    for name, tool in tools.items():
        with suppress(ToolError):
            said[name] = visible(described(tool.input_schema))[: 2 * LONGEST_SAID]
    return said


def _first(error: BaseException) -> str:
    """Return the kind of an error; of a group, that of its first one."""
    inner: tuple[BaseException, ...] = getattr(error, "exceptions", ())
    return _first(inner[0]) if inner else type(error).__name__
