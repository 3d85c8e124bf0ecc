"""The SQL of sources. Call each function in a transaction of the workspace."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from uuid import UUID

from psycopg.types.json import Jsonb

from bot.audience import default_names
from bot.knowledge import audience_store
from bot.knowledge.lock_store import HELD_KEYS, SOURCES
from bot.knowledge.syncing.tally import NAMED_AT_MOST
from bot.postgres import fetch
from bot.postgres.pool import Connection
from graph.passages import BY_OCR, READ_BY


@dataclass(frozen=True, kw_only=True)
class ListedSource:
    """A source, and the number of its documents and passages."""

    id: int
    location: str
    kind: str
    documents: int
    passages: int
    names: list[str]
    """Who may read it, except for parts with their own audience."""
    every: timedelta | None
    stale_after_days: int | None
    delete_after_days: int | None
    owner: str | None
    """Who is told of flags of its documents: the id of a person in Slack."""
    is_paused: bool
    is_due: bool
    synced_at: datetime | None
    error: str
    """Why nothing could be read the last time."""
    failures: int
    """The number of documents that failed in the last reading."""
    skipped: dict[str, int]
    """The number of documents that the last reading skipped, by suffix or reason."""
    skipped_paths: list[str]
    """The first of them."""


@dataclass(frozen=True, kw_only=True)
class DueSource:
    """A source that is due."""

    id: int
    kind: str
    location: str
    synced_at: datetime | None
    error: str
    is_scheduled: bool
    """Whether its time has come. Otherwise only documents are due whose changes were reported."""
    is_being_read: bool
    """Whether a process holds its `lock_store.source_lock`."""


@dataclass(frozen=True, kw_only=True)
class SyncProgress:
    """The state of a source's last reading."""

    cursor: str
    failed: list[str]
    """Documents that could not be read."""
    delete_after_days: int | None
    oldest: str
    """The ISO date before which documents are deleted; empty if there is none."""


async def all_sources(connection: Connection) -> list[ListedSource]:
    """Return the sources, by location."""
    query = """
        SELECT sources.id, location, kind, count(DISTINCT documents.id) AS documents, count(passages.id) AS passages,
               names, every, stale_after_days, delete_after_days, owner, is_paused, synced_at, error,
               skipped, skipped_paths,
               NOT is_paused AND (
                   every IS NOT NULL AND coalesce(synced_at + every <= now(), true)
                   OR EXISTS (SELECT FROM reported_changes WHERE reported_changes.source_id = sources.id)
               ) AS is_due,
               (SELECT count(*) FROM failures WHERE failures.source_id = sources.id) AS failures
        FROM sources JOIN audiences ON audiences.source_id = sources.id AND audiences.path = ''
            LEFT JOIN documents ON documents.source_id = sources.id LEFT JOIN passages ON document_id = documents.id
        GROUP BY sources.id, names ORDER BY location
    """
    return await fetch.rows(connection, ListedSource, query)


async def add_source(connection: Connection, workspace: str, location: str, kind: str = "files") -> int:
    """Return the id of the source at `location`, and create it if it is new."""
    query = """
        INSERT INTO sources (workspace, location, kind) VALUES (%(workspace)s, %(location)s, %(kind)s)
        ON CONFLICT (workspace, location) DO UPDATE SET location = excluded.location
        RETURNING id
    """
    source_id = await fetch.value(connection, query, workspace=workspace, location=location, kind=kind)
    await audience_store.add_default(connection, workspace, source_id, default_names(kind, location))
    return source_id


async def id_of(connection: Connection, location: str) -> int | None:
    """Return the id of the source at a location; `None` if there is none."""
    return await fetch.value(connection, "SELECT id FROM sources WHERE location = %(location)s", location=location)


async def due_sources(connection: Connection) -> list[DueSource]:
    """Return the sources that are due, the longest waiting first, then those of which only changes were reported."""
    query = f"""
        SELECT id, kind, location, synced_at, error, is_scheduled,
               hashtextextended(workspace || E'\n' || location, %(sources)s) IN ({HELD_KEYS}) AS is_being_read
        FROM sources CROSS JOIN LATERAL (
            SELECT every IS NOT NULL AND coalesce(synced_at + every <= now(), true) AS is_scheduled
        ) AS schedule
        WHERE NOT is_paused
          AND (is_scheduled OR EXISTS (SELECT FROM reported_changes WHERE source_id = sources.id))
        ORDER BY is_scheduled DESC, synced_at + every NULLS FIRST, id
    """  # noqa: S608 - of literals only
    return await fetch.rows(connection, DueSource, query, sources=SOURCES)


