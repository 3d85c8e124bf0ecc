"""Brings a workspace's passages in line with folders and files: what did not change costs nothing."""

import asyncio
import hashlib
from collections import Counter, deque
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from itertools import accumulate, islice
from pathlib import Path
from typing import TypeAlias

import numpy as np
import structlog
from psycopg import DataError
from psycopg.errors import ProgramLimitExceeded

from bot.audience import ALL
from bot.errors import KnowledgeError
from bot.knowledge import audience_store, store
from bot.knowledge.documents import Document, Embedder, Matrix, Piece
from bot.knowledge.formats import NAMED
from bot.knowledge.links import host_of
from bot.knowledge.read import (
    content_of,
    document_of,
    find_files,
    parsed_of,
    path_below,
)
from bot.knowledge.sandbox.limits import Limits
from bot.knowledge.split import passages_of
from bot.knowledge.tally import Ingested, Progress, Tally
from bot.postgres.pool import Connection, Database, enter_workspace
from graph.passages import contextual

_READING = "6"
"""Raised when reading or splitting changes, so that every document is read again."""
_AT_ONCE = 16
"""Passages that are embedded in one go: about a second's work."""
_BATCH_PASSAGES = 64
"""Passages that are embedded and stored together, unless one document has more."""

_LIMITS = Limits()

_logger = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class _Waiting:
    document: Document
    hash: str
    pieces: list[Piece]


_Outcome: TypeAlias = _Waiting | KnowledgeError | None
"""What was read, why it was not, or nothing, for the file has not changed."""


async def ingest(
    database: Database,
    embedder: Embedder,
    workspace: str,
    paths: list[Path],
    *,
    progress: Progress = lambda _done, _all, _path: None,
    limits: Limits = _LIMITS,
) -> Ingested:
    """Ingest each folder or file as a source of its own; raise `KnowledgeError` where one does not exist."""
    sources = [(path.resolve(), await asyncio.to_thread(find_files, path.resolve())) for path in paths]
    skipped = sum((found.skipped for _, found in sources), Counter[str]())
    tally = Tally(sum(max(1, len(found.files)) for _, found in sources), skipped, progress)
    for source, found in sources:
        if not found.files:
            tally.fail(str(source), KnowledgeError(f"It holds nothing that can be read: give {NAMED}."))
        async with database.connection() as connection, store.source_lock(connection, workspace, str(source)):
            one = _Source(connection, embedder, workspace, source, tally=tally, limits=limits)
            await one.ingest(found.files)
    _logger.info("knowledge_ingested", workspace=workspace, **tally.counts())
    return tally.outcome


