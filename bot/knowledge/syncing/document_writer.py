"""Embeds what is new of documents that were read, and stores each in a transaction of its own."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import accumulate
from uuid import UUID

import numpy as np
from psycopg import DataError
from psycopg.errors import ProgramLimitExceeded

from bot.audience import ALL
from bot.errors import KnowledgeError
from bot.knowledge import audience_store, store
from bot.knowledge.documents import Embedder, Embedders, ReadDocument
from bot.knowledge.embeddings.embedding import Vector, embedded
from bot.knowledge.embeddings.store import StoredVectors, vectors_of
from bot.knowledge.syncing.tally import Tally
from bot.links import host_of
from bot.postgres.pool import Connection, enter_workspace


@dataclass(kw_only=True)
class StoredSource:
    """A source that is being read."""

    connection: Connection
    workspace: str
    location: str
    id: int = 0
    known: dict[str, str] = field(default_factory=dict[str, str])
    """The hashes of the documents that are stored now, by path."""
    reported: dict[str, UUID] = field(default_factory=dict[str, UUID])
    """The reports of changes by path."""

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Connection]:
        """Open a transaction of the session that reads everything of the workspace."""
        async with self.connection.transaction():
            await enter_workspace(self.connection, self.workspace)
            await audience_store.read_as(self.connection, ALL)
            yield self.connection


class DocumentWriter:
    """Embeds and stores documents of one source."""

    def __init__(
        self,
        source: StoredSource,
        embedder: Embedder,
        embedder_of: Embedders | None,
        tally: Tally,
        fail: Callable[[str, KnowledgeError], None],
    ) -> None:
        """`fail` is called with the path of a document that the database refuses, and the reason."""
        self._source = source
        self.embedder = embedder
        self._embedder_of = embedder_of
        self._tally = tally
        self._fail = fail

    def count_tokens(self, text: str) -> int:
        """Return the number of the serving model's tokens in a text."""
        return self.embedder.count_tokens(text)

    async def write(self, read: list[ReadDocument]) -> None:
        """Store documents; what their stored versions hold already is not embedded again."""
        texts = [text for one in read for text in one.texts]
        if not texts:
            return
        known = await self._stored_vectors(read)
        model, vectors = self.embedder.model, await self._embedded(texts, known, read[-1].document.path)
        ends = list(accumulate(len(one.pieces) for one in read))
        for one, end in zip(read, ends, strict=True):
            prepared = store.Prepared(
                read=one,
                vectors=vectors[end - len(one.pieces) : end],
                model=model,
                known=known,
                change=self._source.reported.get(one.document.path),
            )
            await self._replace(prepared)

    async def _stored_vectors(self, read: list[ReadDocument]) -> StoredVectors:
        async with self._source.transaction() as connection:
            paths = [one.document.path for one in read if one.document.path in self._source.known]
            return await vectors_of(connection, self._source.id, paths)

    async def _embedded(self, texts: list[str], known: StoredVectors, path: str) -> list[Vector]:
        """Return the texts' vectors. Those without a stored one are embedded, a few at a time for Ctrl-C's sake."""
        stored = known.get(self.embedder.model, {})
        vectors: dict[str, Vector] = {text: vector.to_numpy().astype(np.float32) for text, vector in stored.items()}
        new = [text for text in dict.fromkeys(texts) if text not in vectors]
        at_once = self.embedder.at_once
        for begins in range(0, len(new), at_once):
            self._tally.report(path, begins, len(new))
            some = new[begins : begins + at_once]
            vectors.update(zip(some, await embedded(self.embedder, some), strict=True))
            self._tally.count_embedded(len(some))
        return [vectors[text] for text in texts]

    async def _replace(self, prepared: store.Prepared) -> None:
        document = prepared.read.document
        path = document.path
        try:
            while (serving := await self._try_to_store(prepared)) not in (None, prepared.model):
                self.use_model(serving)
                vectors = await self._embedded(prepared.read.texts, prepared.known, path)
                prepared = replace(prepared, vectors=vectors, model=self.embedder.model)
        except (DataError, ProgramLimitExceeded, UnicodeEncodeError) as error:
            self._fail(path, KnowledgeError(f"The database refuses its text: {error}. Save it as plain UTF-8."))
            return
        if serving is None:
            self._tally.leave_out(path)
            return
        # People can open the source's own address anyway.
        host = host_of(document.url or "")
        host = "" if host == host_of(self._source.location) else host
        self._tally.count_stored(path, known=path in self._source.known, host=host)
        self._source.known[path] = prepared.read.hash
        for notice in document.notices:
            self._tally.warn(path, notice)
        if refused := sum(vector is None for vector in prepared.vectors):
            of = f"{refused} of {len(prepared.vectors)} passages"
            self._tally.warn(path, f"{prepared.model} refuses {of}: only their words are found.")

    async def _try_to_store(self, prepared: store.Prepared) -> str | None:
        async with self._source.transaction() as connection:
            return await store.replace_document(connection, self._source.workspace, self._source.id, prepared)

    def use_model(self, model: str) -> None:
        """Go on with the model of an id. Raises `KnowledgeError` if only one model is at hand, and it is another."""
        if model != self.embedder.model:
            if self._embedder_of is None:
                raise KnowledgeError(f"The documents are embedded with {model}, not with {self.embedder.model}.")
            self.embedder = self._embedder_of(model)
