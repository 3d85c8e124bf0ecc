"""All MCP servers of the operator's file, and their tools."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

from bot.tools.mcp.allowed import AllowedServer
from bot.tools.toolbox import Tool
from graph.tools import Offer

if TYPE_CHECKING:
    from bot.tools.mcp.server import ConnectedServer

GRACE_SECONDS: Final = 5.0
"""How long after the bot's start a run waits for servers that were not tried yet."""


class ConnectedServers:
    """All servers of the operator's file."""

    def __init__(self, servers: Mapping[str, "ConnectedServer"] | None = None, *, until: float = 0.0) -> None:
        self.servers = servers or {}
        self.until = until
        """When runs stop waiting for servers that were not tried yet, by the event loop's clock."""

    async def started(self) -> None:
        """Wait until every server was tried once, but not after the grace of the bot's start."""
        with suppress(TimeoutError):
            async with asyncio.timeout_at(self.until):
                await self.wait_until_tried()

    async def wait_until_tried(self) -> None:
        """Wait until every server was tried once."""
        for server in self.servers.values():
            await server.wait_until_tried()

    def tools(self, *, may_write: bool) -> dict[str, Tool]:
        """Return the tools that can be used now; those that write only if somebody can allow them by a click."""
        every = {name: tool for server in self.servers.values() for name, tool in server.tools().items()}
        return {name: tool for name, tool in every.items() if may_write or not tool.writes}

    def offers(self, *, may_write: bool) -> list[Offer]:
        """Return what a model is told of these tools."""
        every = [offer for server in self.servers.values() for offer in server.offers()]
        return [offer for offer in every if may_write or not offer["writes"]]


@asynccontextmanager
async def connected(allowed: Mapping[str, AllowedServer]) -> AsyncGenerator[ConnectedServers]:
    """Connect to all servers, in the background: the bot does not wait for them."""
    if not allowed:
        yield ConnectedServers()
        return
    from bot.tools.mcp.server import ConnectedServer  # noqa: PLC0415 - The SDK takes a second, and few use it.

    async with AsyncExitStack() as stack:
        servers = {name: ConnectedServer(name, one) for name, one in allowed.items()}
        for server in servers.values():
            await stack.enter_async_context(server.open())
        yield ConnectedServers(servers, until=asyncio.get_running_loop().time() + GRACE_SECONDS)
