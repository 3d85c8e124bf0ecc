"""The verified answers that one asker may read (`graph.context.VerifiedAnswers`)."""

import asyncio
from typing import Final

from bot.audience import EVERYONE
from bot.knowledge.documents import Embedder, Matrix
from bot.knowledge.flags import flag_store
from bot.knowledge.search import Library
from bot.knowledge.verified import maintain_store, store
from bot.knowledge.verified.store import CurrentSource, StoredVerified
from bot.links import vouched_in, vouched_page
from graph.context import Clock, ModelError
from graph.passages import Passage
from graph.verified import Candidate, Telling, Verified

CANDIDATES: Final = 5
"""Answers that may be meant. With 100 verified answers, the right one is among five nearest in 92 of 100 cases."""
LONGEST: Final = 2000
"""Characters of a question that are compared."""
EMBEDDED_AT_ONCE: Final = 20
"""Phrasings that one question embeds if nobody has yet: their keeper loads no model."""


class VerifiedAnswers:
    """The verified answers of one asker in one workspace."""

    def __init__(self, library: Library, embedder: Embedder, clock: Clock) -> None:
        self._library = library
        self._embedder = embedder
        self._clock = clock

    async def candidates(self, question: str) -> list[Candidate]:
        """Return up to five answers that may be meant, the likeliest first."""
        asked = question[:LONGEST].replace("\0", " ")
        if not (await self._library.outline()).has_verified:
            return []
        async with self._library.writing() as connection:
            fresh = await store.without_vector(connection, self._embedder.model, limit=EMBEDDED_AT_ONCE)
        made, vector = await asyncio.to_thread(self._embedded, fresh, asked)
        async with self._library.writing() as connection:
            for text, its_vector in made.items():
                await store.set_vector(connection, text, its_vector, self._embedder.model)
            return await store.candidates(
                connection, asked, vector, self._embedder.model, limit=CANDIDATES, now=self._clock.now()
            )

    def _embedded(self, fresh: list[str], asked: str) -> tuple[dict[str, Matrix], Matrix | None]:
        """Return the vectors of the phrasings and of the question; none if the model fails, for words find most."""
        try:
            # The question first, because it waits for a model that fails the shortest time.
            vector = self._embedder.embed_query(asked)
            vectors = self._embedder.embed_passages(fresh) if fresh else ()
            return dict(zip(fresh, vectors, strict=True)), vector
        except ModelError:
            return {}, None

    async def use(self, answer_id: int, to: Telling) -> Verified | None:
        """Return an answer with what its sources are now, and note whom it is told; None if it may not be told."""
        now = self._clock.now()
        async with self._library.writing() as connection:
            kept = await store.use(connection, answer_id, now=now)
            if kept is None:
                return None
            await maintain_store.insert_telling(connection, answer_id, to, now=now)
            return self._told(kept, await store.current_sources(connection, answer_id))

    async def dispute(self, answer_id: int, passage: Passage) -> None:
        """Note that a passage says otherwise, so that the answer's writer is asked which one is right.

        The owners of the documents that the answer rests on are told.
        """
        async with self._library.writing() as connection:
            await maintain_store.note_dispute(connection, answer_id, passage["id"])
            await flag_store.flag_contradicted(connection, answer_id, passage["id"], now=self._clock.now())

    def _told(self, kept: StoredVerified, sources: list[CurrentSource]) -> Verified:
        told = Verified(
            id=kept.id,
            question=kept.question,
            text=kept.text,
            writer_name=kept.writer_name,
            kept_on=kept.kept_at.date().isoformat(),
            sources=[self._passage(one) for one in sources],
            changed=[number for number, one in enumerate(sources, 1) if one.document_id and not one.passage_id],
            gone=[number for number, one in enumerate(sources, 1) if one.document_id is None],
            links=vouched_in(kept.text, self._library.link_hosts),
        )
        if kept.place != EVERYONE or any(one.is_restricted for one in sources):
            told["restricted"] = True
        return told

    def _passage(self, source: CurrentSource) -> Passage:
        """Return a source as a passage; one without text has changed, or is gone."""
        text = source.text or ""
        passage = Passage(
            id=source.passage_id or 0,
            document_id=source.document_id or 0,
            title=source.title,
            path=source.path,
            heading_path=[source.heading] if source.heading else [],
            text=text,
            language=source.language or "en",
            url=vouched_page(source.url, self._library.link_hosts, source.site),
            links=vouched_in(text, self._library.link_hosts),
            dated=source.dated.isoformat() if source.dated else None,
            attributes=source.attributes or {},
            score=1.0,
        )
        if source.is_restricted:
            passage["restricted"] = True
        if source.flagged_on and source.flagged_as:
            passage["flagged_on"], passage["flagged_as"] = source.flagged_on.isoformat(), source.flagged_as
        return passage