class _Source:
    """One folder or file that is being ingested."""

    def __init__(
        self,
        connection: Connection,
        embedder: Embedder,
        workspace: str,
        location: Path,
        *,
        tally: Tally,
        limits: Limits,
    ) -> None:
        self._connection = connection
        self._embedder = embedder
        self._workspace = workspace
        self._location = location
        self._tally = tally
        self._limits = limits
        self._id = 0
        self._known: dict[str, store.StoredDocument] = {}

    async def ingest(self, files: list[Path]) -> None:
        async with self._transaction():
            self._id = await store.add_source(self._connection, self._workspace, str(self._location))
            self._known = await store.documents_of(self._connection, self._id)
        await self._remove_all_but({path_below(self._location, file) for file in files})
        waiting: list[_Waiting] = []
        async with aclosing(self._read_ahead(files)) as read:
            async for path, outcome in read:
                read_now = self._noted(path, outcome)
                if waiting and sum(len(one.pieces) for one in (*waiting, *read_now)) > _BATCH_PASSAGES:
                    # A book takes minutes; what was read before it is stored by then.
                    await self._store(waiting)
                    waiting = []
                waiting += read_now
        await self._store(waiting)
        async with self._transaction():
            # What holds nothing that can be read is no source; it becomes one with its first document.
            await store.remove_source_if_empty(self._connection, self._id)

    async def _remove_all_but(self, paths: set[str]) -> None:
        gone = [document.id for path, document in self._known.items() if path not in paths]
        async with self._transaction():
            await store.remove_documents(self._connection, gone)
        self._tally.remove(len(gone))

    async def _read_ahead(self, files: list[Path]) -> AsyncGenerator[tuple[str, _Outcome]]:
        """Yield what became of each file, in their order, while the next ones are read."""
        left = iter(files)
        reading: deque[tuple[str, asyncio.Task[_Outcome]]] = deque()
        try:
            while True:
                for file in islice(left, self._limits.at_once - len(reading)):
                    path = path_below(self._location, file)
                    reading.append((path, asyncio.create_task(self._read(path, file))))
                if not reading:
                    return
                path, task = reading.popleft()
                yield path, await task
        finally:
            for _, task in reading:
                task.cancel()
            await asyncio.gather(*(task for _, task in reading), return_exceptions=True)

    async def _read(self, path: str, file: Path) -> _Outcome:
        known = self._known.get(path)
        try:
            return await self._prepare(path, file, known.hash if known else None)
        except KnowledgeError as error:
            return error
        except Exception as error:  # noqa: BLE001
            # Whatever is wrong with one file, the others are read; what it holds does not go into the log.
            _logger.warning("file_not_read", path=path, error=type(error).__name__)
            return KnowledgeError(f"Its content cannot be read ({type(error).__name__}): simplify it.")

    def _noted(self, path: str, outcome: _Outcome) -> list[_Waiting]:
        # A file that broke keeps the passages it had.
        if isinstance(outcome, KnowledgeError):
            self._tally.fail(path, outcome)
        elif outcome is None:
            self._tally.pass_over(path)
        else:
            return [outcome]
        return []

    async def _prepare(self, path: str, file: Path, known_hash: str | None) -> _Waiting | None:
        content = await asyncio.to_thread(content_of, file, self._limits)
        digest = hashlib.sha256(f"{_READING}\n{self._embedder.model}\n".encode() + content).hexdigest()
        if digest == known_hash:
            return None
        parsed = await parsed_of(path, content, self._limits)
        document = await asyncio.to_thread(document_of, path, parsed)
        return _Waiting(document=document, hash=digest, pieces=await self._split(document))

    async def _split(self, document: Document) -> list[Piece]:
        """Split a few passages at a time: a thread cannot be stopped, and Ctrl-C would wait for all of a book."""
        left = passages_of(document, self._embedder.count_tokens)
        pieces: list[Piece] = []
        while some := await asyncio.to_thread(lambda: list(islice(left, _BATCH_PASSAGES))):
            pieces += some
        return pieces

    async def _store(self, waiting: list[_Waiting]) -> None:
        texts = [
            contextual(one.document.title, piece.heading_path, piece.text) for one in waiting for piece in one.pieces
        ]
        if not texts:
            return
        vectors = await self._embedded(texts, waiting[-1].document.path)
        ends = list(accumulate(len(one.pieces) for one in waiting))
        for one, end in zip(waiting, ends, strict=True):
            prepared = store.Prepared(
                document=one.document, hash=one.hash, pieces=one.pieces, vectors=vectors[end - len(one.pieces) : end]
            )
            await self._replace(prepared)

    async def _embedded(self, texts: list[str], path: str) -> Matrix:
        """Return a vector a text; a few at a time, so that one may watch, and stop, the reading of a book."""
        vectors: list[Matrix] = []
        for begins in range(0, len(texts), _AT_ONCE):
            self._tally.tell(path, begins, len(texts))
            vectors.append(await asyncio.to_thread(self._embedder.embed_passages, texts[begins : begins + _AT_ONCE]))
        return np.concatenate(vectors)

    async def _replace(self, prepared: store.Prepared) -> None:
        path = prepared.document.path
        try:
            async with self._transaction():
                await store.replace_document(
                    self._connection, self._workspace, self._id, prepared, self._embedder.model
                )
        except (DataError, ProgramLimitExceeded, UnicodeEncodeError) as error:
            self._tally.fail(path, KnowledgeError(f"The database refuses its text: {error}. Save it as plain UTF-8."))
        else:
            self._tally.count(path, known=path in self._known, host=host_of(prepared.document.url or ""))
            for notice in prepared.document.notices:
                self._tally.warn(path, notice)

    @asynccontextmanager
    async def _transaction(self) -> AsyncGenerator[None]:
        async with self._connection.transaction():
            await enter_workspace(self._connection, self._workspace)
            await audience_store.read_as(self._connection, ALL)
            yield
