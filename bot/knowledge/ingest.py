"""Synchronises a workspace's passages with its sources. Unchanged documents cost nothing."""

import asyncio
import hashlib
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, aclosing, asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate, islice
from pathlib import Path
from typing import Final, Literal, TypeAlias, TypeVar, cast
from uuid import UUID

import numpy as np
import structlog
from psycopg import DataError
from psycopg.errors import ProgramLimitExceeded

from bot.audience import ALL, Names, known_names
from bot.errors import KnowledgeError
from bot.knowledge import audience_store, source_store, store
from bot.knowledge.connectors.connector import Changes, Connector, KnowsAll, KnowsReaders, NoTextError
from bot.knowledge.connectors.files import files_at
from bot.knowledge.dates import date_of
from bot.knowledge.documents import Document, Embedder, Embedders, Matrix, Piece
from bot.knowledge.embeddings.store import StoredVectors, hold_serving_model, vectors_of
from bot.knowledge.read import document_of, parsed_of
from bot.knowledge.readers.formats import NAMED
from bot.knowledge.sandbox.limits import Limits
from bot.knowledge.split import passages_of
from bot.knowledge.tally import Ingested, Progress, Tally, summed
from bot.links import host_of
from bot.postgres.pool import Connection, Database, enter_workspace
from bot.runtime import abandonable, looking
from graph.context import ModelError
from graph.passages import contextual

_READING = "10"
"""The version of reading and splitting. If it grows, every document is read again."""
_AT_ONCE = 16
"""Passages embedded in one call: about a second's work."""
_BATCH_PASSAGES = 64
"""Passages embedded and stored together; one document may have more."""
_MOST_RULES: Final = 1_000
"""Parts of a source whose readers it may name: each search reads the ids of all that are readable."""
_LOOK_SECONDS: Final = 0.5
"""Between looks whether the source that is being read was paused."""

T = TypeVar("T")

_logger = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class _Waiting:
    document: Document
    hash: str
    pieces: list[Piece]


ProgressOf: TypeAlias = Callable[[str], AbstractContextManager[Progress]]
"""Returns what shows the progress of a source while the source is read."""
_Outcome: TypeAlias = _Waiting | KnowledgeError | None
"""The document, the reason why it could not be read, or `None` if it has not changed."""


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
    database: Database, embedder: Embedder, workspace: str, connectors: Sequence[Connector],
    options: IngestOptions = _USUAL, *, only: Literal["known", "reported"] | None = None,
) -> Ingested:  # fmt: skip
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
            with options.progress_of(connector.location) as progress:
                tally = Tally(progress)
                await _sync_one(database, embedder, workspace, connector, options=options, tally=tally, only=only)
                return tally.outcome

    ends = await asyncio.gather(*map(synced, connectors), return_exceptions=True)
    outcome = summed(_raised(end) for end in ends)
    _logger.info("knowledge_ingested", workspace=workspace, **outcome.counts())
    return outcome


def _raised(end: Ingested | BaseException) -> Ingested:
    if isinstance(end, BaseException):
        raise end
    return end


async def _sync_one(
    database: Database, embedder: Embedder, workspace: str, connector: Connector, *,
    options: IngestOptions, tally: Tally, only: Literal["known", "reported"] | None,
) -> None:  # fmt: skip
    async with (
        database.session() as connection,
        store.source_lock(connection, workspace, connector.location, waits=only is None) as is_ours,
    ):
        if not is_ours:
            tally.outcome.busy.append(connector.location)
            return
        one = _Sync(connection, embedder, workspace, connector, options=options, tally=tally)
        if only is not None and not await one.is_known():
            return
        try:
            async with _until_paused(database, workspace, connector.location):
                await one.run(only_reported=only == "reported")
        except _PausedError:
            tally.warn(connector.location, "It was paused, so its reading ended. What was read is stored.")


class _OldError(NoTextError):
    """The document is older than its source allows."""


class _PausedError(Exception):
    """The source was paused while it was read."""


