"""Has the sources that are due read again while the bot answers: one at a time, by a process that it can end."""

import asyncio
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

import structlog

from bot.knowledge import source_store
from bot.knowledge.source_store import DueSource
from bot.knowledge.upkeep.job import BUSY, PATIENCE_SECONDS, Job
from bot.postgres.pool import Database
from bot.runtime import beside
from bot.settings import Settings, environment_without_secrets

START: Final = "import os; os.nice({niceness}); from bot.cli.syncing import main; main()"
"""Before it imports anything it makes room for who answers: at 10, it gets a tenth of a processor beside them."""

_logger = structlog.stdlib.get_logger(__name__)


class Upkeep:
    """The sources of a workspace that have a schedule."""

    def __init__(self, database: Database, settings: Settings, *, look_seconds: float, niceness: int = 10) -> None:
        self._database = database
        self._settings = settings
        self._look_seconds = look_seconds
        self._niceness = niceness

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Look for what is due until the context ends; a process that reads then is ended with it."""
        if not self._settings.sync_sources:
            yield
            return
        async with beside(self._run_for_ever(), name="upkeep"):
            yield

    async def _run_for_ever(self) -> None:
        while True:
            await asyncio.sleep(self._look_seconds)
            try:
                while await self._read_next():
                    pass
            except Exception as error:  # noqa: BLE001 — whatever stopped it, the next look may go well.
                _logger.warning("source_check_failed", error=type(error).__name__)

    async def _read_next(self) -> bool:
        """Have the source read that has been due for longest; return whether there was one."""
        for source in await self._due():
            if await asyncio.to_thread(_is_here, source):
                return await self._read(source)
            await self._note_elsewhere(source)
        return False

    async def _due(self) -> list[DueSource]:
        workspace = self._settings.workspace
        async with self._database.transaction(workspace) as connection:
            if await source_store.is_somebody_reading(connection, workspace):
                return []
            return await source_store.due_sources(connection)

    async def _read(self, source: DueSource) -> bool:
        began = time.monotonic()
        code = await _run(Job.of(self._settings, self._database.url, source.id), niceness=self._niceness)
        if code == BUSY:
            return False
        _logger.info("source_read", source=source.location, code=code, seconds=round(time.monotonic() - began, 1))
        if code:
            error = f"The process that read it ended with {code}: its reason is in the log."
            async with self._database.transaction(self._settings.workspace) as connection:
                await source_store.note_broken(connection, source, error)
        return True

    async def _note_elsewhere(self, source: DueSource) -> None:
        # It stays due: another machine may have it.
        error = f"{source.location} is not on {socket.gethostname()}: give a folder that the bot can read."
        if source.error != error:
            async with self._database.transaction(self._settings.workspace) as connection:
                await source_store.note_missing(connection, source, error)


def _is_here(source: DueSource) -> bool:
    return source.kind != "files" or Path(source.location).exists()


async def _run(job: Job, *, niceness: int) -> int:
    """Run a job in a process of its own and return how it ended; it is ended if this is cancelled."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-c", START.format(niceness=niceness),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL,
        env=environment_without_secrets(), start_new_session=True,
    )  # fmt: skip
    try:
        assert child.stdin is not None
        # The line stays open: its end tells the child that nobody waits for it any more.
        with suppress(BrokenPipeError, ConnectionResetError):
            child.stdin.write(f"{job.model_dump_json()}\n".encode())
            await child.stdin.drain()
        return await child.wait()
    finally:
        await _end(child)


async def _end(child: asyncio.subprocess.Process) -> None:
    """End a process with all that it started, first in a way that lets it close what it has open."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGINT)
        with suppress(TimeoutError):
            await asyncio.wait_for(child.wait(), PATIENCE_SECONDS)
        os.killpg(child.pid, signal.SIGKILL)
    await child.wait()
