"""The SQL of audiences. Call each function in a transaction of the workspace."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, TypeAlias

from bot.audience import ALL, BESIDE_GUESTS, EVERYONE, GUESTS, Names
from bot.postgres import fetch
from bot.postgres.pool import Connection, Database

READABLE: Final = """ARRAY(
    SELECT id FROM audiences
    WHERE (names && %(names)s::text[] OR '*' = ANY (%(names)s::text[])) AND names @> %(also)s::text[]
    ORDER BY id
)::text"""
"""The ids of the audiences that some names may read, sorted; its parameters are `readable_by`."""

Reader: TypeAlias = Callable[[], Awaitable[Names]]
"""Returns the audience names under which the asker reads now."""


@dataclass(frozen=True, kw_only=True)
class Audience:
    """Who may read a source, or a part of it."""

    path: str
    """A document or folder below the source; empty for the rest."""
    names: list[str]
    documents: int


@asynccontextmanager
async def reading_as(database: Database, workspace: str, reader: Reader) -> AsyncGenerator[Connection]:
    """Lend a connection that reads as an asker, in one round trip (`Database.at_once`)."""
    names = await reader()
    async with database.at_once(workspace) as connection:
        await read_as(connection, names)
        yield connection


@asynccontextmanager
async def transaction_as(database: Database, workspace: str, names: Names) -> AsyncGenerator[Connection]:
    """Lend a transaction that reads as these names, and may write."""
    async with database.transaction(workspace) as connection:
        await read_as(connection, names)
        yield connection


async def read_as(connection: Connection, names: Names) -> None:
    """Show the transaction what these names may read. Without this call it sees no document or verified answer.

    Beside guests, these are the documents that are also for guests; no verified answer is.
    """
    await connection.execute(
        f"SELECT set_config('askback.names', %(own)s::text[]::text, true), "
        f"set_config('askback.audiences', {READABLE}, true)",
        {"own": [] if BESIDE_GUESTS in names else sorted(names), **readable_by(names)},
    )


def readable_by(names: Names) -> dict[str, list[str]]:
    """Return the parameters of `READABLE`."""
    return {"names": sorted(names), "also": [GUESTS] if BESIDE_GUESTS in names else []}


async def named(connection: Connection) -> Names:
    """Return the channels and user groups for which there are documents or verified answers.

    Nobody needs to ask Slack for other memberships.
    """
    await read_as(connection, ALL)
    query = """
        SELECT DISTINCT name FROM audiences, unnest(names) AS name
        WHERE starts_with(name, 'channel:') OR starts_with(name, 'group:')
        UNION SELECT place FROM verified_answers WHERE retired_at IS NULL AND starts_with(place, 'channel:')
    """
    return frozenset(await fetch.values(connection, query))


async def add_default(connection: Connection, workspace: str, source_id: int, names: Collection[str]) -> None:
    """Allow these names to read a new source, unless it has an audience."""
    query = """
        INSERT INTO audiences (workspace, source_id, path, names)
        VALUES (%(workspace)s, %(source_id)s, '', %(names)s) ON CONFLICT (source_id, path) DO NOTHING
    """
    await connection.execute(query, {"workspace": workspace, "source_id": source_id, "names": sorted(names)})


async def hold(connection: Connection, source_id: int) -> None:
    """See the whole source, and lock it against sharing and storing until the transaction ends."""
    await connection.execute("SELECT FROM sources WHERE id = %(id)s FOR UPDATE", {"id": source_id})
    # Read after locking, because the previous holder of the lock may have added an audience.
    await read_as(connection, ALL)


async def share(connection: Connection, source_id: int, path: str, names: Collection[str]) -> None:
    """Allow only these names to read a source, or a document or folder in it, from the next search on."""
    await hold(connection, source_id)
    await _set_names(connection, source_id, {path: names})
    await _bring_in_line(connection, source_id)


async def share_as_around(connection: Connection, source_id: int, path: str) -> None:
    """Remove the audience of a part, so that the surrounding one holds."""
    await hold(connection, source_id)
    query = "SELECT id FROM audiences WHERE source_id = %(source_id)s AND path = %(path)s AND path <> ''"
    audience = await fetch.value(connection, query, source_id=source_id, path=path)
    if audience is not None:
        # Documents still refer to the audience, and deleting it would delete them too.
        await _bring_in_line(connection, source_id, without=[audience])
        await connection.execute("DELETE FROM audiences WHERE id = %(id)s", {"id": audience})


async def share_as_said(connection: Connection, source_id: int, readers: Mapping[str, Names]) -> None:
    """Set the readers that a source names itself: of each part its names, of all other parts nobody."""
    await hold(connection, source_id)
    await _set_names(connection, source_id, {"": Names(), **readers})
    query = "SELECT id FROM audiences WHERE source_id = %(source_id)s AND path <> ALL (%(paths)s)"
    others = await fetch.values(connection, query, source_id=source_id, paths=["", *readers])
    await _bring_in_line(connection, source_id, without=others)
    await connection.execute("DELETE FROM audiences WHERE id = ANY (%(ids)s)", {"ids": others})


async def share_at_most(connection: Connection, source_id: int, names: Collection[str]) -> int:
    """Allow nobody else to read any part of a source; return how many parts others could read.

    What was for everyone is for all of these names, the rest for those of its names that are among them.
    """
    await hold(connection, source_id)
    query = """
        UPDATE audiences SET names = CASE WHEN %(everyone)s = ANY (names) THEN %(most)s::text[]
            ELSE ARRAY(SELECT name FROM unnest(names) AS name WHERE name = ANY (%(most)s::text[])) END
        WHERE source_id = %(source_id)s AND NOT names <@ %(most)s::text[]
    """
    return await fetch.count(connection, query, source_id=source_id, most=sorted(names), everyone=EVERYONE)


async def audiences_of(connection: Connection, source_id: int) -> list[Audience]:
    """Return the audiences of a source and its parts, the whole source first."""
    query = """
        SELECT audiences.path, names, count(documents.id) AS documents
        FROM audiences LEFT JOIN documents ON audience_id = audiences.id
        WHERE audiences.source_id = %(source_id)s GROUP BY audiences.id ORDER BY audiences.path
    """
    return await fetch.rows(connection, Audience, query, source_id=source_id)


async def _set_names(connection: Connection, source_id: int, names: Mapping[str, Collection[str]]) -> None:
    """Name the readers of a source's parts by path."""
    query = """
        INSERT INTO audiences (workspace, source_id, path, names)
        SELECT workspace, id, %(path)s, %(names)s FROM sources WHERE id = %(source_id)s
        ON CONFLICT (source_id, path) DO UPDATE SET names = excluded.names WHERE audiences.names <> excluded.names
    """
    async with connection.cursor() as cursor:
        await cursor.executemany(
            query, [{"source_id": source_id, "path": path, "names": sorted(those)} for path, those in names.items()]
        )


async def _bring_in_line(connection: Connection, source_id: int, *, without: Collection[int] = ()) -> None:
    """Give each document of a source the audience with the longest matching path."""
    await read_as(connection, ALL)
    query = """
        UPDATE documents SET audience_id = best.audience_id
        FROM (
            SELECT DISTINCT ON (documents.id) documents.id, audiences.id AS audience_id
            FROM documents JOIN audiences USING (source_id)
            WHERE source_id = %(source_id)s AND audiences.id <> ALL (%(without)s)
              AND (audiences.path IN ('', documents.path) OR starts_with(documents.path, audiences.path || '/'))
            ORDER BY documents.id, length(audiences.path) DESC
        ) AS best
        WHERE documents.id = best.id AND documents.audience_id <> best.audience_id
    """
    await connection.execute(query, {"source_id": source_id, "without": [*without]})
