"""The SQL of vectors and of the serving model. Call each function in a transaction of the workspace."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from pgvector import HalfVector

from bot.audience import ALL
from bot.knowledge.audience_store import read_as
from bot.knowledge.embeddings.embedding import Vector
from bot.postgres import fetch
from bot.postgres.pool import Connection
from graph.passages import contextual

StoredVectors: TypeAlias = dict[str, dict[str, HalfVector]]
"""Vectors by model, then by the text that was embedded."""


@dataclass(frozen=True, kw_only=True)
class Unembedded:
    """A passage without a vector of some model."""

    id: int
    title: str
    heading_path: list[str]
    text: str


async def serving_model(connection: Connection) -> str | None:
    """Return the id of the model whose vectors searches compare; `None` if no source was ever read."""
    return await fetch.value(connection, "SELECT model FROM serving_models")


async def hold_serving_model(connection: Connection, workspace: str, model: str) -> str:
    """Return the serving model, which is `model` if there was none, and keep it until the transaction ends."""
    query = "INSERT INTO serving_models VALUES (%(workspace)s, %(model)s) ON CONFLICT DO NOTHING"
    await connection.execute(query, {"workspace": workspace, "model": model})
    return await fetch.value(connection, "SELECT model FROM serving_models FOR SHARE")


async def unembedded(connection: Connection, model: str, *, after: int, limit: int) -> list[Unembedded]:
    """Return the first passages after an id that have no vector of a model, and that it did not refuse."""
    query = """
        SELECT passages.id, title, heading_path, text
        FROM passages JOIN documents ON documents.id = document_id
        WHERE passages.id > %(after)s
          AND NOT EXISTS (SELECT FROM embeddings WHERE passage_id = passages.id AND model = %(model)s)
        ORDER BY passages.id LIMIT %(limit)s
    """
    return await fetch.rows(connection, Unembedded, query, model=model, after=after, limit=limit)


async def vectors_of(connection: Connection, source_id: int, paths: Collection[str]) -> StoredVectors:
    """Return the vectors of some documents of a source, of all models."""
    cursor = await connection.execute(
        """
        SELECT model, title, heading_path, text, embedding
        FROM documents JOIN passages ON document_id = documents.id JOIN embeddings ON passage_id = passages.id
        WHERE source_id = %(source_id)s AND path = ANY (%(paths)s) AND embedding IS NOT NULL
        """,
        {"source_id": source_id, "paths": list(paths)},
    )
    vectors: StoredVectors = {}
    async for row in cursor:
        embedded = contextual(row["title"], row["heading_path"], row["text"])
        vectors.setdefault(row["model"], {})[embedded] = row["embedding"]
    return vectors


async def counts(connection: Connection, model: str) -> tuple[int, int]:
    """Return how many passages have a vector of a model, and how many passages there are."""
    query = """
        SELECT (SELECT count(*) FROM embeddings WHERE model = %(model)s) AS done,
               (SELECT count(*) FROM passages) AS passages
    """
    counted = await fetch.only(connection, dict[str, int], query, model=model)
    return counted["done"], counted["passages"]


async def add(connection: Connection, model: str, passages: Iterable[Unembedded], vectors: Iterable[Vector]) -> None:
    """Store vectors, and which passages the model refuses, except of those that were removed in the meantime."""
    query = """
        INSERT INTO embeddings (workspace, passage_id, audience_id, model, embedding)
        SELECT workspace, id, audience_id, %(model)s, %(vector)s FROM passages WHERE id = %(id)s FOR KEY SHARE
        ON CONFLICT DO NOTHING
    """
    async with connection.cursor() as cursor:
        await cursor.executemany(
            query,
            [
                {"id": passage.id, "model": model, "vector": None if vector is None else HalfVector(vector)}
                for passage, vector in zip(passages, vectors, strict=True)
            ],
        )


async def switch(connection: Connection, model: str) -> bool:
    """Make a model serve if every passage that it does not refuse has a vector; return whether it serves."""
    # Let nobody store or share documents meanwhile: a passage without a vector would be found by its words only.
    await connection.execute("SELECT FROM sources ORDER BY id FOR UPDATE")
    await connection.execute("SELECT FROM serving_models FOR UPDATE")
    await read_as(connection, ALL)
    if await unembedded(connection, model, after=0, limit=1):
        return False
    await connection.execute("UPDATE serving_models SET model = %(model)s", {"model": model})
    return True


async def refused(connection: Connection, source_id: int | None = None) -> list[str]:
    """Return the paths of documents, of one source or all, with a passage that the serving model refuses."""
    query = """
        SELECT DISTINCT path
        FROM embeddings JOIN passages ON passages.id = passage_id JOIN documents ON documents.id = document_id
        WHERE embedding IS NULL AND model = (SELECT model FROM serving_models)
          AND source_id = coalesce(%(source_id)s, source_id)
        ORDER BY path
    """
    return await fetch.values(connection, query, source_id=source_id)


async def has_others(connection: Connection) -> bool:
    """Tell whether there are vectors of models that do not serve."""
    query = """
        SELECT EXISTS (SELECT FROM embeddings WHERE model < (SELECT model FROM serving_models))
            OR EXISTS (SELECT FROM embeddings WHERE model > (SELECT model FROM serving_models)) AS there
    """
    return await fetch.value(connection, query)


async def remove_others(connection: Connection, *, limit: int) -> int:
    """Remove some vectors of models that do not serve, and return how many."""
    query = """
        DELETE FROM embeddings WHERE (passage_id, model) IN (
            SELECT passage_id, model FROM embeddings
            WHERE model <> (SELECT model FROM serving_models) LIMIT %(limit)s
        )
    """
    return await fetch.count(connection, query, limit=limit)
