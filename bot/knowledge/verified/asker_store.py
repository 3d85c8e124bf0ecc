"""The SQL of who asked in vain what was answered since. Call each function in a transaction that reads everything."""

from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row

from bot.conversation.address import ChannelId, PersonId, Ts
from bot.postgres.pool import Connection


@dataclass(frozen=True, kw_only=True)
class Untold:
    """A verified answer of which those who had asked in vain were not told yet."""

    id: int
    origin: str
    asked_as: str
    text: str
    writer: str
    writer_name: str
    kept_at: datetime
    phrasings: list[str]


@dataclass(frozen=True, kw_only=True)
class Unanswered:
    """A question that began its thread and got no answer."""

    person: PersonId
    channel: ChannelId
    asked_ts: Ts
    asked_at: datetime
    question: str


async def lock_next_untold(connection: Connection, *, now: datetime) -> Untold | None:
    """Lock the next answer of which nobody was told yet who had asked in vain."""
    cursor = connection.cursor(row_factory=class_row(Untold))
    await cursor.execute(
        """
        SELECT id, origin, asked_as, text, writer, writer_name, kept_at,
               ARRAY(SELECT phrasings.text FROM phrasings WHERE answer_id = verified_answers.id) AS phrasings
        FROM verified_answers
        WHERE retired_at IS NULL AND askers_told_at IS NULL AND valid_until > %(now)s
        ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
        """,
        {"now": now},
    )
    return await cursor.fetchone()


async def unanswered(connection: Connection, answer: Untold, *, since: datetime) -> list[Unanswered]:
    """Return what others asked in vain since a time, the newest first, except people who got this answer elsewhere.

    In vain: no document answered it, or its review was rejected or expired, and no reviewer answered it afterwards.
    """
    cursor = connection.cursor(row_factory=class_row(Unanswered))
    await cursor.execute(
        """
        SELECT person, address ->> 'channel' AS channel, address ->> 'message_ts' AS asked_ts,
               received_at AS asked_at, content ->> 'question' AS question
        FROM inbox CROSS JOIN LATERAL (
            SELECT coalesce(bool_or(status = 'decided' AND decision ->> 'kind' <> 'rejected'), false) AS was_answered,
                   coalesce(bool_or(status = 'expired' OR decision ->> 'kind' = 'rejected'), false) AS was_given_up
            FROM asks WHERE asks.inbox_id = inbox.id AND asks.kind = 'review'
        ) AS review CROSS JOIN LATERAL (
            SELECT coalesce((SELECT outcome FROM runs WHERE runs.inbox_id = inbox.id ORDER BY runs.id DESC LIMIT 1), '')
                AS outcome
        ) AS last
        WHERE kind = 'turn' AND status = 'finished' AND received_at > %(since)s AND starts_with(surface, 'slack:')
          AND address ->> 'thread_ts' = address ->> 'message_ts'
          AND person NOT IN (%(writer)s, coalesce(
              -- Who asked what was answered has read it.
              (SELECT asker.person FROM inbox AS asker WHERE asker.message_key = %(asked_as)s), ''
          ))
          AND (was_given_up OR outcome IN ('admitted', 'rejected')) AND NOT was_answered
          AND NOT EXISTS (SELECT FROM tellings WHERE answer_id = %(id)s AND tellings.person = inbox.person)
        ORDER BY received_at DESC
        """,
        {"id": answer.id, "writer": answer.writer, "asked_as": answer.asked_as, "since": since},
    )
    return await cursor.fetchall()


async def set_told(connection: Connection, answer_id: int, *, now: datetime) -> None:
    """Note that those who had asked in vain were told of an answer."""
    await connection.execute(
        "UPDATE verified_answers SET askers_told_at = %(now)s WHERE id = %(id)s", {"id": answer_id, "now": now}
    )
