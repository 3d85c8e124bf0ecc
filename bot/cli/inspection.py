"""`askback inbox`: what waits, what failed and why, for an administrator; beside a running bot, which does the rest."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape

from bot.cli.console import print_table
from bot.cli.listing import HEADS, as_json, lines, row
from bot.clock import SystemClock
from bot.conversation import store
from bot.conversation.turns import entry_store
from bot.conversation.turns.entries import Details, Entry
from bot.postgres.pool import Connection, Database
from bot.settings import Settings
from graph.context import Clock


@dataclass(frozen=True, kw_only=True)
class Inspection:
    """One workspace's inbox, and a terminal that shows it."""

    database: Database
    workspace: str
    console: Console
    clock: Clock

    async def show_all(self, states: Sequence[str], *, limit: int, is_json: bool) -> None:
        """Print what is in some states, the oldest first."""
        async with self.database.transaction(self.workspace) as connection:
            found = await entry_store.entries(connection, workspace=self.workspace, states=states, limit=limit)
        if is_json:
            self._print(as_json([entry.without_words() for entry in found]))
        elif found:
            print_table(self.console, HEADS, [row(entry, self.clock.now()) for entry in found])
        else:
            self._print(f"Nothing is {' or '.join(states)}.")

    async def show(self, reference: str, *, with_text: bool, is_json: bool) -> bool:
        """Print all that is known of an item, what people said only `with_text`; return whether there is one."""
        async with self.database.transaction(self.workspace) as connection:
            found = await self._found(connection, reference)
        if found is not None:
            shown = found if with_text else found.without_words()
            self._print(as_json(shown) if is_json else "\n".join(lines(shown, self.clock.now())))
        return found is not None

    async def retry(self, reference: str) -> bool:
        """Let an item run again; return whether it will."""
        async with self.database.transaction(self.workspace) as connection:
            found = await self._found(connection, reference)
            if found is None:
                return False
            if found.entry.state == "running":
                self._print("It runs just now.")
                return True
            will = await store.retry(connection, reference, workspace=self.workspace, now=self.clock.now())
        self._print("It runs again." if will else "It is done, or waits for a person: there is nothing to try again.")
        return will

    async def drop(self, reference: str, why: str, *, is_sure: bool) -> bool:
        """Order an item to be dropped, unless whoever sits before the terminal thinks better of it."""
        async with self.database.transaction(self.workspace) as connection:
            found = await self._found(connection, reference)
        if found is None or not self._may_drop(found.entry, is_sure=is_sure):
            return False
        async with self.database.transaction(self.workspace) as connection:
            await entry_store.insert_drop(connection, found.entry.id, why=why, now=self.clock.now())
        self._print("A worker drops it, and says so in the thread.")
        return True

    def _may_drop(self, entry: Entry, *, is_sure: bool) -> bool:
        if not entry.is_open:
            self._print("It is done: there is nothing to drop.")
            return False
        if is_sure:
            return True
        print_table(self.console, HEADS, [row(entry, self.clock.now())])
        return self.console.input("Drop it? The person is told. (y/n) ").strip().lower() in ("y", "yes")

    async def _found(self, connection: Connection, reference: str) -> Details | None:
        found = await entry_store.details(connection, reference, workspace=self.workspace)
        if found is None:
            said = f"The workspace {self.workspace} has no item {reference}."
            self.console.print(f"[red]{escape(said)}[/red]", soft_wrap=True)
        return found

    def _print(self, text: str) -> None:
        self.console.print(text, markup=False, soft_wrap=True)


@asynccontextmanager
async def inspecting(settings: Settings, url: str, console: Console) -> AsyncGenerator[Inspection]:
    """Open the inbox of the workspace that is set."""
    async with Database.open(url, size=2, workspace=settings.workspace) as database:
        yield Inspection(database=database, workspace=settings.workspace, console=console, clock=SystemClock())
