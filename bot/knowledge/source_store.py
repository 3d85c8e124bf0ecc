"""Sources as a whole, in SQL; call everything here within the workspace."""

from dataclasses import dataclass

from psycopg.rows import class_row

from bot.postgres.pool import Connection


@dataclass(frozen=True, kw_only=True)
class Source:
    """A folder or file that was ingested, and what is known from it."""

    id: int
    location: str
    documents: int
    passages: int
    names: list[str]
    """For whom it is, but for parts of it."""


async def all_sources(connection: Connection) -> list[Source]:
    """Return what was ingested, by location."""
    cursor = connection.cursor(row_factory=class_row(Source))
    await cursor.execute(
        """
        SELECT sources.id, location, count(DISTINCT documents.id) AS documents, count(passages.id) AS passages, names
        FROM sources JOIN audiences ON audiences.source_id = sources.id AND audiences.path = ''
            LEFT JOIN documents ON documents.source_id = sources.id LEFT JOIN passages ON document_id = documents.id
        GROUP BY sources.id, names ORDER BY location
        """
    )
    return await cursor.fetchall()


async def remove_source(connection: Connection, source_id: int) -> None:
    """Remove a source with its documents and passages."""
    await connection.execute("DELETE FROM sources WHERE id = %(id)s", {"id": source_id})
