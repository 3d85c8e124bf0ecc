"""Synchronises one source: asks it what changed, reads that, stores it, and keeps its place."""

from collections.abc import Collection
from contextlib import aclosing
from functools import partial
from typing import Final

from bot.audience import Names, known_names
from bot.errors import KnowledgeError
from bot.knowledge import audience_store, source_store, store
from bot.knowledge.connectors.connector import Changes, Connector, KnowsAll, KnowsReaders, LimitsReaders, NoTextError
from bot.knowledge.documents import Embedder, Embedders, ReadDocument
from bot.knowledge.embeddings.store import hold_serving_model
from bot.knowledge.readers.formats import NAMED
from bot.knowledge.sandbox.limits import Limits
from bot.knowledge.syncing.connector_answers import (
    checked,
    require_changes,
    require_names,
    require_readers,
    require_texts,
)
from bot.knowledge.syncing.document_writer import DocumentWriter, StoredSource
from bot.knowledge.syncing.reading import READING, OldError, Outcome, SourceReader
from bot.knowledge.syncing.tally import Tally
from bot.postgres.pool import Connection
from graph.context import ModelError
from graph.text.invisible import escaped, in_one_line

_BATCH_PASSAGES: Final = 64
"""Passages embedded and stored together; one document may have more."""
_MOST_RULES: Final = 1_000
"""Parts of a source whose readers it may name: each search reads the ids of all that are readable."""
_STAMP: Final = f"{READING} "
"""Before a stored cursor. If the version of reading changed, all documents are read again."""