async def failures_of(connection: Connection, source_id: int) -> dict[str, str]:
    """Return the failures of a source's last reading, by path."""
    query = "SELECT path, reason FROM failures WHERE source_id = %(id)s ORDER BY path"
    return await fetch.pairs(connection, query, id=source_id)


async def recognised_of(connection: Connection, source_id: int) -> list[str]:
    """Return the paths of a source's documents that were read by OCR."""
    query = "SELECT path FROM documents WHERE source_id = %(id)s AND attributes ->> %(key)s = %(value)s ORDER BY path"
    return await fetch.values(connection, query, id=source_id, key=READ_BY, value=BY_OCR)


async def is_paused(connection: Connection, location: str) -> bool:
    """Tell whether a source is paused; one that does not exist is not."""
    query = "SELECT FROM sources WHERE location = %(location)s AND is_paused"
    return await fetch.found(connection, query, location=location)


async def progress_of(connection: Connection, source_id: int) -> SyncProgress:
    """Return the state of a source's last reading."""
    query = """
        SELECT cursor, delete_after_days, coalesce((current_date - delete_after_days)::text, '') AS oldest
        FROM sources WHERE id = %(id)s
    """
    failed = [*await failures_of(connection, source_id)]
    return await fetch.only(connection, partial(SyncProgress, failed=failed), query, id=source_id)


async def note_progress(connection: Connection, source_id: int, *, cursor: str, failures: Mapping[str, str]) -> None:
    """Record how far a source was read, and the failures of this reading."""
    query = "UPDATE sources SET cursor = %(cursor)s WHERE id = %(id)s"
    await connection.execute(query, {"id": source_id, "cursor": cursor})
    await connection.execute("DELETE FROM failures WHERE source_id = %(id)s", {"id": source_id})
    query = """
        INSERT INTO failures (source_id, path, reason)
        SELECT id, path, reason
        FROM sources, unnest(%(paths)s::text[], %(reasons)s::text[]) AS failed (path, reason) WHERE id = %(id)s
    """
    await connection.execute(query, {"id": source_id, "paths": [*failures], "reasons": [*failures.values()]})


async def conclude(connection: Connection, source_id: int, skipped: Mapping[str, str]) -> None:
    """Record that a reading is complete, and what it skipped, by path. Until then the source stays due."""
    query = """
        UPDATE sources SET synced_at = now(), error = '', skipped = %(skipped)s, skipped_paths = %(paths)s
        WHERE id = %(id)s
    """
    counts, paths = Jsonb(Counter(skipped.values())), [*islice(skipped, NAMED_AT_MOST)]
    await connection.execute(query, {"id": source_id, "skipped": counts, "paths": paths})


async def note_error(connection: Connection, source_id: int, error: str, *, puts_off: bool) -> None:
    """Record why a source could not be read. It becomes due as usual if that puts it off, else it stays due."""
    query = """
        UPDATE sources SET error = %(error)s, synced_at = CASE WHEN %(puts_off)s THEN now() ELSE synced_at END
        WHERE id = %(id)s
    """
    await connection.execute(query, {"id": source_id, "error": error, "puts_off": puts_off})


async def note_unread(connection: Connection, source: DueSource, error: str, *, puts_off: bool) -> None:
    """Record why a due source was not read, as `note_error` does, unless somebody has read it since."""
    query = "SELECT FROM sources WHERE id = %(id)s AND synced_at IS NOT DISTINCT FROM %(synced_at)s FOR UPDATE"
    if await fetch.found(connection, query, id=source.id, synced_at=source.synced_at):
        await note_error(connection, source.id, error, puts_off=puts_off)


async def set_schedule(connection: Connection, source_id: int, *, every: timedelta | None) -> None:
    """Store a source even without documents, and set its schedule; `None`: only on demand."""
    query = "UPDATE sources SET was_added = true, every = %(every)s WHERE id = %(id)s"
    await connection.execute(query, {"id": source_id, "every": every})


async def set_stale_after(connection: Connection, source_id: int, *, days: int | None) -> None:
    """Set after how many days a document of the source counts as old; `None`: never."""
    query = "UPDATE sources SET stale_after_days = %(days)s WHERE id = %(id)s"
    await connection.execute(query, {"id": source_id, "days": days})


async def set_delete_after(connection: Connection, source_id: int, *, days: int | None) -> None:
    """Set after how many days a document of the source is deleted; `None`: never. All of it is read again."""
    query = "UPDATE sources SET delete_after_days = %(days)s, cursor = '' WHERE id = %(id)s"
    await connection.execute(query, {"id": source_id, "days": days})
    # No listing tells what people added.
    query = """
        INSERT INTO reported_changes (source_id, path)
        SELECT source_id, path FROM added_messages WHERE source_id = %(id)s ON CONFLICT DO NOTHING
    """
    await connection.execute(query, {"id": source_id})


