"""Changes a workspace's embedding model: the old one serves until every passage has a vector of the new one.

All progress is rows, so a killed change goes on where it was. See docs/decisions/0029-changing-the-embedding-model.md.
"""

import time
from contextlib import AbstractAsyncContextManager
from typing import Final

import structlog

from bot.audience import ALL
from bot.knowledge.audience_store import read_as, transaction_as
from bot.knowledge.documents import Embedder
from bot.knowledge.embeddings import store
from bot.knowledge.embeddings.embedding import embedded
from bot.knowledge.syncing.tally import NAMED_AT_MOST, Progress
from bot.postgres.pool import Connection, Database
from graph.passages import contextual

_REMOVED_AT_ONCE: Final = 1_000

_logger = structlog.stdlib.get_logger(__name__)


class ModelChange:
    """The change of a workspace to another model. Several processes may do it at once; they only waste work."""

    def __init__(
        self,
        database: Database,
        embedder: Embedder,
        workspace: str,
        *,
        progress: Progress = lambda _done, _all, _path, _passages: None,
        seconds: float = float("inf"),
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._workspace = workspace
        self._progress = progress
        self._ends = time.monotonic() + seconds
        self._embedded = 0

    async def run(self) -> bool:
        """Embed until all is done or the time is over, and switch. Return whether the new model serves."""
        async with self._transaction() as connection:
            if await store.serving_model(connection) is None:
                return True
            done, passages = await store.counts(connection, self._embedder.model)
        while not await self._switched():
            done = await self._embed_missing(done, passages)
            if self._is_over():
                return False
        await self._remove_others()
        return True

    async def refused(self) -> list[str]:
        """Return the paths of documents with a passage that the serving model refuses."""
        async with self._transaction() as connection:
            return await store.refused(connection)

    async def _switched(self) -> bool:
        async with self._transaction() as connection:
            before = await store.serving_model(connection)
            serves = await store.switch(connection, self._embedder.model)
        if serves and before != self._embedder.model:
            _logger.info("embedding_model_changed", before=before, now=self._embedder.model)
            if refused := await self.refused():
                _logger.warning(
                    "documents_refused", model=self._embedder.model, number=len(refused), first=refused[:NAMED_AT_MOST]
                )
        return serves

    async def _embed_missing(self, done: int, passages: int) -> int:
        after = 0
        while not self._is_over():
            async with self._transaction() as connection:
                some = await store.unembedded(
                    connection, self._embedder.model, after=after, limit=self._embedder.at_once
                )
            if not some:
                break
            texts = [contextual(one.title, one.heading_path, one.text) for one in some]
            vectors = await embedded(self._embedder, texts)
            async with self._transaction() as connection:
                await store.add(connection, self._embedder.model, some, vectors)
            after, done = some[-1].id, done + len(some)
            self._embedded += len(some)
            self._progress(done, max(done, passages), some[-1].title, self._embedded)
        return done

    async def _remove_others(self) -> None:
        """Remove the old vectors. A search that began before the switch notices it, and searches again."""
        removed = _REMOVED_AT_ONCE
        while removed == _REMOVED_AT_ONCE and not self._is_over():
            async with self._transaction() as connection:
                removed = await store.remove_others(connection, limit=_REMOVED_AT_ONCE)

    def _is_over(self) -> bool:
        return time.monotonic() > self._ends

    def _transaction(self) -> AbstractAsyncContextManager[Connection]:
        return transaction_as(self._database, self._workspace, ALL)


async def is_due(connection: Connection, model: str | None) -> bool:
    """Tell whether another model serves than the demanded one, or vectors of another one are left."""
    serving = await store.serving_model(connection)
    if serving is None:
        return False
    await read_as(connection, ALL)
    return serving != (model or serving) or await store.has_others(connection)
