"""`askback inbox`: shows, retries and drops items beside a running bot, whose workers do the rest."""

import json
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, Final

import typer
from rich.console import Console

from bot.cli.console import Terminal, inert, print_table
from bot.cli.inbox import entry_store
from bot.cli.inbox.entries import STATES, Details, Entry, State
from bot.cli.start import run_or_fail, start
from bot.clock import SystemClock
from bot.conversation import store
from bot.conversation.commands import command_store
from bot.conversation.items import new_reference
from bot.conversation.payloads import DropPayload
from bot.postgres.pool import Connection, Database
from bot.settings import Settings
from graph.context import Clock

HEADS: Final = ("reference", "state", "kind", "for", "attempts", "last error", "person", "thread")
_UNITS: Final = (("d", timedelta(days=1)), ("h", timedelta(hours=1)), ("min", timedelta(minutes=1)))


@dataclass(frozen=True, kw_only=True)
class Inspection:
    """The inbox of one workspace, and the terminal of an administrator."""

    database: Database
    workspace: str
    console: Console
    clock: Clock

    async def show_all(self, states: Sequence[str], *, limit: int, is_json: bool) -> None:
        """Print the items in the given states, the oldest first."""
        async with self.database.transaction(self.workspace) as connection:
            found = await entry_store.entries(connection, workspace=self.workspace, states=states, limit=limit)
        if is_json:
            self._print(as_json([entry.without_words() for entry in found]))
        elif found:
            print_table(self.console, HEADS, [row(entry, self.clock.now()) for entry in found])
        else:
            self._print(f"Nothing is {' or '.join(states)}.")

    async def show(self, reference: str, *, with_text: bool, is_json: bool) -> bool:
        """Print an item, with people's words only `with_text`. Return whether there is one."""
        async with self.database.transaction(self.workspace) as connection:
            found = await self._found(connection, reference)
        if found is not None:
            shown = found if with_text else found.without_words()
            self._print(as_json(shown) if is_json else "\n".join(lines(shown, self.clock.now())))
        return found is not None

    async def retry(self, reference: str) -> bool:
        """Retry an item. Return whether it will run."""
        async with self.database.transaction(self.workspace) as connection:
            found = await self._found(connection, reference)
            if found is None:
                return False
            if found.entry.state == "running":
                self._print("It is running.")
                return True
            will = await store.retry(connection, found.entry.id, now=self.clock.now())
        self._print("It runs again." if will else "It is done or waits for a person: there is nothing to retry.")
        return will

    async def drop(self, reference: str, why: str, *, is_sure: bool) -> bool:
        """Ask for confirmation, then let a worker drop the item."""
        async with self.database.transaction(self.workspace) as connection:
            found = await self._found(connection, reference)
        if found is None or not self._may_drop(found.entry, is_sure=is_sure):
            return False
        async with self.database.transaction(self.workspace) as connection:
            payload, key = DropPayload(target=found.entry.id, why=why), f"drop:{new_reference()}"
            await command_store.insert(connection, payload, event_key=key, now=self.clock.now())
        self._print("A worker will drop it and tell the person in the thread.")
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
            self.console.print(f"[red]{inert(said)}[/red]", soft_wrap=True)
        return found

    def _print(self, text: str) -> None:
        self.console.print(text, markup=False, soft_wrap=True)


@asynccontextmanager
async def inspecting(settings: Settings, url: str, console: Console) -> AsyncGenerator[Inspection]:
    """Open the inbox of the settings' workspace."""
    async with Database.open(url, size=2, workspace=settings.workspace) as database:
        yield Inspection(database=database, workspace=settings.workspace, console=console, clock=SystemClock())


def row(entry: Entry, now: datetime) -> list[str]:
    """Return an item as a row of the table `HEADS`."""
    return [
        entry.reference,
        entry.state,
        entry.kind,
        span(now - entry.received_at),
        f"{entry.begun} of {entry.allowed}",
        entry.error or "",
        entry.person,
        entry.thread_id,
    ]


