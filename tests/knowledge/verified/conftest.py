"""Documents of two sources, and answers that people kept from them."""

from dataclasses import dataclass
from datetime import timedelta

import pytest

from bot.audience import ALL, EVERYONE, Names
from bot.knowledge import audience_store, source_store, store
from bot.knowledge.blocks import Block
from bot.knowledge.documents import Document, NewPassage, ReadDocument
from bot.knowledge.search import Library
from bot.knowledge.verified import store as verified_store
from bot.knowledge.verified.answers import VerifiedAnswers
from bot.knowledge.verified.store import NewVerified
from bot.postgres.pool import Database
from graph.verified import Candidate, Telling, Verified
from tests.permissions.world import MODEL, Vectors
from tests.support.fakes import TurnedClock

WORKSPACE = "one"
TRAVEL, PAY = "travel.md", "hr/pay.md"
LIMIT = "The limit for a hotel night is 145 EUR."


@dataclass
class Shelf:
    """What was written and kept, and who reads it."""

    database: Database
    clock: TurnedClock
    sources: dict[str, int]

    async def write(self, source: str, path: str, text: str) -> None:
        """Store a document, new or in place of the one at its path."""
        vectors = Vectors().embed_passages([text])
        document = Document(path=path, title=path.title(), blocks=(Block(text=text),), language="en")
        read = ReadDocument(document=document, hash=text, pieces=[NewPassage(heading_path=(), text=text)])
        prepared = store.Prepared(read=read, vectors=vectors, model=MODEL)
        async with self.database.transaction(WORKSPACE) as connection:
            await audience_store.read_as(connection, ALL)
            await store.replace_document(connection, WORKSPACE, self.sources[source], prepared)

    async def remove(self, source: str, path: str) -> None:
        """Remove a document."""
        async with self.database.transaction(WORKSPACE) as connection:
            await audience_store.read_as(connection, ALL)
            await store.remove_documents(connection, self.sources[source], [path])

    async def share(self, source: str, path: str, *names: str) -> None:
        """Let only these names read a part of a source."""
        async with self.database.transaction(WORKSPACE) as connection:
            await audience_store.share(connection, self.sources[source], path, names)

    async def keep(
        self, question: str, *paths: str, place: str = EVERYONE, days: int = 90, origin: str = "", text: str = LIMIT
    ) -> int | None:
        """Keep an answer that rests on documents."""
        async with self.database.transaction(WORKSPACE) as connection:
            await audience_store.read_as(connection, ALL)
            cursor = await connection.execute(
                "SELECT passages.id FROM passages JOIN documents ON documents.id = document_id"
                " WHERE path = ANY(%(paths)s) ORDER BY array_position(%(paths)s::text[], path)",
                {"paths": list(paths)},
            )
            cited = await verified_store.cited(connection, [row["id"] for row in await cursor.fetchall()])
            new = NewVerified(
                origin=origin or f"review:{question}",
                asked_as="C0:1.0",
                question=question,
                text=text,
                sources=cited,
                writer="UADA",
                writer_name="Ada",
                place=place,
                valid_until=self.clock.now() + timedelta(days=days),
            )
            return await verified_store.insert(connection, new, now=self.clock.now())

    def answers(self, *names: str) -> VerifiedAnswers:
        """Return what somebody under these names is answered from."""

        async def reader() -> Names:
            return frozenset(names)

        return VerifiedAnswers(Library(self.database, WORKSPACE, reader=reader), Vectors(), self.clock)

    async def candidates(self, question: str, *names: str) -> list[Candidate]:
        """Return what somebody may be answered with."""
        return await self.answers(*names).candidates(question)

    async def use(self, answer_id: int | None, *names: str) -> Verified | None:
        """Return what somebody is told."""
        assert answer_id is not None
        return await self.answers(*names).use(answer_id, Telling(person="UBEN", key="2.0"))


@pytest.fixture
async def shelf(database: Database) -> Shelf:
    """Two sources with a document each, for everyone."""
    shelf = Shelf(database, TurnedClock(), {})
    for name in ("wiki", "office"):
        async with database.transaction(WORKSPACE) as connection:
            shelf.sources[name] = await source_store.add_source(connection, WORKSPACE, f"/{name}")
    await shelf.write("wiki", TRAVEL, LIMIT)
    await shelf.write("office", PAY, "The bonus is paid in March.")
    return shelf
