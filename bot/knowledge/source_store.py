"""Sources as a whole, in SQL; call everything here within the workspace."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from psycopg.rows import class_row

from bot.postgres.pool import Connection


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where documents come from, and what is known from there."""

    id: int
    location: str
    kind: str
    documents: int
    passages: int
    names: list[str]
    """For whom it is, but for parts of it."""
    every: timedelta | None
    is_paused: bool
    is_due: bool
    synced_at: datetime | None
    error: str
    """Why nothing could be read the last time."""
    failures: int
    """Documents that could not be read the last time."""


@dataclass(frozen=True, kw_only=True)
class SyncProgress:
    """How far a source was read."""

    cursor: str
    failed: list[str]
    """Documents that could not be read."""


async def all_sources(connection: Connection) -> list[Source]:
    """Return the sources, by location."""
    cursor = connection.cursor(row_factory=class_row(Source))
    await cursor.execute(
        """
        SELECT sources.id, location, kind, count(DISTINCT documents.id) AS documents, count(passages.id) AS passages,
               names, every, is_paused, synced_at, error,
               NOT is_paused AND every IS NOT NULL AND coalesce(synced_at + every <= now(), true) AS is_due,
               (SELECT count(*) FROM failures WHERE failures.source_id = sources.id) AS failures
        FROM sources JOIN audiences ON audiences.source_id = sources.id AND audiences.path = ''
            LEFT JOIN documents ON documents.source_id = sources.id LEFT JOIN passages ON document_id = documents.id
        GROUP BY sources.id, names ORDER BY location
        """
    )
    return await cursor.fetchall()


async def failures_of(connection: Connection, source_id: int) -> dict[str, str]:
    """Return why documents of a source could not be read the last time, by path."""
    cursor = await connection.execute(
        "SELECT path, reason FROM failures WHERE source_id = %(id)s ORDER BY path", {"id": source_id}
    )
    return {row["path"]: row["reason"] for row in await cursor.fetchall()}


async def progress_of(connection: Connection, source_id: int) -> SyncProgress:
    """Return how far a source was read."""
    cursor = await connection.execute("SELECT cursor FROM sources WHERE id = %(id)s", {"id": source_id})
    row = await cursor.fetchone()
    return SyncProgress(cursor=row["cursor"] if row else "", failed=[*await failures_of(connection, source_id)])


async def conclude(connection: Connection, source_id: int, *, cursor: str, failures: Mapping[str, str]) -> None:
    """Note that a source was read as a whole, and what of it could not be."""
    await connection.execute(
        "UPDATE sources SET cursor = %(cursor)s, synced_at = now(), error = '' WHERE id = %(id)s",
        {"id": source_id, "cursor": cursor},
    )
    await connection.execute("DELETE FROM failures WHERE source_id = %(id)s", {"id": source_id})
    async with connection.cursor() as many:
        await many.executemany(
            "INSERT INTO failures (source_id, path, reason) VALUES (%(id)s, %(path)s, %(reason)s)",
            [{"id": source_id, "path": path, "reason": reason} for path, reason in failures.items()],
        )


async def note_error(connection: Connection, source_id: int, error: str) -> None:
    """Note why nothing of a source could be read."""
    await connection.execute(
        "UPDATE sources SET error = %(error)s, synced_at = now() WHERE id = %(id)s", {"id": source_id, "error": error}
    )


async def keep(connection: Connection, source_id: int, *, every: timedelta | None) -> None:
    """Keep a source, also without documents, and say how often it is to be read; None: only if somebody says so."""
    await connection.execute(
        "UPDATE sources SET was_added = true, every = %(every)s WHERE id = %(id)s", {"id": source_id, "every": every}
    )


async def pause(connection: Connection, source_id: int, *, is_paused: bool) -> None:
    """Let a source be read on schedule no more, or again; what is known from it stays."""
    await connection.execute(
        "UPDATE sources SET is_paused = %(is_paused)s WHERE id = %(id)s", {"id": source_id, "is_paused": is_paused}
    )


async def remove_source(connection: Connection, source_id: int) -> None:
    """Remove a source with its documents and passages."""
    await connection.execute("DELETE FROM sources WHERE id = %(id)s", {"id": source_id})
