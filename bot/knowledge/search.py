"""Searches passages by words and by meaning, in one statement."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
import structlog

from bot.audience import ALL, Names
from bot.errors import StandbyError
from bot.knowledge import search_store
from bot.knowledge.audience_store import Reader, reading_as, transaction_as
from bot.knowledge.documents import Embedder, Embedders, Matrix
from bot.knowledge.embeddings.store import serving_model
from bot.links import vouched_in, vouched_page
from bot.postgres.pool import Connection, Database
from bot.postgres.standby import Standby
from graph.context import ModelError
from graph.documents.copies import collapse
from graph.documents.versions import replacement
from graph.passages import DocumentFilter, Passage, Topics, contextual
from graph.search import LONGEST_QUERY

T = TypeVar("T")

CANDIDATES = 50
"""Passages from each of full-text and embedding search, before fusion."""
EXACT_BELOW = 20_000
"""With fewer readable passages, comparing all vectors takes no longer than the index, and finds all that are near."""
INDEX_EFFORT = 1_000
"""Entries of the index that are compared (`hnsw.ef_search`), the most that pgvector allows: see docs/scale.md."""
_ABBREVIATION = 2
"""The most letters of a folder's name that counts as an abbreviation."""

Searching: TypeAlias = tuple[Connection, search_store.SearchView]
"""A connection to search on, and what was there to be searched just before."""

Vectors: TypeAlias = tuple[tuple[str, Matrix], ...]
"""Texts as they were embedded, with their vectors."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What a search found."""

    view: search_store.SearchView
    """What the result depends on."""
    passages: list[Passage]
    vectors: Vectors
    """The stored vectors of the passages."""


async def everything() -> Names:
    """Read all documents, as in the terminal and in evaluations."""
    return ALL


def once(read: Callable[[], Awaitable[T]]) -> Callable[[], Awaitable[T]]:
    """Return a function that reads once, so that everything in one run sees the same, such as the asker's names."""
    reading, known = asyncio.Lock(), list[T]()

    async def result() -> T:
        async with reading:
            if not known:
                known.append(await read())
            return known[0]

    return result


class Library:
    """What one asker may read in one workspace, during one run: their names and the outline stay the same."""

    def __init__(
        self,
        database: Database,
        workspace: str,
        *,
        reader: Reader,
        link_hosts: Collection[str] = (),
        standby: Standby | None = None,
    ) -> None:
        self._database = database
        self._standby = standby
        self._workspace = workspace
        self._reader = once(reader)
        self.link_hosts = link_hosts
        self.outline = once(self._read_outline)
        """Returns what the asker may read at all: topics, languages, kinds of places, whether answers were kept."""

    def reading(self) -> AbstractAsyncContextManager[Connection]:
        """Lend a connection that reads as the asker, in one round trip. The names' audiences are read each time."""
        return reading_as(self._database, self._workspace, self._reader)

    async def view(self) -> search_store.SearchView:
        """Return what a search would depend on now."""
        names = await self._reader()
        async with self._database.one_statement(self._workspace) as connection:
            return await search_store.view_as(connection, names)

    @asynccontextmanager
    async def searching(self) -> AsyncGenerator[Searching]:
        """Lend a connection that reads as the asker, with the view that a search there belongs to."""
        async with self.reading() as connection:
            yield connection, await search_store.view_of(connection)

    @asynccontextmanager
    async def searching_standby(self) -> AsyncGenerator[Searching]:
        """Lend a connection to the standby, which reads as the asker what the primary would show.

        Raises `StandbyError` if there is none, if it fails, or if it has not repeated every change that a search of the
        workspace depends on: a revocation must hold on the next question.
        """
        if self._standby is None:
            raise StandbyError
        due = await self.view()
        async with (
            self._standby.reading() as database,
            reading_as(database, self._workspace, self._reader) as connection,
        ):
            view = await search_store.view_of(connection)
            if view != due:
                structlog.get_logger().info("standby_behind")
                raise StandbyError
            yield connection, view

    @asynccontextmanager
    async def writing(self) -> AsyncGenerator[Connection]:
        """Lend a transaction that reads as the asker, and may write."""
        names = await self._reader()
        async with transaction_as(self._database, self._workspace, names) as connection:
            yield connection

    async def _read_outline(self) -> search_store.Outline:
        async with self.reading() as connection:
            return await search_store.outline(connection)


