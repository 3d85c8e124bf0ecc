"""`askback inbox`: shows, retries and drops items beside a running bot, whose workers do the rest."""

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Annotated, Final

import typer

from bot.cli.administration import MOST_LISTED, Administration, administered
from bot.cli.console import agrees, as_json, print_table
from bot.cli.inbox import entry_store
from bot.cli.inbox.entries import STATES, Details, Entry, State
from bot.conversation import command_store, store
from bot.conversation.contents import DropContent
from bot.conversation.items import new_reference
from bot.postgres.pool import Connection

HEADS: Final = ("reference", "state", "kind", "for", "attempts", "last error", "person", "thread")
commands = typer.Typer(help="Show what waits or failed; retry it or drop it.", no_args_is_help=True)

_REFERENCE = Annotated[str, typer.Argument(help="The eight characters that a failed answer shows.")]
_UNITS: Final = (("d", timedelta(days=1)), ("h", timedelta(hours=1)), ("min", timedelta(minutes=1)))


@administered(commands, "list")
async def list_entries(
    here: Administration,
    *,
    state: Annotated[State | None, typer.Option(help="Only items in this state.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=MOST_LISTED, help="At most this many, the oldest first.")] = 100,
    is_json: Annotated[bool, typer.Option("--json", help="Print a JSON array.")] = False,
) -> None:
    """List unfinished items: waiting, running, asking a person, failed."""
    states = [state] if state else STATES
    async with here.transaction() as connection:
        found = await entry_store.entries(connection, workspace=here.settings.workspace, states=states, limit=limit)
    if is_json:
        here.say(as_json([asdict(entry.without_words()) for entry in found]))
    else:
        rows = [row(entry, here.clock.now()) for entry in found]
        here.show(HEADS, rows, or_else=f"Nothing is {' or '.join(states)}.")


@administered(commands, "show")
async def show_entry(
    here: Administration,
    reference: _REFERENCE,
    *,
    with_text: Annotated[bool, typer.Option("--text", help="Also what people wrote.")] = False,
    is_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> bool:
    """Show an item: its attempts, the last error, what was posted and asked back."""
    async with here.transaction() as connection:
        found = await _found(here, connection, reference)
    if found is not None:
        shown = found if with_text else found.without_words()
        here.say(as_json(asdict(shown)) if is_json else "\n".join(lines(shown, here.clock.now())))
    return found is not None


@administered(commands, "retry")
async def retry_entry(here: Administration, reference: _REFERENCE) -> bool:
    """Retry an item with fresh attempts."""
    async with here.transaction() as connection:
        found = await _found(here, connection, reference)
        if found is None:
            return False
        if found.entry.state == "running":
            here.say("It is running.")
            return True
        will = await store.retry(connection, found.entry.id, now=here.clock.now())
    here.say("It runs again." if will else "It is done or waits for a person: there is nothing to retry.")
    return will


@administered(commands, "drop")
async def drop_entry(
    here: Administration,
    reference: _REFERENCE,
    *,
    why: Annotated[str, typer.Option(help="A reason for the person to read.")] = "",
    is_sure: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> bool:
    """Drop an item, so that its thread goes on. The person is told in the thread."""
    async with here.transaction() as connection:
        found = await _found(here, connection, reference)
    if found is None or not _may_drop(here, found.entry, is_sure=is_sure):
        return False
    async with here.transaction() as connection:
        content, key = DropContent(target=found.entry.id, why=why), f"drop:{new_reference()}"
        await command_store.insert(connection, content, event_key=key, now=here.clock.now())
    here.say("A worker will drop it and tell the person in the thread.")
    return True


def _may_drop(here: Administration, entry: Entry, *, is_sure: bool) -> bool:
    if not entry.is_open:
        here.say("It is done: there is nothing to drop.")
        return False
    if is_sure:
        return True
    print_table(here.console, HEADS, [row(entry, here.clock.now())])
    return agrees(here.console, "Drop it? The person is told.")


async def _found(here: Administration, connection: Connection, reference: str) -> Details | None:
    workspace, known_as = here.settings.workspace, reference.upper()
    found = await entry_store.details(connection, known_as, workspace=workspace)
    if found is None:
        here.say(f"The workspace {workspace} has no item {known_as}.", style="red")
    return found


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