async def delete_old(connection: Connection) -> int:
    """Delete the documents that are older than their source allows, and return how many. Undated ones stay."""
    query = """
        DELETE FROM documents USING sources
        WHERE sources.id = source_id AND delete_after_days IS NOT NULL AND dated < current_date - delete_after_days
    """
    return await fetch.count(connection, query)


async def set_owner(connection: Connection, source_id: int, *, owner: str | None) -> None:
    """Set who is told of flags of the source's documents; `None`: nobody."""
    query = "UPDATE sources SET owner = %(owner)s WHERE id = %(id)s"
    await connection.execute(query, {"id": source_id, "owner": owner})


async def pause(connection: Connection, source_id: int, *, is_paused: bool) -> None:
    """Pause the schedule of a source, or end the pause. Its documents stay."""
    query = "UPDATE sources SET is_paused = %(is_paused)s WHERE id = %(id)s"
    await connection.execute(query, {"id": source_id, "is_paused": is_paused})


async def remove_source(connection: Connection, source_id: int) -> None:
    """Remove a source with its documents and passages."""
    await connection.execute("DELETE FROM sources WHERE id = %(id)s", {"id": source_id})


async def report(connection: Connection, source_id: int, path: str, *, is_outdated: bool) -> None:
    """Note that a document changed; if it is outdated, delete it until it was read again."""
    given = {"source_id": source_id, "path": path}
    # The row refers to the source, so this waits for a process that stores its documents (`audience_store.hold`), or
    # that process waits for this.
    query = """
        INSERT INTO reported_changes (source_id, path) VALUES (%(source_id)s, %(path)s)
        ON CONFLICT (workspace, source_id, path) DO UPDATE SET change = excluded.change
    """
    await connection.execute(query, given)
    if is_outdated:
        await connection.execute("DELETE FROM documents WHERE source_id = %(source_id)s AND path = %(path)s", given)


async def reported_of(connection: Connection, source_id: int) -> dict[str, UUID]:
    """Return the reported changes of a source, by path."""
    query = "SELECT path, change FROM reported_changes WHERE source_id = %(id)s ORDER BY path"
    return await fetch.pairs(connection, query, id=source_id)


async def is_reported_again(connection: Connection, source_id: int, path: str, known: UUID | None) -> bool:
    """Tell whether a change of a document was reported after the known one."""
    query = """
        SELECT FROM reported_changes
        WHERE source_id = %(source_id)s AND path = %(path)s AND change IS DISTINCT FROM %(known)s
    """
    return await fetch.found(connection, query, source_id=source_id, path=path, known=known)


async def is_withdrawn(connection: Connection, source_id: int, path: str) -> bool:
    """Tell whether a document's source is gone, or holds what people added and nobody wants the document any more."""
    query = """
        SELECT WHERE NOT EXISTS (
            SELECT FROM sources WHERE id = %(id)s AND (location NOT LIKE 'slack:%%/added' OR EXISTS (
                SELECT FROM added_messages WHERE source_id = %(id)s AND path = %(path)s
            ))
        )
    """
    return await fetch.found(connection, query, id=source_id, path=path)


async def settle_reported(connection: Connection, source_id: int, changes: Collection[UUID]) -> None:
    """Note that documents were read after these changes were reported. Later reports stay."""
    query = "DELETE FROM reported_changes WHERE source_id = %(id)s AND change = ANY (%(changes)s)"
    await connection.execute(query, {"id": source_id, "changes": list(changes)})


async def is_anyone_forgotten(connection: Connection, people: Collection[str]) -> bool:
    """Tell whether one of some people was forgotten on request."""
    if not people:
        return False
    query = """
        SELECT FROM unnest(%(people)s::text[]) AS person
        JOIN forgotten ON digest = sha256(convert_to(concat_ws(E'\\n', 'person', person), 'UTF8')) LIMIT 1
    """
    return await fetch.found(connection, query, people=list(people))


async def forgotten_of(connection: Connection, source_id: int, paths: Collection[str]) -> set[str]:
    """Return those of a source's paths that were forgotten, and are therefore never read again."""
    query = """
        SELECT path FROM unnest(%(paths)s::text[]) AS path
        JOIN forgotten ON digest = sha256(convert_to(concat_ws(E'\\n', 'document', %(source_id)s::text, path), 'UTF8'))
    """
    return set(await fetch.values(connection, query, source_id=source_id, paths=list(paths)))
