"""All MCP servers of the operator's file, and their tools."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from bot.tools.mcp.allowed import AllowedServer
from bot.tools.toolbox import Tool
from graph.tools import Offer

if TYPE_CHECKING:
    from bot.tools.mcp.server import ConnectedServer


class ConnectedServers:
    """All servers of the operator's file."""

    def __init__(self, servers: Mapping[str, "ConnectedServer"] | None = None) -> None:
        self.servers = servers or {}

    async def settle(self) -> None:
        """Wait until every server was tried once."""
        for server in self.servers.values():
            await server.settle()

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
        yield ConnectedServers(servers)