def lines(found: Details, now: datetime) -> list[str]:
    """Return an item as lines of text, with people's words if they were not removed."""
    entry = found.entry
    return [
        f"{entry.reference}: {entry.kind}, {entry.state}",
        f"  from {entry.person} in {entry.thread_id} ({entry.surface}), {_ago(entry.received_at, now)}",
        f"  {entry.begun} of {entry.allowed} attempts{_next(entry, now)}",
        *_error(entry, now),
        *(f"  posted {one.kind} {one.channel} {one.ts}, {_ago(one.posted_at, now)}" for one in found.posted),
        *_questions(found, now),
        *([f"  text: {entry.text}"] if entry.text else []),
    ]


def as_json(found: Details | Sequence[Entry]) -> str:
    """Return one item or several as JSON."""
    what = asdict(found) if isinstance(found, Details) else [asdict(entry) for entry in found]
    return json.dumps(what, ensure_ascii=False, indent=2, default=datetime.isoformat)


def span(length: timedelta) -> str:
    """Return a rounded duration: `3 min`, `2 h`, `5 d`."""
    for name, unit in _UNITS:
        if length >= unit:
            return f"{length // unit} {name}"
    return f"{max(0, int(length.total_seconds()))} s"


def _ago(then: datetime, now: datetime) -> str:
    return f"{span(now - then)} ago"


def _next(entry: Entry, now: datetime) -> str:
    return f", the next in {span(entry.due_at - now)}" if entry.state == "waiting" and entry.due_at > now else ""


def _error(entry: Entry, now: datetime) -> list[str]:
    if entry.error and entry.failed_at:
        said = [f"  message: {entry.reason}"] if entry.reason else []
        return [f"  last error {entry.error} at {entry.place}, {_ago(entry.failed_at, now)}", *said]
    is_silent = entry.state == "failed"
    return ["  no error: its process died in each run"] if is_silent else []


def _questions(found: Details, now: datetime) -> list[str]:
    shown: list[str] = []
    for asked in found.asked:
        by = f" by {asked.decided_by}" if asked.decided_by else ""
        shown.append(f"  asked back {_ago(asked.asked_at, now)}, {asked.options} options: {asked.status}{by}")
        shown += [f"    {asked.question} {asked.choice or ''}".rstrip()] if asked.question else []
    return shown


commands = typer.Typer(help="Show what waits or failed; retry it or drop it.", no_args_is_help=True)

_REFERENCE = Annotated[str, typer.Argument(help="The eight characters that a failed answer shows.")]


@commands.command("list")
def list_items(
    *,
    state: Annotated[State | None, typer.Option(help="Only items in this state.")] = None,
    limit: Annotated[int, typer.Option(help="At most this many, the oldest first.")] = 100,
    is_json: Annotated[bool, typer.Option("--json", help="Print a JSON array.")] = False,
) -> None:
    """List unfinished items: waiting, running, asking a person, failed."""
    _inspect(lambda inspection: inspection.show_all([state] if state else STATES, limit=limit, is_json=is_json))


@commands.command()
def show(
    reference: _REFERENCE,
    *,
    with_text: Annotated[bool, typer.Option("--text", help="Also what people wrote.")] = False,
    is_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show an item: its attempts, the last error, what was posted and asked back."""
    _inspect(lambda inspection: inspection.show(reference.upper(), with_text=with_text, is_json=is_json))


@commands.command()
def retry(reference: _REFERENCE) -> None:
    """Retry an item with fresh attempts."""
    _inspect(lambda inspection: inspection.retry(reference.upper()))


@commands.command()
def drop(
    reference: _REFERENCE,
    *,
    why: Annotated[str, typer.Option(help="A reason for the person to read.")] = "",
    is_sure: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Drop an item, so that its thread goes on. The person is told in the thread."""
    _inspect(lambda inspection: inspection.drop(reference.upper(), why, is_sure=is_sure))


def _inspect(do: Callable[[Inspection], Coroutine[Any, Any, bool | None]]) -> None:
    settings, console = start(quiet=True), Terminal(highlight=False)

    async def inspect(url: str) -> bool | None:
        async with inspecting(settings, url, console) as inspection:
            return await do(inspection)

    run_or_fail(settings, inspect)
