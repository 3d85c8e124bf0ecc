"""Reads due sources again, and changes the embedding model, in child processes that end with the bot."""

import asyncio
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Final, Literal, Self

import structlog
from pydantic import BaseModel

from bot.audience import ALL
from bot.knowledge import source_store
from bot.knowledge.audience_store import transaction_as
from bot.knowledge.connectors.source_settings import SourceSettings
from bot.knowledge.embeddings.change import is_due
from bot.knowledge.lock_store import is_model_locked
from bot.knowledge.sandbox.limits import Limits
from bot.knowledge.source_store import DueSource
from bot.postgres.pool import Database
from bot.runtime import looking
from bot.settings import EmbeddingSettings, Settings, environment_without_secrets

START: Final = "import os; os.nice({niceness}); from bot.cli.sync_child import main; main()"
"""The child's program. It first lowers its priority: at 10, it gets a tenth of a busy processor."""
LATER = 75
"""The child's exit code if its job waits: another process does it, or what was reported cannot be read now."""
PART_SECONDS = 60.0
"""Time after which a change of the embedding model looks whether a source is due."""
PATIENCE_SECONDS = 1.5
"""Time for the child to clean up before it is killed."""

_logger = structlog.stdlib.get_logger(__name__)


class Job(BaseModel):
    """What the child is told: one source and its settings.

    It knows no secrets but those of the database, of the sources and of the embedding.
    """

    url: str
    workspace: str
    source_id: int | None
    """None: the embedding model is changed, a few passages at a time, until `PART_SECONDS` are over."""
    embedding: EmbeddingSettings
    limits: Limits
    sources: SourceSettings
    log_format: Literal["console", "json"]
    log_level: Literal["debug", "info", "warning", "error"]

    @classmethod
    def of(cls, settings: Settings, url: str, source_id: int | None, kind: str = "") -> Self:
        """Return the job for a source of the settings' workspace, or for the change of its embedding model."""
        sources = SourceSettings.of(settings)
        return cls(
            url=url,
            workspace=settings.workspace,
            source_id=source_id,
            embedding=settings.of_embedding,
            limits=Limits.of(settings),
            sources=sources if kind == "slack" else replace(sources, slack_token=""),
            log_format=settings.log_format,
            log_level=settings.log_level,
        )


class Upkeep:
    """Watches the scheduled sources of a workspace."""

    def __init__(
        self, database: Database, settings: Settings, *, model: str | None, look_seconds: float, niceness: int
    ) -> None:
        """`model` is the id of the embedding model that the settings demand; none: whichever serves."""
        self._database = database
        self._settings = settings
        self._model = model
        self._look_seconds = look_seconds
        self._niceness = niceness
        self._reading: set[int] = set()
        """The sources that children of this process are reading."""
        self._changing = asyncio.Lock()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Read due sources, several at a time, until the context ends, which also ends the children."""
        if not self._settings.sync_sources:
            yield
            return
        every = self._look_seconds
        async with (
            looking(self._delete_old, name="age limits", every_seconds=every, failure="source_check_failed"),
            looking(
                self._do_next,
                name="upkeep",
                every_seconds=every,
                failure="source_check_failed",
                at_once=self._settings.sources_at_once,
            ),
        ):
            yield

    async def _do_next(self) -> bool:
        # A change takes hours. Sources that are due come first.
        return await self._read_next() or await self._change_model()

    async def _delete_old(self) -> None:
        """Delete what its source does not allow any more."""
        async with transaction_as(self._database, self._settings.workspace, ALL) as connection:
            deleted = await source_store.delete_old(connection)
        if deleted:
            _logger.info("old_documents_deleted", documents=deleted)

    async def _read_next(self) -> bool:
        """Read the source that has been due the longest and can be read now. Return whether there was one."""
        async with self._database.transaction(self._settings.workspace) as connection:
            due = await source_store.due_sources(connection)
        for source in due:
            if source.is_being_read or source.id in self._reading:
                continue
            # A child needs a second to lock its source, which must not be read twice.
            self._reading.add(source.id)
            try:
                if not await asyncio.to_thread(_is_here, source):
                    await self._note_elsewhere(source)
                elif await self._read(source):
                    return True
            finally:
                self._reading.discard(source.id)
        return False

    async def _change_model(self) -> bool:
        """Embed some passages again if another embedding model was chosen. Return whether there is more to do."""
        if self._changing.locked():
            return False
        async with self._changing:
            workspace = self._settings.workspace
            async with self._database.transaction(workspace) as connection:
                if await is_model_locked(connection, workspace) or not await is_due(connection, self._model):
                    return False
            return await _run(Job.of(self._settings, self._database.url, None), niceness=self._niceness) == 0

    async def _read(self, source: DueSource) -> bool:
        began = time.monotonic()
        code = await _run(Job.of(self._settings, self._database.url, source.id, source.kind), niceness=self._niceness)
        if code == LATER:
            return False
        _logger.info("source_read", source=source.location, code=code, seconds=round(time.monotonic() - began, 1))
        if code:
            error = f"The process that read it ended with {code}: its reason is in the log."
            async with self._database.transaction(self._settings.workspace) as connection:
                await source_store.note_unread(connection, source, error, puts_off=source.is_scheduled)
        # What was reported is still due after a crash, but not at once.
        return source.is_scheduled or code == 0

    async def _note_elsewhere(self, source: DueSource) -> None:
        # The source stays due, because another machine may have it.
        error = f"{source.location} is not on {socket.gethostname()}: give a folder that the bot can read."
        if source.error != error:
            async with self._database.transaction(self._settings.workspace) as connection:
                await source_store.note_unread(connection, source, error, puts_off=False)


def _is_here(source: DueSource) -> bool:
    # `Path.exists` raises if a folder on the way is closed, and would so hold up all other sources.
    return source.kind != "files" or os.path.exists(source.location)  # noqa: PTH110 - See above.


async def _run(job: Job, *, niceness: int) -> int:
    """Run a job in a child process and return its exit code. Cancelling this ends the child."""
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-c",
        START.format(niceness=niceness),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        env=environment_without_secrets(job.sources.secrets),
        start_new_session=True,
    )
    try:
        assert child.stdin is not None
        # Standard input stays open. The child ends when it closes.
        with suppress(BrokenPipeError, ConnectionResetError):
            child.stdin.write(f"{job.model_dump_json()}\n".encode())
            await child.stdin.drain()
        return await child.wait()
    finally:
        await _end(child)


async def _end(child: asyncio.subprocess.Process) -> None:
    """End a process and its children: first by SIGINT, so that it can clean up, then by SIGKILL."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGINT)
        with suppress(TimeoutError):
            await asyncio.wait_for(child.wait(), PATIENCE_SECONDS)
        os.killpg(child.pid, signal.SIGKILL)
    await child.wait()