@asynccontextmanager
async def _until_paused(database: Database, workspace: str, location: str) -> AsyncGenerator[None]:
    """Cancel the block, and raise `_PausedError`, if somebody pauses the source. One that was paused may be read."""

    async def is_paused() -> bool:
        async with database.transaction(workspace) as connection:
            return await source_store.is_paused(connection, location)

    async def look() -> bool:
        if await is_paused():
            limit.reschedule(asyncio.get_running_loop().time())
        return False

    if await is_paused():
        yield
        return
    limit = asyncio.timeout(None)
    try:
        async with (
            limit,
            looking(look, name="pause", every_seconds=_LOOK_SECONDS, failure="pause_not_seen"),
        ):
            yield
    except TimeoutError as error:
        if not limit.expired():
            raise
        raise _PausedError from error


class _Sync:
    """The synchronisation of one source."""

    def __init__(
        self, connection: Connection, embedder: Embedder, workspace: str, connector: Connector, *,
        options: IngestOptions, tally: Tally,
    ) -> None:  # fmt: skip
        self._connection = connection
        self._embedder = embedder
        self._embedder_of = options.embedder_of
        self._workspace = workspace
        self._connector = connector
        self._tally = tally
        self._limits = options.limits
        self._stamp = f"{_READING} "
        self._id = 0
        self._known: dict[str, store.StoredDocument] = {}
        self._failures: dict[str, str] = {}
        self._emptied: list[str] = []
        self._reported: dict[str, UUID] = {}
        self._saved: Mapping[str, str] = {}
        self._skipped: dict[str, str] = {}
        self._are_readers_known = False
        self._oldest = ""
        self._told_old = ""

    async def is_known(self) -> bool:
        async with self._transaction():
            return await source_store.id_of(self._connection, self._connector.location) is not None

    async def run(self, *, only_reported: bool) -> None:
        async with self._transaction():
            self._id = await source_store.add_source(
                self._connection, self._workspace, self._connector.location, self._connector.kind
            )
            await source_store.delete_old(self._connection)
            # Before the documents: a report deletes its document, which must not count as known and unchanged.
            self._reported = await source_store.reported_of(self._connection, self._id)
            self._known = await store.documents_of(self._connection, self._id)
            progress = await source_store.progress_of(self._connection, self._id)
            self._oldest, self._told_old = progress.oldest, f"older than {progress.delete_after_days} days"
            self._embed_with(await hold_serving_model(self._connection, self._workspace, self._embedder.model))
        # Documents that failed last time, or whose changes were reported, are read with the first part.
        cursor, failed = self._cursor_in(progress.cursor), [*dict.fromkeys([*progress.failed, *self._reported])]
        if only_reported:
            await self._take(Changes(paths=[], gone=[], cursor=cursor), failed, is_all=False)
        has_more = not only_reported
        while has_more:
            try:
                changes = await self._changes(cursor)
                await self._follow_readers()
                await self._take(changes, failed)
                if not changes.has_more:
                    await self._remove_unlisted()
            except (KnowledgeError, ModelError) as error:
                await self._give_up(KnowledgeError(str(error)))
                return
            cursor, failed, has_more = changes.cursor, [], changes.has_more

    async def _changes(self, cursor: str) -> Changes:
        changes = await self._asked(self._connector.changes(cursor), _require_changes)
        if changes.has_more and changes.cursor == cursor:
            raise KnowledgeError("Its connector does not get on: it wants to be asked again with the same cursor.")
        return changes

    async def _asked(self, answer: Awaitable[T], require: Callable[[T], None]) -> T:
        """Return what the connector answers. Raises `KnowledgeError` if it raises, or if the answer is malformed."""
        try:
            answered = await answer
            require(answered)
        except KnowledgeError:
            raise
        except Exception as error:
            # A connector may be of another package. One that breaks must not stop the others.
            _logger.warning("connector_broke", source=self._connector.location, error=type(error).__name__)
            raise KnowledgeError(f"Its connector broke ({type(error).__name__}): tell its author.") from error
        return answered

    async def _follow_readers(self) -> None:
        """Let the documents be read as the source says, if it does, before another one is stored."""
        if self._are_readers_known or not isinstance(self._connector, KnowsReaders):
            return
        said = await self._asked(self._connector.audiences(), _require_readers)
        if len(said) > _MOST_RULES:
            raise KnowledgeError(f"It names readers of more than {_MOST_RULES} parts: name folders instead.")
        readers: dict[str, Names] = {}
        for path, words in said.items():
            readers[path.strip("/")], unknown = known_names(words)
            if unknown:
                self._tally.warn(
                    path or self._connector.location, f"{unknown[0]} is no name in Slack, so it is nobody."
                )
        async with self._transaction():
            await audience_store.share_as_said(self._connection, self._id, readers)
        self._are_readers_known = True

    async def _remove_unlisted(self) -> None:
        """Remove what the source does not list any more, if it can list everything."""
        if not isinstance(self._connector, KnowsAll):
            return
        listed = await self._asked(self._connector.ids(), _require_texts)
        async with self._transaction():
            await self._remove(self._known.keys() - {*listed})

    async def _take(self, changes: Changes, failed: list[str], *, is_all: bool = True) -> None:
        """Store a part of the changes, and then how far it was read."""
        await self._remove_gone(changes)
        again = [*dict.fromkeys([*failed, *self._known])] if changes.known_too else failed
        paths = await self._wanted(_to_read(changes, again))
        self._saved = changes.saved
        self._skipped.update(changes.skipped)
        self._tally.leave_out(changes.skipped)
        self._tally.expect(len(paths))
        if not paths and not changes.others and not self._known and not changes.has_more:
            self._tally.expect(1)
            self._tally.fail(self._connector.location, KnowledgeError(f"It holds no readable file: give {NAMED}."))
        await self._read_and_store(paths)
        await self._keep_place(changes, is_last=is_all and not changes.has_more)

    async def _wanted(self, paths: list[str]) -> list[str]:
        """Return the paths without documents that were forgotten on request."""
        async with self._transaction():
            forgotten = await source_store.forgotten_of(self._connection, self._id, paths)
        return [path for path in paths if path not in forgotten]

    def _cursor_in(self, kept: str) -> str:
        # If the version changed, all documents are read again.
        return kept.removeprefix(self._stamp) if kept.startswith(self._stamp) else ""

    async def _give_up(self, error: KnowledgeError) -> None:
        self._tally.expect(1)
        self._tally.fail(self._connector.location, error)
        async with self._transaction():
            await source_store.note_error(self._connection, self._id, str(error))
            await store.remove_source_if_empty(self._connection, self._id)

    async def _keep_place(self, changes: Changes, *, is_last: bool) -> None:
        """Record how far the source was read, together with the documents that turned out to be empty."""
        cursor = f"{self._stamp}{changes.cursor}"
        async with self._transaction():
            await source_store.settle_reported(self._connection, self._id, self._reported.values())
            await self._remove(self._emptied)
            self._emptied = []
            await source_store.note_progress(self._connection, self._id, cursor=cursor, failures=self._failures)
            if is_last:
                await source_store.conclude(self._connection, self._id, self._skipped)
                # A location without readable documents becomes a source only with its first document.
                await store.remove_source_if_empty(self._connection, self._id)

    async def _read_and_store(self, paths: list[str]) -> None:
        waiting: list[_Waiting] = []
        async with aclosing(self._read_ahead(paths)) as read:
            async for path, outcome in read:
                read_now = self._noted(path, outcome)
                if waiting and sum(len(one.pieces) for one in (*waiting, *read_now)) > _BATCH_PASSAGES:
                    # Store the documents read so far before a book, which takes minutes.
                    await self._store(waiting)
                    waiting = []
                waiting += read_now
        await self._store(waiting)

    async def _remove_gone(self, changes: Changes) -> None:
        if changes.gone is None:
            there = {*changes.paths, *changes.others}
            paths = [path for path in self._known if path not in there]
        else:
            paths = changes.gone
        async with self._transaction():
            await self._remove(paths)

    async def _remove(self, paths: Iterable[str]) -> None:
        """Remove documents in the caller's transaction."""
        gone = [path for path in paths if path in self._known]
        await store.remove_documents(self._connection, [self._known[path].id for path in gone])
        self._tally.remove(gone)

    async def _read_ahead(self, paths: list[str]) -> AsyncGenerator[tuple[str, _Outcome]]:
        """Yield each document or failure in order, and read the next ones meanwhile."""
        left = iter(paths)
        reading: deque[tuple[str, asyncio.Task[_Outcome]]] = deque()
        try:
            while True:
                for path in islice(left, self._limits.at_once - len(reading)):
                    reading.append((path, asyncio.create_task(self._read(path))))
                if not reading:
                    return
                path, task = reading.popleft()
                yield path, await task
        finally:
            for _, task in reading:
                task.cancel()
            await asyncio.gather(*(task for _, task in reading), return_exceptions=True)

    async def _read(self, path: str) -> _Outcome:
        known = self._known.get(path)
        try:
            return await self._prepare(path, known.hash if known else None)
        except KnowledgeError as error:
            return error
        except Exception as error:  # noqa: BLE001
            # One bad file must not stop the others. The log must not hold its content.
            _logger.warning("file_not_read", path=path, error=type(error).__name__)
            return KnowledgeError(f"Its content cannot be read ({type(error).__name__}): simplify it.")

    def _noted(self, path: str, outcome: _Outcome) -> list[_Waiting]:
        # A file that cannot be read keeps its old passages.
        if isinstance(outcome, NoTextError):
            why = self._told_old if isinstance(outcome, _OldError) else "without text"
            self._emptied.append(path)
            self._skipped[path] = why
            self._tally.skip(path, why)
        elif isinstance(outcome, KnowledgeError):
            self._fail(path, outcome)
        elif outcome is None:
            self._tally.pass_over(path)
        else:
            return [outcome]
        return []

    def _fail(self, path: str, error: KnowledgeError) -> None:
        self._tally.fail(path, error)
        self._failures[path] = str(error)

    async def _prepare(self, path: str, known_hash: str | None) -> _Waiting | None:
        content = await self._connector.content(path, self._limits)
        digest = self._digest(content)
        if known_hash and known_hash.startswith(digest):
            return None
        parsed = await parsed_of(path, content, self._limits)
        document = await asyncio.to_thread(document_of, path, parsed)
        if url := self._connector.url_of(path):
            document = replace(document, url=url)
        # The same text may come in other bytes: a web page may hold a new token each time.
        said = self._digest(repr(document).encode())
        if known_hash and known_hash.endswith(f".{said}"):
            return None
        # Not before: a server may call a page new each time.
        dated = document.dated or date_of({"date": self._saved.get(path, "")}, "", "")
        document = replace(document, dated=dated)
        if dated and dated < self._oldest:
            raise _OldError
        return _Waiting(document=document, hash=f"{digest}.{said}", pieces=await self._split(document))

    def _digest(self, content: bytes) -> str:
        return hashlib.sha256(f"{_READING}\n".encode() + content).hexdigest()

    async def _split(self, document: Document) -> list[Piece]:
        """Split a few passages at a time, because Ctrl-C cannot stop a thread in the middle of a book."""
        left = passages_of(document, self._embedder.count_tokens)
        pieces: list[Piece] = []
        while some := await asyncio.to_thread(lambda: list(islice(left, _BATCH_PASSAGES))):
            pieces += some
        return pieces

    async def _store(self, waiting: list[_Waiting]) -> None:
        texts = [text for one in waiting for text in _texts(one.document, one.pieces)]
        if not texts:
            return
        known = await self._known_vectors(waiting)
        model, vectors = self._embedder.model, await self._embedded(texts, known, waiting[-1].document.path)
        ends = list(accumulate(len(one.pieces) for one in waiting))
        for one, end in zip(waiting, ends, strict=True):
            prepared = store.Prepared(
                document=one.document, hash=one.hash, pieces=one.pieces,
                vectors=vectors[end - len(one.pieces) : end], model=model, known=known,
                change=self._reported.get(one.document.path),
            )  # fmt: skip
            await self._replace(prepared)

    async def _known_vectors(self, waiting: list[_Waiting]) -> StoredVectors:
        async with self._transaction():
            paths = [one.document.path for one in waiting if one.document.path in self._known]
            return await vectors_of(self._connection, self._id, paths)

    async def _embedded(self, texts: list[str], known: StoredVectors, path: str) -> Matrix:
        """Return the texts' vectors. Those without a stored one are embedded, a few at a time for Ctrl-C's sake."""
        vectors = {text: vector.to_numpy() for text, vector in known.get(self._embedder.model, {}).items()}
        new = [text for text in dict.fromkeys(texts) if text not in vectors]
        for begins in range(0, len(new), _AT_ONCE):
            self._tally.tell(path, begins, len(new))
            some = new[begins : begins + _AT_ONCE]
            vectors.update(zip(some, await abandonable(partial(self._embedder.embed_passages, some)), strict=True))
            self._tally.embed(len(some))
        return np.array([vectors[text] for text in texts], dtype=np.float32)

    async def _replace(self, prepared: store.Prepared) -> None:
        path = prepared.document.path
        try:
            while not await self._stored(prepared):
                texts = _texts(prepared.document, prepared.pieces)
                vectors = await self._embedded(texts, prepared.known, path)
                prepared = replace(prepared, vectors=vectors, model=self._embedder.model)
        except (DataError, ProgramLimitExceeded, UnicodeEncodeError) as error:
            self._fail(path, KnowledgeError(f"The database refuses its text: {error}. Save it as plain UTF-8."))
        else:
            # People can open the source's own address anyway.
            host = host_of(prepared.document.url or "")
            host = "" if host == host_of(self._connector.location) else host
            self._tally.count(path, known=path in self._known, host=host)
            for notice in prepared.document.notices:
                self._tally.warn(path, notice)

    async def _stored(self, prepared: store.Prepared) -> bool:
        """Store a document, and return whether its vectors were of the serving model. Else take that model."""
        async with self._transaction():
            serving = await store.replace_document(self._connection, self._workspace, self._id, prepared)
        self._embed_with(serving)
        return serving == prepared.model

    def _embed_with(self, model: str) -> None:
        if model != self._embedder.model:
            if self._embedder_of is None:
                raise KnowledgeError(f"The documents are embedded with {model}, not with {self._embedder.model}.")
            self._embedder = self._embedder_of(model)

    @asynccontextmanager
    async def _transaction(self) -> AsyncGenerator[None]:
        async with self._connection.transaction():
            await enter_workspace(self._connection, self._workspace)
            await audience_store.read_as(self._connection, ALL)
            yield


