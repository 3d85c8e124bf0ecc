"""Saves a playground's workspace and tokens between runs, in one file that is replaced atomically."""

import asyncio
import fcntl
import json
import os
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from time import monotonic

from playground.errors import StateInUseError, StateUnreadableError
from playground.state.slack import Slack, Tokens
from playground.state.workspace import Workspace
from playground.wire import Json

REST = 9
"""Pause between two saves, as a multiple of a save's duration, so that a large workspace is not saved all the time."""


@contextmanager
def held(path: Path) -> Generator[Callable[[str], None]]:
    """Lock the file until the process ends; yield a function that publishes our address in it.

    Raises `StateInUseError`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".lock")
    descriptor = os.open(beside, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StateInUseError(beside.read_text(encoding="utf-8")) from None
        os.ftruncate(descriptor, 0)
        yield partial(_write, beside)
    finally:
        os.close(descriptor)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def load(path: Path) -> tuple[Workspace, Tokens] | None:
    """Return the saved state, if there is one. Open streams are closed. Raises `StateUnreadableError`."""
    if not path.exists():
        return None
    try:
        stored: Json = json.loads(path.read_text(encoding="utf-8"))
        workspace, tokens = Workspace.from_json(stored["workspace"]), Tokens(**stored["tokens"])
    except (ValueError, LookupError, TypeError) as error:
        raise StateUnreadableError(str(path)) from error
    for channel in workspace.channels.values():
        for message in channel.messages.values():
            if message.get("streaming_state") == "in_progress":
                message["streaming_state"] = "errored"
    return workspace, tokens


def save(slack: Slack, path: Path) -> None:
    """Write the current state atomically: a crash leaves the old or the new file."""
    stored = {"workspace": slack.workspace.to_json(), "tokens": slack.tokens.to_json()}
    text = json.dumps(stored, ensure_ascii=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(path.name + ".new")
    fresh.touch(mode=0o600)
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


@asynccontextmanager
async def kept(slack: Slack, path: Path) -> AsyncGenerator[None]:
    """Save each change at once, or several together if saving takes long, and at the end."""
    with slack.changes.follow() as changes:
        saving = asyncio.create_task(_keep_saving(slack, path, changes))
        try:
            yield
        finally:
            saving.cancel()
            await asyncio.gather(saving, return_exceptions=True)
            save(slack, path)


async def _keep_saving(slack: Slack, path: Path, changes: asyncio.Queue[Json]) -> None:
    while True:
        if (await changes.get())["type"] == "saved":
            continue
        while not changes.empty():
            changes.get_nowait()
        # Save at once, so that a kill does not lose what people have seen.
        began = monotonic()
        save(slack, path)
        took = monotonic() - began
        slack.changes.publish({"type": "saved"})
        await asyncio.sleep(REST * took)
