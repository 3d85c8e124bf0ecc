"""Sources as a whole, in SQL; call everything here within the workspace."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
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
    stale_after_days: int | None
    is_paused: bool
    is_due: bool
    synced_at: datetime | None
    error: str
    """Why nothing could be read the last time."""
    failures: int
    """Documents that could not be read the last time."""


@dataclass(frozen=True, kw_only=True)
class DueSource:
    """A source whose time has come."""

    id: int
    kind: str
    location: str
    synced_at: datetime | None
    error: str


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
               names, every, stale_after_days, is_paused, synced_at, error,
               NOT is_paused AND every IS NOT NULL AND coalesce(synced_at + every <= now(), true) AS is_due,
               (SELECT count(*) FROM failures WHERE failures.source_id = sources.id) AS failures
        FROM sources JOIN audiences ON audiences.source_id = sources.id AND audiences.path = ''
            LEFT JOIN documents ON documents.source_id = sources.id LEFT JOIN passages ON document_id = documents.id
        GROUP BY sources.id, names ORDER BY location
        """
    )
    return await cursor.fetchall()


async def is_known(connection: Connection, location: str) -> bool:
    """Tell whether there is a source at a location."""
    cursor = await connection.execute("SELECT FROM sources WHERE location = %(location)s", {"location": location})
    return await cursor.fetchone() is not None


async def due_sources(connection: Connection) -> list[DueSource]:
    """Return the sources whose time has come, the one that has waited longest first."""
    cursor = connection.cursor(row_factory=class_row(DueSource))
    await cursor.execute(
        """
        SELECT id, kind, location, synced_at, error FROM sources
        WHERE NOT is_paused AND every IS NOT NULL AND coalesce(synced_at + every <= now(), true)
        ORDER BY synced_at + every NULLS FIRST, id
        """
    )
    return await cursor.fetchall()


@asynccontextmanager
async def turn(connection: Connection, workspace: str) -> AsyncGenerator[bool]:
    """Take the turn to read what is due, and yield whether nobody has it; it ends with the connection at the latest."""
    cursor = await connection.execute(
        "SELECT pg_try_advisory_lock(hashtextextended(%(workspace)s, 4207303)) AS taken", {"workspace": workspace}
    )
    row = await cursor.fetchone()
    is_ours = bool(row and row["taken"])
    try:
        yield is_ours
    finally:
        if is_ours:
            await connection.execute(
                "SELECT pg_advisory_unlock(hashtextextended(%(workspace)s, 4207303))", {"workspace": workspace}
            )


async def is_somebody_reading(connection: Connection, workspace: str) -> bool:
    """Tell whether somebody has the turn; only a look, in the open transaction."""
    cursor = await connection.execute(
        "SELECT pg_try_advisory_xact_lock_shared(hashtextextended(%(workspace)s, 4207303)) AS is_free",
        {"workspace": workspace},
    )
    row = await cursor.fetchone()
    return not (row and row["is_free"])


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


async def note_broken(connection: Connection, source: DueSource, error: str) -> None:
    """Note why the reading of a source ended, unless its end was noted; its time comes again as usual."""
    await connection.execute(
        """
        UPDATE sources SET error = %(error)s, synced_at = now()
        WHERE id = %(id)s AND synced_at IS NOT DISTINCT FROM %(synced_at)s
        """,
        {"id": source.id, "error": error, "synced_at": source.synced_at},
    )


async def note_missing(connection: Connection, source: DueSource, error: str) -> None:
    """Note that a source is not where it was looked for; it stays due."""
    await connection.execute(
        "UPDATE sources SET error = %(error)s WHERE id = %(id)s AND synced_at IS NOT DISTINCT FROM %(synced_at)s",
        {"id": source.id, "error": error, "synced_at": source.synced_at},
    )


async def keep(connection: Connection, source_id: int, *, every: timedelta | None) -> None:
    """Keep a source, also without documents, and say how often it is to be read; None: only if somebody says so."""
    await connection.execute(
        "UPDATE sources SET was_added = true, every = %(every)s WHERE id = %(id)s", {"id": source_id, "every": every}
    )


async def let_age(connection: Connection, source_id: int, *, days: int | None) -> None:
    """Say after how many days what is dated in a source counts as old; None: never."""
    await connection.execute(
        "UPDATE sources SET stale_after_days = %(days)s WHERE id = %(id)s", {"id": source_id, "days": days}
    )


async def pause(connection: Connection, source_id: int, *, is_paused: bool) -> None:
    """Let a source be read on schedule no more, or again; what is known from it stays."""
    await connection.execute(
        "UPDATE sources SET is_paused = %(is_paused)s WHERE id = %(id)s", {"id": source_id, "is_paused": is_paused}
    )


async def remove_source(connection: Connection, source_id: int) -> None:
    """Remove a source with its documents and passages."""
    await connection.execute("DELETE FROM sources WHERE id = %(id)s", {"id": source_id})
