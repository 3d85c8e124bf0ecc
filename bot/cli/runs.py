"""`askback runs`: what runs searched, found, wrote and took, for an administrator."""

from rich.markup import escape

from bot.cli.administration import Administration
from bot.cli.console import print_table
from bot.cli.run_tree import HEADS, as_json, row, tree
from bot.conversation.traces import trace_store
from bot.conversation.traces.traces import KeptRun
from bot.postgres.pool import Connection

LONGEST_ID = 18
"""Digits of a number that the database takes for one."""
MOST_OF_ONE = 100


async def list_runs(here: Administration, *, limit: int, is_json: bool) -> None:
    """Print the latest runs, the newest first, without what anybody said."""
    async with here.database.transaction(here.settings.workspace) as connection:
        found = await trace_store.runs(connection, limit=limit)
    if is_json:
        here.console.print(as_json([run.without_words() for run in found]), markup=False, soft_wrap=True)
    elif found:
        print_table(here.console, HEADS, [row(run) for run in found])
    else:
        here.console.print("No run is kept.")


async def show_runs(here: Administration, name: str, *, with_text: bool, is_json: bool) -> bool:
    """Print a run, or those of an item, the oldest first; what was said only `with_text`. Return if there is one."""
    async with here.database.transaction(here.settings.workspace) as connection:
        found = await _named(connection, name)
    shown = [run if with_text else run.without_words() for run in reversed(found)]
    if not found:
        here.console.print(f"[red]No run {escape(name)} is kept.[/red]", soft_wrap=True)
    elif is_json:
        here.console.print(as_json(shown), markup=False, soft_wrap=True)
    else:
        for run in shown:
            here.console.print(tree(run))
    return bool(found)


async def _named(connection: Connection, name: str) -> list[KeptRun]:
    found = await trace_store.runs(connection, limit=MOST_OF_ONE, reference=name.upper())
    if not found and name.isascii() and name.isdecimal() and len(name) <= LONGEST_ID:
        found = await trace_store.runs(connection, limit=1, run_id=int(name))
    return found