@asynccontextmanager
async def _closing(connector: Connector) -> AsyncGenerator[None]:
    """Close a connector in the end. If it breaks then, everything is stored already."""
    try:
        yield
    finally:
        try:
            await connector.aclose()
        except Exception as error:  # noqa: BLE001
            _logger.warning("connector_broke", source=connector.location, error=type(error).__name__)


def _texts(document: Document, pieces: Iterable[Piece]) -> list[str]:
    """Return what is embedded of each piece."""
    return [contextual(document.title, piece.heading_path, piece.text) for piece in pieces]


def _require_changes(changes: object) -> None:
    """Raise `TypeError` if a connector returns something else, or texts that are none."""
    if not isinstance(changes, Changes):
        raise TypeError(type(changes).__name__)
    texts = [changes.cursor, *changes.paths, *changes.others, *(changes.gone or ()), *changes.saved.values()]
    texts += [text for skipped in changes.skipped.items() for text in skipped]
    _require_texts(texts)


def _require_texts(texts: object) -> None:
    if isinstance(texts, str) or not isinstance(texts, Collection):
        raise TypeError("It is no collection of texts.")
    if not all(isinstance(text, str) and "\0" not in text for text in cast("Collection[object]", texts)):
        raise TypeError("A path, a name or the cursor is no text.")


def _require_readers(readers: object) -> None:
    if not isinstance(readers, Mapping):
        raise TypeError(type(readers).__name__)
    said = cast("Mapping[object, object]", readers)
    _require_texts([*said])
    for names in said.values():
        _require_texts(names)


def _to_read(changes: Changes, failed: list[str]) -> list[str]:
    """Return what may have changed, and what failed last time and is still there."""
    there = ({*changes.others} if changes.gone is None else {*failed} - {*changes.gone}) - {*changes.paths}
    return [*changes.paths, *(path for path in failed if path in there)]
