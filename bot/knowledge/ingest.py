"""Synchronises a workspace's passages with its sources. Unchanged documents cost nothing."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeAlias

import structlog

from bot.knowledge import source_store
from bot.knowledge.connectors.connector import Connector
from bot.knowledge.connectors.files import files_at
from bot.knowledge.documents import Embedder, Embedders
from bot.knowledge.lock_store import source_lock
from bot.knowledge.sandbox.limits import Limits
from bot.knowledge.syncing.document_writer import StoredSource
from bot.knowledge.syncing.source_sync import SourceSync
from bot.knowledge.syncing.tally import Ingested, Progress, Tally, summed
from bot.postgres.pool import Database
from bot.runtime import looking

_LOOK_SECONDS: Final = 0.5
"""Between looks whether the source that is being read was paused."""

_logger = structlog.stdlib.get_logger(__name__)

Only: TypeAlias = Literal["known", "reported"]
ProgressOf: TypeAlias = Callable[[str], AbstractContextManager[Progress]]
"""Returns what shows the progress of a source while the source is read."""


@dataclass(frozen=True, kw_only=True)
class IngestOptions:
    """How sources are read and embedded."""

    limits: Limits = field(default_factory=Limits)
    at_once: int = 2
    """Sources that are read at the same time."""
    progress_of: ProgressOf = lambda _source: nullcontext(lambda _done, _all, _path, _passages: None)
    embedder_of: Embedders | None = None
    """Embeds if another model serves than the embedder's; without it, this is an error."""


_USUAL: Final = IngestOptions()


async def ingest(
    database: Database, embedder: Embedder, workspace: str, paths: list[Path], options: IngestOptions = _USUAL
) -> Ingested:
    """Ingest each folder or file as one source. Raises `KnowledgeError` if one does not exist."""
    return await sync(database, embedder, workspace, files_at(paths), options)


async def sync(
    database: Database,
    embedder: Embedder,
    workspace: str,
    connectors: Sequence[Connector],
    options: IngestOptions = _USUAL,
    *,
    only: Only | None = None,
) -> Ingested:
    """Synchronise the sources, several at a time. A source that cannot be read keeps its documents.

    `embedder` embeds for a workspace without documents, and as long as its model serves.

    `only` known sources: skip one that was removed in the meantime. Otherwise it would return as a new source, which
    everyone may read. It also skips one that another process is reading; else it waits for this process. `only` what
    was reported: of known sources, read only documents whose changes were reported or that failed last time.

    If the database fails one source, the others are read, and then the error is raised.
    """
    room = asyncio.Semaphore(options.at_once)

    async def synced(connector: Connector) -> Ingested:
        async with room, _closing(connector):
            return await _sync_one(database, embedder, workspace, connector, options, only=only)

    ends = await asyncio.gather(*map(synced, connectors), return_exceptions=True)
    outcome = summed(_raised(end) for end in ends)
    _logger.info("knowledge_ingested", workspace=workspace, **outcome.counts())
    return outcome


def _raised(end: Ingested | BaseException) -> Ingested:
    if isinstance(end, BaseException):
        raise end
    return end


async def _sync_one(
    database: Database,
    embedder: Embedder,
    workspace: str,
    connector: Connector,
    options: IngestOptions,
    *,
    only: Only | None,
) -> Ingested:
    location = connector.location
    with options.progress_of(location) as progress:
        tally = Tally(progress)
        async with (
            database.session() as connection,
            source_lock(connection, workspace, location, waits=only is None) as is_ours,
        ):
            if not is_ours:
                tally.outcome.busy.append(location)
                return tally.outcome
            source = StoredSource(connection=connection, workspace=workspace, location=location)
            one = SourceSync(source, connector, embedder, options.embedder_of, limits=options.limits, tally=tally)
            if only is not None and not await one.is_known():
                return tally.outcome
            async with _until_paused(database, workspace, location) as limit:
                await one.run(only_reported=only == "reported")
            if limit.expired():
                tally.warn(location, "It was paused, so its reading ended. What was read is stored.")
        return tally.outcome


@asynccontextmanager
async def _until_paused(database: Database, workspace: str, location: str) -> AsyncGenerator[asyncio.Timeout]:
    """End the block, and let the yielded limit expire, if somebody pauses the source. A paused one may be read."""
    limit = asyncio.timeout(None)

    async def is_paused() -> bool:
        async with database.transaction(workspace) as connection:
            return await source_store.is_paused(connection, location)

    async def look() -> bool:
        if await is_paused():
            limit.reschedule(asyncio.get_running_loop().time())
        return False

    if await is_paused():
        yield limit
        return
    try:
        async with limit, looking(look, name="pause", every_seconds=_LOOK_SECONDS, failure="pause_not_seen"):
            yield limit
    except TimeoutError:
        if not limit.expired():
            raise


@asynccontextmanager
async def _closing(connector: Connector) -> AsyncGenerator[None]:
    """Close a connector in the end. If it breaks then, everything is stored already."""
    try:
        yield
    finally:
        try:
            await connector.aclose()
        except Exception as error:  # noqa: BLE001 — somebody else's code; what was read is stored already.
            _logger.warning("connector_broke", source=connector.location, error=type(error).__name__)
