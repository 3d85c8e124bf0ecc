"""The SQL of what people added from Slack. Call each function in a transaction that reads everything."""

from collections.abc import Collection
from dataclasses import dataclass

from bot.conversation.address import PersonId
from bot.knowledge.connectors.slack.paths import added_in, parts_of, path_of, whole_channel
from bot.postgres import fetch
from bot.postgres.pool import Connection


@dataclass(frozen=True, kw_only=True)
class AddedDocument:
    """A document that somebody added, whether it was read yet or not."""

    path: str
    message_ts: str
    added_by: PersonId | None
    writers: list[str]
    """Whose words it holds."""


async def insert(
    connection: Connection, source_id: int, paths: Collection[str], *, message_ts: str, writer: str, added_by: str
) -> list[str]:
    """Note what is to be read of a message; return the paths that nobody added before."""
    query = """
        INSERT INTO added_messages (source_id, path, message_ts, writer, added_by)
        SELECT %(source_id)s, path, %(message_ts)s, %(writer)s, %(added_by)s FROM unnest(%(paths)s::text[]) AS path
        ON CONFLICT (workspace, source_id, path) DO NOTHING RETURNING path
    """
    return await fetch.values(
        connection,
        query,
        source_id=source_id,
        paths=list(paths),
        message_ts=message_ts,
        writer=writer,
        added_by=added_by,
    )


async def of_thread(connection: Connection, source_id: int, thread_ts: str) -> list[AddedDocument]:
    """Return what was added of a thread: itself, its messages and their files."""
    query = """
        SELECT added.path, message_ts, added_by, array_append(coalesce(writers, '{}'), writer) AS writers
        FROM added_messages AS added LEFT JOIN documents USING (source_id, path)
        WHERE added.source_id = %(source_id)s AND (path = %(thread)s OR starts_with(path, %(parts)s)) ORDER BY path
    """
    return await fetch.rows(
        connection, AddedDocument, query, source_id=source_id, thread=path_of(thread_ts), parts=parts_of(thread_ts)
    )


async def heard_of(connection: Connection, channel: str, thread_ts: str) -> list[tuple[int, str]]:
    """Return the source and path of documents that hold words of a thread: the channel's, and what was added."""
    cursor = await connection.execute(
        """
        SELECT id AS source_id, %(thread)s::text AS path FROM sources WHERE location = %(whole)s
        UNION ALL
        SELECT source_id, path FROM added_messages JOIN sources ON sources.id = source_id
        WHERE location = %(added)s AND (path = %(thread)s OR starts_with(path, %(parts)s))
        """,
        {
            "thread": path_of(thread_ts),
            "parts": parts_of(thread_ts),
            "whole": whole_channel(channel),
            "added": added_in(channel),
        },
    )
    return [(row["source_id"], row["path"]) for row in await cursor.fetchall()]


async def remove(connection: Connection, source_id: int, paths: Collection[str]) -> None:
    """Delete documents that people added, and let no reading that began before store them again."""
    given = {"source_id": source_id, "paths": list(paths)}
    query = "DELETE FROM added_messages WHERE source_id = %(source_id)s AND path = ANY (%(paths)s)"
    await connection.execute(query, given)
    await connection.execute("DELETE FROM documents WHERE source_id = %(source_id)s AND path = ANY (%(paths)s)", given)
    query = "DELETE FROM reported_changes WHERE source_id = %(source_id)s AND path = ANY (%(paths)s)"
    await connection.execute(query, given)
    await connection.execute("DELETE FROM failures WHERE source_id = %(source_id)s AND path = ANY (%(paths)s)", given)