class SourceSync:
    """The synchronisation of one source."""

    def __init__(
        self,
        source: StoredSource,
        connector: Connector,
        embedder: Embedder,
        embedder_of: Embedders | None,
        *,
        limits: Limits,
        tally: Tally,
    ) -> None:
        self._source = source
        self._connector = connector
        self._limits = limits
        self._tally = tally
        self._writer = DocumentWriter(source, embedder, embedder_of, tally, self._fail)
        self._failures: dict[str, str] = {}
        self._without_text: list[str] = []
        self._known_before: frozenset[str] = frozenset()
        self._skipped: dict[str, str] = {}
        self._are_readers_known = False
        self._too_old = ""

    async def is_known(self) -> bool:
        """Tell whether the source is stored."""
        async with self._source.transaction() as connection:
            return await source_store.id_of(connection, self._source.location) is not None

    async def run(self, *, only_reported: bool) -> None:
        """Read what changed since the last time, part by part; or only what was reported, and what failed last time."""
        reader, cursor, failed = await self._begin()
        try:
            await self._limit_readers()
            if only_reported:
                await self._sync_changes(reader, Changes(paths=[], gone=[], cursor=cursor), failed, is_all=False)
                return
            has_more = True
            while has_more:
                changes = await self._changes(cursor)
                await self._follow_readers()
                await self._sync_changes(reader, changes, failed, is_all=True)
                if not changes.has_more:
                    await self._remove_unlisted()
                cursor, failed, has_more = changes.cursor, [], changes.has_more
        except (KnowledgeError, ModelError) as error:
            await self._give_up(_reason(error), is_all=not only_reported)

    async def _begin(self) -> tuple[SourceReader, str, list[str]]:
        """Return what reads documents, the cursor, and what failed, was reported or can be read whole by now.

        That is read with the first part.
        """
        source = self._source
        async with source.transaction() as connection:
            source.id = await source_store.add_source(
                connection, source.workspace, source.location, self._connector.kind
            )
            await source_store.delete_old(connection)
            # Before the documents: a report deletes its document, which must not count as known and unchanged.
            source.reported = await source_store.reported_of(connection, source.id)
            source.known = await store.hashes_of(connection, source.id)
            progress = await source_store.progress_of(connection, source.id)
            model = self._writer.embedder.model
            self._writer.use_model(await hold_serving_model(connection, source.workspace, model))
        self._known_before = frozenset(source.known)
        self._too_old = f"older than {progress.delete_after_days} days"
        reader = SourceReader(
            connector=self._connector,
            limits=self._limits,
            oldest=progress.oldest,
            count_tokens=self._writer.count_tokens,
            hashes=source.known,
            report=partial(self._tally.report, what="pages recognised"),
        )
        again = dict.fromkeys([*progress.failed, *source.reported, *reader.unfinished()])
        return reader, _unstamped(progress.cursor), [*again]

    async def _limit_readers(self) -> None:
        """Take the documents from readers to whom the source is closed now."""
        if not isinstance(self._connector, LimitsReaders):
            return
        most = await checked(self._source.location, self._connector.most_readers(), require_names)
        if most is None:
            return
        async with self._source.transaction() as connection:
            withdrawn = await audience_store.share_at_most(connection, self._source.id, most)
        if withdrawn:
            self._tally.warn(self._source.location, "It is private now, so only its members read it from now on.")

    async def _changes(self, cursor: str) -> Changes:
        changes = await checked(self._source.location, self._connector.changes(cursor), require_changes)
        if changes.has_more and changes.cursor == cursor:
            raise KnowledgeError("Its connector does not get on: it wants to be asked again with the same cursor.")
        return changes

    async def _follow_readers(self) -> None:
        """Give the documents the readers that the source names, if it does, before another one is stored."""
        if self._are_readers_known or not isinstance(self._connector, KnowsReaders):
            return
        audiences = await checked(self._source.location, self._connector.audiences(), require_readers)
        if len(audiences) > _MOST_RULES:
            raise KnowledgeError(f"It names readers of more than {_MOST_RULES} parts: name folders instead.")
        readers: dict[str, Names] = {}
        for path, words in audiences.items():
            readers[path.strip("/")], unknown = known_names(words)
            if unknown:
                self._tally.warn(path or self._source.location, f"{unknown[0]} is no name in Slack, so it is nobody.")
        async with self._source.transaction() as connection:
            await audience_store.share_as_said(connection, self._source.id, readers)
        self._are_readers_known = True

    async def _remove_unlisted(self) -> None:
        """Remove what the source does not list any more, if it can list everything."""
        if not isinstance(self._connector, KnowsAll):
            return
        listed = await checked(self._source.location, self._connector.ids(), require_texts)
        self._require_some(listed)
        async with self._source.transaction() as connection:
            # A list may lag behind what was read now.
            await self._remove(connection, self._known_before - {*listed})

    async def _sync_changes(self, reader: SourceReader, changes: Changes, failed: list[str], *, is_all: bool) -> None:
        """Store a part of the changes, and then how far it was read."""
        await self._remove_gone(changes)
        again = [*dict.fromkeys([*failed, *self._source.known])] if changes.known_too else failed
        paths = await self._without_forgotten(_paths_to_read(changes, again))
        reader.saved = changes.saved
        self._tally.count_skipped({path: why for path, why in changes.skipped.items() if path not in self._skipped})
        self._skipped.update(changes.skipped)
        self._tally.expect(len(paths))
        is_known = self._known_before or self._source.known
        if is_all and not paths and not changes.others and not is_known and not changes.has_more:
            self._tally.expect(1)
            self._tally.fail(self._source.location, f"It holds no readable file: give {NAMED}.")
        await self._read_and_store(reader, paths)
        await self._store_progress(changes, is_last=is_all and not changes.has_more)

    async def _without_forgotten(self, paths: list[str]) -> list[str]:
        """Return the paths without documents that were forgotten on request."""
        async with self._source.transaction() as connection:
            forgotten = await source_store.forgotten_of(connection, self._source.id, paths)
        return [path for path in paths if path not in forgotten]

    async def _give_up(self, why: str, *, is_all: bool) -> None:
        self._tally.expect(1)
        self._tally.fail(self._source.location, why)
        async with self._source.transaction() as connection:
            await source_store.note_error(connection, self._source.id, why, puts_off=is_all)
            await store.remove_source_if_empty(connection, self._source.id)

    async def _store_progress(self, changes: Changes, *, is_last: bool) -> None:
        """Record how far the source was read, together with the documents that turned out to be empty."""
        cursor = f"{_STAMP}{changes.cursor}"
        async with self._source.transaction() as connection:
            await source_store.settle_reported(connection, self._source.id, self._source.reported.values())
            await self._remove(connection, self._without_text)
            self._without_text = []
            await source_store.note_progress(connection, self._source.id, cursor=cursor, failures=self._failures)
            if is_last:
                await source_store.conclude(connection, self._source.id, self._skipped)
                # A location without readable documents becomes a source only with its first document.
                await store.remove_source_if_empty(connection, self._source.id)

    async def _read_and_store(self, reader: SourceReader, paths: list[str]) -> None:
        waiting: list[ReadDocument] = []
        async with aclosing(reader.read_ahead(paths)) as read:
            async for path, outcome in read:
                read_now = self._count(path, outcome)
                if waiting and sum(len(one.pieces) for one in (*waiting, *read_now)) > _BATCH_PASSAGES:
                    # Store the documents read so far before a book, which takes minutes.
                    await self._writer.write(waiting)
                    waiting = []
                waiting += read_now
        await self._writer.write(waiting)

    async def _remove_gone(self, changes: Changes) -> None:
        if changes.gone is None:
            there = {*changes.paths, *changes.others}
            # A volume that is not mounted holds no files of other formats either.
            self._require_some([*there, *(changes.skipped.keys() - {*changes.unread})])
            unread = tuple(changes.unread)
            paths = [path for path in self._source.known if path not in there and not path.startswith(unread)]
        else:
            paths = changes.gone
        async with self._source.transaction() as connection:
            await self._remove(connection, paths)

    def _require_some(self, listed: Collection[str]) -> None:
        """Raise `KnowledgeError` if a source of several documents lists none: a volume may not be mounted."""
        known = len(self._known_before & self._source.known.keys())
        if known > 1 and not listed:
            raise KnowledgeError(
                f"It lists no document any more, so all {known} stay: bring them back (is its volume mounted?),"
                " or remove it (`askback sources remove`)."
            )

    async def _remove(self, connection: Connection, paths: Collection[str]) -> None:
        removed = sorted(await store.remove_documents(connection, self._source.id, paths))
        self._tally.count_removed(removed)
        for path in removed:
            self._source.known.pop(path, None)

    def _count(self, path: str, outcome: Outcome) -> list[ReadDocument]:
        """Return the document if it changed; otherwise count why there is nothing to store."""
        # A file that cannot be read keeps its old passages.
        if isinstance(outcome, NoTextError):
            why = self._too_old if isinstance(outcome, OldError) else "without text"
            self._without_text.append(path)
            self._skipped[path] = why
            self._tally.skip(path, why)
        elif isinstance(outcome, KnowledgeError):
            self._fail(path, outcome)
        elif outcome is None:
            self._tally.count_unchanged(path)
        else:
            return [outcome]
        return []

    def _fail(self, path: str, error: KnowledgeError) -> None:
        self._failures[path] = _reason(error)
        self._tally.fail(path, self._failures[path])


def _paths_to_read(changes: Changes, failed: list[str]) -> list[str]:
    """Return what may have changed, and what failed last time and is still there."""
    there = ({*changes.others} if changes.gone is None else {*failed} - {*changes.gone}) - {*changes.paths}
    return [*changes.paths, *(path for path in failed if path in there)]


def _reason(error: Exception) -> str:
    """Return why something failed in one line that can be stored: a server or a file's name may have a part in it."""
    return escaped(in_one_line(str(error)))


def _unstamped(kept: str) -> str:
    return kept.removeprefix(_STAMP) if kept.startswith(_STAMP) else ""
