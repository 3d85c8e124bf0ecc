"""Shared answers in SQL; call everything here within the workspace."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.rows import class_row

from bot.conversation.address import ChannelId, PersonId, Placed, Ts
from bot.postgres.pool import Connection


@dataclass(frozen=True, kw_only=True)
class Shared:
    """An answer that somebody shared in a channel."""

    channel: ChannelId
    ts: Ts
    person: PersonId
    documents: Sequence[int]
    is_restricted: bool
    """Whether not everybody there might read its documents."""
    shared_at: datetime


async def hold(connection: Connection, message_key: str) -> None:
    """Let nobody else share or take back the answer to a question until the transaction ends."""
    await connection.execute(
        "SELECT pg_advisory_xact_lock(hashtextextended('shared:' || %(key)s, 0))", {"key": message_key}
    )


async def standing(connection: Connection, message_key: str) -> Placed | None:
    """Return where the copy of a question's answer is."""
    cursor = connection.cursor(row_factory=class_row(Placed))
    await cursor.execute(
        "SELECT channel, ts FROM shared_answers WHERE message_key = %(key)s AND taken_back_at IS NULL",
        {"key": message_key},
    )
    return await cursor.fetchone()


async def parts_of(connection: Connection, answer: Placed) -> Sequence[Ts]:
    """Return the messages of the answer that a message is a part of, in order."""
    cursor = await connection.execute(
        """
        SELECT DISTINCT part.ts FROM messages AS clicked JOIN messages AS part USING (workspace, inbox_id, kind)
        WHERE clicked.channel = %(channel)s AND clicked.ts = %(ts)s AND part.channel = clicked.channel
        ORDER BY part.ts
        """,
        {"channel": answer.channel, "ts": answer.ts},
    )
    return [row["ts"] for row in await cursor.fetchall()]


async def documents_of(connection: Connection, passages: Collection[int]) -> list[int]:
    """Return the documents of some passages, those that may be read."""
    cursor = await connection.execute(
        "SELECT DISTINCT document_id FROM passages WHERE id = ANY (%(ids)s) ORDER BY 1", {"ids": [*passages]}
    )
    return [row["document_id"] for row in await cursor.fetchall()]


async def note(connection: Connection, message_key: str, shared: Shared) -> None:
    """Record that somebody shared the answer to a question."""
    given: Mapping[str, Any] = {**vars(shared), "key": message_key}
    await connection.execute(
        """
        INSERT INTO shared_answers (message_key, channel, ts, person, documents, is_restricted, shared_at)
        VALUES (%(key)s, %(channel)s, %(ts)s, %(person)s, %(documents)s, %(is_restricted)s, %(shared_at)s)
        """,
        given,
    )


async def latest(connection: Connection) -> Sequence[Mapping[str, Any]]:
    """Return the latest hundred shared answers, newest first, with the titles of those documents that may be read."""
    cursor = await connection.execute(
        """
        SELECT shared_at, person, channel, is_restricted, taken_back_at, (
            SELECT coalesce(array_agg(title ORDER BY title), '{}') FROM documents WHERE id = ANY (shared.documents)
        ) AS titles
        FROM shared_answers AS shared ORDER BY id DESC LIMIT 100
        """
    )
    return await cursor.fetchall()


async def note_taken_back(connection: Connection, message_key: str, *, now: datetime) -> None:
    """Record that the copy of a question's answer is gone."""
    await connection.execute(
        "UPDATE shared_answers SET taken_back_at = %(now)s WHERE message_key = %(key)s AND taken_back_at IS NULL",
        {"key": message_key, "now": now},
    )