class Search:
    """The retriever of one asker in one workspace (`graph.context.Retriever`)."""

    def __init__(
        self,
        library: Library,
        embedder: Embedder,
        *,
        exact_below: int = EXACT_BELOW,
        embedder_of: Embedders | None = None,
    ) -> None:
        self._library = library
        self._embedder = embedder
        self._exact_below = exact_below
        self._embedder_of = embedder_of
        self.by_words = False

    @property
    def model(self) -> str:
        """The id of the embedding model."""
        return self._embedder.model

    async def search(self, query: str, *, limit: int, only: DocumentFilter | None = None) -> list[Passage]:
        """Return up to `limit` passages, best first, fused from words and meaning, near-identical ones once."""
        return (await self.search_with_view(query, limit=limit, only=only)).passages

    async def search_with_view(self, query: str, *, limit: int, only: DocumentFilter | None) -> Finding:
        """Search, and return also the view that the result belongs to."""
        query = query[:LONGEST_QUERY].replace("\0", " ")
        while True:
            vector = await self._vector(query)
            sought = search_store.SearchRequest(query=query, vector=vector, model=self._embedder.model, only=only)
            try:
                view, found, serving = await self._look(self._library.searching_standby(), sought)
            except StandbyError:
                view, found, serving = await self._look(self._library.searching(), sought)
            if await self._has(serving):
                return self._handed_over(view, found, limit)

    async def _vector(self, query: str) -> Matrix | None:
        """Return what the query means; `None` if the model fails, because words alone find most."""
        try:
            return await asyncio.to_thread(self._embedder.embed_query, query)
        except ModelError:
            self.by_words = True
            return None

    async def view(self) -> search_store.SearchView:
        """Return what a search would depend on now."""
        return await self._library.view()

    def remember(self, vectors: Vectors) -> None:
        """Cache the vectors of found passages, because ranking and grading need them again."""
        for text, vector in vectors:
            self._embedder.remember(text, vector)

    async def still_there(self, ids: list[int]) -> set[int]:
        """Return the ids that still exist and that the asker may read. A changed document has new ids."""
        async with self._library.reading() as connection:
            return await search_store.passages_there(connection, ids)

    def _vouched(self, passage: Passage, site: str | None) -> Passage:
        """Keep only addresses that people may click."""
        url = vouched_page(passage.get("url"), self._library.link_hosts, site)
        return {**passage, "url": url, "links": vouched_in(passage["text"], self._library.link_hosts)}

    async def _has(self, serving: str | None) -> bool:
        """Tell whether the embedder is the serving model's. Else take that one."""
        if self._embedder_of is None or serving in {None, self._embedder.model}:
            return True
        assert serving is not None
        self._embedder = await asyncio.to_thread(self._embedder_of, serving)
        return False

    async def _look(
        self, searching: AbstractAsyncContextManager[Searching], sought: search_store.SearchRequest
    ) -> tuple[search_store.SearchView, list[search_store.Found], str | None]:
        """Return what is found, the view before it, and the model that serves after it."""
        async with searching as (connection, view):
            found = await self._found(connection, sought)
            # Asked after the search, because a model's vectors are removed as soon as another one serves.
            return view, found, await serving_model(connection)

    async def _found(self, connection: Connection, sought: search_store.SearchRequest) -> list[search_store.Found]:
        """Return what is found. An evaluation overrides this, to leave one side out."""
        await search_store.tune_index(connection, INDEX_EFFORT)
        return await search_store.search_passages(
            connection, sought, candidates=CANDIDATES, exact_below=self._exact_below
        )

    def _handed_over(self, view: search_store.SearchView, found: list[search_store.Found], limit: int) -> Finding:
        sites = {row.id: row.site for row in found}
        kept = [self._vouched(passage, sites[passage["id"]]) for passage in _with_newer(found)[:limit]]
        vectors = _vectors(found, {passage["id"] for passage in kept})
        self.remember(vectors)
        return Finding(view=view, passages=kept, vectors=vectors)

    async def topics(self) -> Topics:
        """Return up to eight short names of what the documents cover, and how many more there are."""
        outline = await self._library.outline()
        named = [_readable(name) for name in outline.topics]
        return Topics(named, more=outline.topic_count - len(named))

    async def languages(self) -> list[str]:
        """Return the languages of the documents, the most frequent first."""
        return (await self._library.outline()).languages


def _vectors(found: list[search_store.Found], ids: set[int]) -> Vectors:
    return tuple(
        (contextual(row.title, row.heading_path, row.text), row.embedding.to_numpy().astype(np.float32))
        for row in found
        if row.id in ids and row.embedding is not None
    )


def _with_newer(found: list[search_store.Found]) -> list[Passage]:
    """Return the passages, near-identical ones once, each old version followed by a newer one that was not found."""
    namesakes = [_passage(row) for row in found if row.namesake]
    passages: list[Passage] = []
    for passage in collapse([_passage(row) for row in found if not row.namesake]):
        newer = replacement(passage, namesakes)
        passages.append(passage)
        if newer is not None and newer not in passages:
            passages.append(newer)
    return passages


def _passage(row: search_store.Found) -> Passage:
    passage = Passage(
        id=row.id,
        document_id=row.document_id,
        title=row.title,
        path=row.path,
        heading_path=row.heading_path,
        text=row.text,
        language=row.language,
        url=row.url,
        dated=row.dated.isoformat() if row.dated else None,
        attributes=row.attributes,
        score=row.score,
        word_match=row.word_match,
    )
    if row.is_restricted:
        passage["restricted"] = True
    if row.stale_after_days:
        passage["stale_after_days"] = row.stale_after_days
    if row.flagged_on and row.flagged_as:
        passage["flagged_on"], passage["flagged_as"] = row.flagged_on.isoformat(), row.flagged_as
    return passage


def _readable(name: str) -> str:
    plain = name.replace("-", " ").replace("_", " ").strip()
    # Folders like "it" or "hr" are abbreviations.
    return plain.upper() if len(plain) <= _ABBREVIATION else plain[:1].upper() + plain[1:]
