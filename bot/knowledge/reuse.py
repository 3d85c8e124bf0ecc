"""Reuses searches and rankings: an identical question of people who may read the same is not searched again.

Before each reuse, the database says what the asker may read and which version the knowledge has. Both are in the key,
so a result goes only to people for whom the database would find the same. See docs/decisions/0028-reused-searches.md.
"""

import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import structlog

from bot.knowledge.search import Search, Vectors
from bot.knowledge.search_store import SearchView
from graph.context import Reranker
from graph.passages import DocumentFilter, Passage, Topics

Note: TypeAlias = Callable[[bool], None]
"""Takes whether a search was reused."""


@dataclass(frozen=True, kw_only=True)
class Key:
    """A search, and all that its result depends on."""

    view: SearchView
    model: str
    query: str
    limit: int
    only: bytes
    """The filter as JSON."""


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A search's result. Nobody can change it: passages are kept as JSON."""

    passages: bytes
    vectors: Vectors
    rankings: dict[int, list[tuple[int, float]]] = field(default_factory=dict[int, list[tuple[int, float]]])
    """The ids in the order of the reranker, with its scores, by how many it was to keep."""


@dataclass
class KeptSearches:
    """The last searches of this process, for all its runs. Those of an earlier version are dropped at once."""

    size: int
    hits: int = 0
    misses: int = 0
    _kept: OrderedDict[Key, Kept] = field(default_factory=OrderedDict[Key, Kept])

    def knows(self, query: str) -> bool:
        """Tell whether anybody's search for these words is kept."""
        return any(key.query == query for key in self._kept)

    def get(self, key: Key) -> Kept | None:
        """Return the result of a search."""
        kept = self._kept.get(key)
        if kept is not None:
            self._kept.move_to_end(key)
        return kept

    def count(self, *, is_reused: bool) -> None:
        """Count a search."""
        self.hits += is_reused
        self.misses += not is_reused

    def keep(self, key: Key, kept: Kept) -> None:
        """Keep a result, in place of the one that was unused for longest."""
        self._forget_earlier(key.view)
        self._kept[key] = kept
        self._kept.move_to_end(key)
        if len(self._kept) > self.size:
            self._kept.popitem(last=False)

    def __len__(self) -> int:
        return len(self._kept)

    def _forget_earlier(self, view: SearchView) -> None:
        # Words of removed documents should not stay in memory.
        for key in [*self._kept]:
            is_ours = key.view.workspace == view.workspace
            if is_ours and (key.view.version, key.view.today) != (view.version, view.today):
                del self._kept[key]


class ReusingSearch:
    """The retriever and the reranker of one run (`graph.context`), which reuse what earlier runs found."""

    def __init__(self, search: Search, reranker: Reranker, searches: KeptSearches, note: Note) -> None:
        self._search = search
        self._reranker = reranker
        self._searches = searches
        self._note = note
        self._used: dict[str, Kept] = {}
        """The results that are not ranked yet, by query."""

    @property
    def by_words(self) -> bool:
        """Whether a search compared words alone."""
        return self._search.by_words

    async def search(self, query: str, *, limit: int, only: DocumentFilter | None = None) -> list[Passage]:
        """Return what an equal search found, or search."""
        kept = await self._kept(query, limit, only)
        self._tell(is_reused=kept is not None)
        if kept is None:
            kept, passages = await self._searched(query, limit, only)
        else:
            self._search.remember(kept.vectors)
            passages: list[Passage] = json.loads(kept.passages)
        self._used[query] = kept
        return passages

    async def rerank(self, question: str, passages: list[Passage], *, keep: int) -> list[Passage]:
        """Return the passages as an equal call ranked them, or rank them."""
        used = self._used.pop(question, None)
        if used is None or _as_json(passages) != used.passages:
            return await self._reranker.rerank(question, passages, keep=keep)
        if keep not in used.rankings:
            ranked = await self._reranker.rerank(question, passages, keep=keep)
            used.rankings[keep] = [(passage["id"], passage["score"]) for passage in ranked]
            return ranked
        by_id = {passage["id"]: passage for passage in passages}
        return [{**by_id[id_], "score": score} for id_, score in used.rankings[keep]]

    async def still_there(self, ids: list[int]) -> set[int]:
        """Return the ids that still exist and that the asker may read. This is never reused."""
        return await self._search.still_there(ids)

    async def topics(self) -> Topics:
        """Return up to eight short names of what the documents cover."""
        return await self._search.topics()

    async def languages(self) -> list[str]:
        """Return the languages of the documents, the most frequent first."""
        return await self._search.languages()

    async def _kept(self, query: str, limit: int, only: DocumentFilter | None) -> Kept | None:
        # Most questions are new. They cost no look at the database.
        if not self._searches.knows(query):
            return None
        return self._searches.get(self._key(await self._search.view(), query, limit, only))

    async def _searched(self, query: str, limit: int, only: DocumentFilter | None) -> tuple[Kept, list[Passage]]:
        # The view is read with the search, because the documents may have changed since the look.
        found = await self._search.search_with_view(query, limit=limit, only=only)
        kept = Kept(passages=_as_json(found.passages), vectors=found.vectors)
        if found.view.version is not None and not self.by_words:
            self._searches.keep(self._key(found.view, query, limit, only), kept)
        return kept, found.passages

    def _key(self, view: SearchView, query: str, limit: int, only: DocumentFilter | None) -> Key:
        return Key(view=view, model=self._search.model, query=query, limit=limit, only=_as_json(only))

    def _tell(self, *, is_reused: bool) -> None:
        self._searches.count(is_reused=is_reused)
        self._note(is_reused)
        log = structlog.get_logger()
        log.info("documents_searched", reused=is_reused, hits=self._searches.hits, misses=self._searches.misses)


def _as_json(value: Any) -> bytes:
    return json.dumps(value).encode()
