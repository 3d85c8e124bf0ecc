"""Keeping a playground between runs: its workspace and tokens, in one file that is replaced whole."""

import asyncio
import fcntl
import json
import os
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from time import monotonic

from playground.errors import StateInUseError
from playground.state.slack import Slack, Tokens
from playground.state.workspace import Workspace
from playground.wire import Json

REST = 9
"""How many times as long as a save took nothing is saved: a large workspace is not to be written all the time."""


@contextmanager
def held(path: Path) -> Generator[Callable[[str], None]]:
    """Hold the file alone, until the process ends in whatever way; yield what tells others where we are.

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
    """Return what was saved there, if anything was; streams that were open have ended."""
    if not path.exists():
        return None
    stored: Json = json.loads(path.read_text(encoding="utf-8"))
    workspace = Workspace.from_json(stored["workspace"])
    for channel in workspace.channels.values():
        for message in channel.messages.values():
            if message.get("streaming_state") == "in_progress":
                message["streaming_state"] = "errored"
    return workspace, Tokens(**stored["tokens"])


def save(slack: Slack, path: Path) -> None:
    """Write the present state; a crash leaves the old file or the new one."""
    stored = {"workspace": slack.workspace.to_json(), "tokens": slack.tokens.to_json()}
    text = json.dumps(stored, ensure_ascii=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(path.name + ".new")
    fresh.touch(mode=0o600)
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


@asynccontextmanager
async def kept(slack: Slack, path: Path) -> AsyncGenerator[None]:
    """Save each change at once, several where saving takes long, and at the end."""
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
        # At once: what people saw must not be gone when the process is killed a moment later.
        began = monotonic()
        save(slack, path)
        took = monotonic() - began
        slack.changes.publish({"type": "saved"})
        await asyncio.sleep(REST * took)
