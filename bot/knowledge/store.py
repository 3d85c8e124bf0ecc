"""The SQL of documents and passages. Call each function in a transaction of the workspace."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from pgvector import HalfVector
from psycopg.types.json import Jsonb

from bot.knowledge import audience_store, source_store
from bot.knowledge.documents import Matrix, ReadDocument
from bot.knowledge.embeddings.embedding import Vector
from bot.knowledge.embeddings.store import StoredVectors, hold_serving_model
from bot.knowledge.language import configuration_for
from bot.postgres import fetch
from bot.postgres.pool import Connection


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A document that is split and embedded."""

    read: ReadDocument
    vectors: Sequence[Vector] | Matrix
    model: str
    """The id of the model of the vectors."""
    known: StoredVectors = field(default_factory=StoredVectors)
    """What was stored of it before. Vectors of other models are kept for pieces whose text is the same."""
    change: UUID | None = None
    """The reported change that was known before the document was read."""


async def remove_source_if_empty(connection: Connection, source_id: int) -> None:
    """Remove a source without documents, unless a person added it."""
    await audience_store.hold(connection, source_id)
    query = """
        DELETE FROM sources
        WHERE id = %(source_id)s AND NOT was_added
          AND NOT EXISTS (SELECT FROM documents WHERE source_id = %(source_id)s)
    """
    await connection.execute(query, {"source_id": source_id})


async def hashes_of(connection: Connection, source_id: int) -> dict[str, str]:
    """Return the hashes of the source's documents by path."""
    query = "SELECT path, hash FROM documents WHERE source_id = %(source_id)s"
    return await fetch.pairs(connection, query, source_id=source_id)


async def remove_documents(connection: Connection, source_id: int, paths: Collection[str]) -> list[str]:
    """Remove documents with their passages, and return the paths of those that were there."""
    query = "DELETE FROM documents WHERE source_id = %(source_id)s AND path = ANY (%(paths)s) RETURNING path"
    return await fetch.values(connection, query, source_id=source_id, paths=list(paths))


async def replace_document(connection: Connection, workspace: str, source_id: int, prepared: Prepared) -> str | None:
    """Replace the document at this path, with its passages, and return the serving model.

    If that is not the model of the vectors, nothing is replaced. Return `None` if the document may not be stored:
    another change was reported while it was read, its source was removed, it was added and then withdrawn, or it holds
    words of a person who was forgotten.
    """
    document = prepared.read.document
    await audience_store.hold(connection, source_id)
    serving = await hold_serving_model(connection, workspace, prepared.model)
    if serving != prepared.model:
        return serving
    is_old = await source_store.is_reported_again(connection, source_id, document.path, prepared.change)
    is_withdrawn = await source_store.is_withdrawn(connection, source_id, document.path)
    is_forgotten = await source_store.is_anyone_forgotten(connection, document.writers)
    if is_old or is_withdrawn or is_forgotten:
        return None
    await remove_documents(connection, source_id, [document.path])
    stored = await _add_document(connection, workspace, source_id, prepared)
    await _add_passages(connection, stored, prepared)
    return serving


async def _add_document(
    connection: Connection, workspace: str, source_id: int, prepared: Prepared
) -> dict[str, int | str]:
    """Store a document without its passages, for those who may read its folder. Return its row."""
    document = prepared.read.document
    query = """
        INSERT INTO documents
            (workspace, source_id, path, hash, title, url, dated, language, configuration, attributes, writers,
             audience_id)
        SELECT %(workspace)s, %(source_id)s, %(path)s, %(hash)s, %(title)s, %(url)s, %(dated)s, %(language)s,
               %(configuration)s::regconfig, %(attributes)s, coalesce(
                   NULLIF(%(writers)s::text[], '{}'),
                   -- A shared file does not say whose it is.
                   ARRAY(SELECT writer FROM added_messages WHERE source_id = %(source_id)s AND path = %(path)s)
               ), id
        FROM audiences
        WHERE source_id = %(source_id)s AND (path IN ('', %(path)s) OR starts_with(%(path)s, path || '/'))
        ORDER BY length(path) DESC LIMIT 1
        RETURNING workspace, id AS document_id, audience_id
    """
    given = {
        **vars(document),
        "workspace": workspace,
        "source_id": source_id,
        "hash": prepared.read.hash,
        "configuration": configuration_for(document.language),
        "attributes": Jsonb(document.attributes),
        "writers": list(document.writers),
    }
    return await fetch.only(connection, dict[str, int | str], query, **given)


async def _add_passages(connection: Connection, stored: dict[str, int | str], prepared: Prepared) -> None:
    """Store a document's passages. `stored` is the document's row, with its audience."""
    read = prepared.read
    others = {model: known for model, known in prepared.known.items() if model != prepared.model}
    query = """
        WITH added AS (
            INSERT INTO passages
                (workspace, document_id, audience_id, position, heading_path, text, configuration, words)
            VALUES (%(workspace)s, %(document_id)s, %(audience_id)s, %(position)s, %(heading_path)s, %(text)s,
                    %(configuration)s::regconfig,
                    setweight(to_tsvector(%(configuration)s::regconfig, %(title)s), 'A')
                    || setweight(to_tsvector(%(configuration)s::regconfig, %(headings)s), 'B')
                    || to_tsvector(%(configuration)s::regconfig, %(text)s))
            RETURNING workspace, id, audience_id
        )
        INSERT INTO embeddings (workspace, passage_id, audience_id, model, embedding)
        SELECT workspace, id, audience_id, model, embedding
        FROM added, unnest(%(models)s::text[], %(embeddings)s::halfvec[]) AS vectors (model, embedding)
    """
    async with connection.cursor() as cursor:
        await cursor.executemany(
            query,
            [
                {
                    **stored,
                    "position": position,
                    "heading_path": list(piece.heading_path),
                    "headings": " ".join(piece.heading_path),
                    "title": read.document.title,
                    "text": piece.text,
                    "configuration": configuration_for(read.document.language),
                    "models": [prepared.model, *kept],
                    "embeddings": [None if vector is None else HalfVector(vector), *kept.values()],
                }
                for position, (piece, text, vector) in enumerate(
                    zip(read.pieces, read.texts, prepared.vectors, strict=True)
                )
                for kept in [{model: known[text] for model, known in others.items() if text in known}]
            ],
        )
