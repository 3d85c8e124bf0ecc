"""`askback tools`: shows which tools a model may use, and whether their servers answer."""

from typing import TYPE_CHECKING, Final

import typer

from bot.cli.console import Terminal, print_table
from bot.cli.start import run as run_task
from bot.cli.start import start
from bot.settings import Settings
from bot.tools.mcp.allowed import allowed_servers
from bot.tools.mcp.connected import connected
from bot.tools.toolbox import built_in

if TYPE_CHECKING:
    from bot.tools.mcp.server import ConnectedServer

HEADS: Final = ("TOOL", "DOES", "STATE")

commands = typer.Typer(help="Show the tools that a model may use besides documents.", no_args_is_help=True)


@commands.command("list")
def list_tools() -> None:
    """List the allowed tools, and start each server once to see whether it answers. Exit with 1 if one does not."""
    if not run_task(show_tools(start(quiet=True), Terminal())):
        raise typer.Exit(1)


async def show_tools(settings: Settings, console: Terminal) -> bool:
    """Print the tools; return whether all allowed ones can be used."""
    rows = [(name, "reads", "built in") for name in built_in()]
    async with connected(allowed_servers(settings)) as servers:
        for server in servers.servers.values():
            await server.wait_until_tried()
            rows += rows_of(server)
        is_whole = all(
            not server.fault and len(server.offers()) == len(server.allowed.reads + server.allowed.writes)
            for server in servers.servers.values()
        )
    print_table(console, HEADS, rows)
    return is_whole


def rows_of(server: "ConnectedServer") -> list[tuple[str, str, str]]:
    """Return a row for each allowed tool of a server."""
    said = {offer["name"]: f"answers: {offer['says']}" for offer in server.offers()}
    allowed = [(tool, "reads") for tool in server.allowed.reads] + [(tool, "writes") for tool in server.allowed.writes]
    return [
        (name, does, server.fault or said.get(name) or server.why_unusable(tool))
        for tool, does in allowed
        if (name := f"{server.name}.{tool}")
    ]
