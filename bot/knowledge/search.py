"""Finds passages by text and by meaning, in one statement."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from typing import TypeAlias

import numpy as np

from bot.audience import ALL, Names
from bot.knowledge import audience_store, store
from bot.knowledge.collapse import collapse
from bot.knowledge.documents import Embedder
from bot.knowledge.links import host_of, is_vouched, vouched_in
from bot.postgres.pool import Connection, Database
from graph.passages import Passage, contextual
from graph.search import LONGEST_QUERY
from graph.text.versions import replacement

_CANDIDATES = 50
"""Passages from each of text and meaning, before they are fused; of those, the graph wants the best."""
_EXACT_BELOW = 5_000
"""Passages of a workspace up to which comparing all of them is quick, and finds more than the index."""
_TOPICS = 8
_ABBREVIATION = 2
"""Letters of a name that is none of a thing."""

Reader: TypeAlias = Callable[[], Awaitable[Names]]
"""Says by which names of audiences somebody reads, as of now."""


async def everything() -> Names:
    """Read all documents: at the terminal, and to measure."""
    return ALL


class Search:
    """What somebody may read of a workspace's documents, as `graph.context.Retriever`."""

    def __init__(
        self,
        database: Database,
        embedder: Embedder,
        workspace: str,
        *,
        reader: Reader,
        link_hosts: Collection[str] = (),
        exact_below: int = _EXACT_BELOW,
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._workspace = workspace
        self._reader = reader
        self._names: Names | None = None
        self._link_hosts = link_hosts
        self._exact_below = exact_below

    async def search(self, query: str, *, limit: int) -> list[Passage]:
        """Return up to `limit` passages, fused over text and embedding, near-identical ones once, best first."""
        query = query[:LONGEST_QUERY].replace("\0", " ")
        vector = await asyncio.to_thread(self._embedder.embed_query, query)
        async with self._reading() as connection:
            await store.tune_index(connection, _CANDIDATES)
            found = await store.search_passages(
                connection, query, vector, self._embedder.model, candidates=_CANDIDATES, exact_below=self._exact_below
            )
        sites = {row.id: host_of(row.site) for row in found if row.site}
        kept = [self._vouched(passage, sites.get(passage["id"])) for passage in _with_newer(found)[:limit]]
        self._remember(found, {passage["id"] for passage in kept})
        return kept

    async def still_there(self, ids: list[int]) -> set[int]:
        """Return those of some passages' ids that may be read now: a changed document has new ids."""
        async with self._reading() as connection:
            return await store.passages_there(connection, ids)

    def _vouched(self, passage: Passage, site: str | None) -> Passage:
        """Return a passage with the addresses only that people may click; who added a site vouched for its pages."""
        url = passage.get("url")
        links = vouched_in(passage["text"], self._link_hosts)
        may_link = url and (is_vouched(url, self._link_hosts) or host_of(url) == site)
        return {**passage, "url": url if may_link else None, "links": links}

    def _remember(self, found: list[store.Found], ids: set[int]) -> None:
        # Whoever ranks and grades the passages wants their vectors again.
        for row in found:
            if row.id in ids and row.embedding is not None:
                text = contextual(row.title, row.heading_path, row.text)
                self._embedder.remember(text, row.embedding.to_numpy().astype(np.float32))

    async def topics(self) -> list[str]:
        """Return up to eight short names of what the documents cover."""
        async with self._reading() as connection:
            names = await store.topics(connection, _TOPICS)
        return [_readable(name) for name in names]

    @asynccontextmanager
    async def _reading(self) -> AsyncGenerator[Connection]:
        # A search serves one run: who asks keeps their names in it. What is for these is looked up each time.
        if self._names is None:
            self._names = await self._reader()
        async with self._database.at_once(self._workspace) as connection:
            await audience_store.read_as(connection, self._names)
            yield connection


def _with_newer(found: list[store.Found]) -> list[Passage]:
    """Return what was found, near-identical passages once, and behind an old version the newer one that was not."""
    namesakes = [_passage(row) for row in found if row.namesake]
    passages: list[Passage] = []
    for passage in collapse([_passage(row) for row in found if not row.namesake]):
        newer = replacement(passage, namesakes)
        passages.append(passage)
        if newer is not None and newer not in passages:
            passages.append(newer)
    return passages


def _passage(row: store.Found) -> Passage:
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
    )
    if row.is_restricted:
        passage["restricted"] = True
    if row.stale_after_days:
        passage["stale_after_days"] = row.stale_after_days
    return passage


def _readable(name: str) -> str:
    plain = name.replace("-", " ").replace("_", " ").strip()
    # A folder called "it" or "hr" is an abbreviation.
    return plain.upper() if len(plain) <= _ABBREVIATION else plain[:1].upper() + plain[1:]
