"""The SQL of what people are told of a verified answer: which answer is next, whom it concerns, and that they know.

Call each function in a transaction of the workspace that reads as somebody.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, Literal, TypeAlias

from bot.contributions.maintain import Asker
from bot.knowledge.verified.store import COLUMNS, StoredVerified
from bot.postgres import fetch
from bot.postgres.pool import Connection

Notice: TypeAlias = Literal["holds_asked_at", "askers_told_at", "dispute_asked_at", "objection_told_at"]
"""The column that says when people were told."""
BEFORE: Final = timedelta(days=7)
"""How long before an answer ends its last users are asked."""


@dataclass(frozen=True, kw_only=True)
class Contradiction:
    """A passage that says otherwise than a verified answer."""

    title: str
    dated: date | None
    text: str
    source_id: int
    path: str


async def lock_next(connection: Connection, notice: Notice, *, now: datetime) -> StoredVerified | None:
    """Lock the next answer of which people must be told.

    It ends soon and was used; or nobody was told of it who had asked in vain; or a passage contradicts it; or somebody
    to whom it was told says that it is out of date or wrong. The writer is told again only of objections since they
    last checked it.
    """
    query = f"""
        SELECT {COLUMNS} FROM verified_answers
        WHERE retired_at IS NULL AND CASE %(notice)s
            WHEN 'holds_asked_at' THEN holds_asked_at IS NULL AND valid_until < %(soon)s
                AND EXISTS (SELECT FROM tellings WHERE answer_id = verified_answers.id)
            WHEN 'askers_told_at' THEN askers_told_at IS NULL AND valid_until > %(now)s
            WHEN 'dispute_asked_at' THEN disputed_by IS NOT NULL AND dispute_asked_at IS NULL
            WHEN 'objection_told_at' THEN coalesce(objection_told_at < kept_at, true) AND EXISTS (
                SELECT FROM feedback JOIN inbox ON inbox.id = inbox_id
                    JOIN tellings ON asked_ts = address ->> 'message_ts'
                WHERE answer_id = verified_answers.id AND verdict = 'bad' AND reason IN ('outdated', 'wrong')
                  AND given_at > kept_at
            )
        END
        ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
    """  # noqa: S608 — of literals only.
    return await fetch.row(connection, StoredVerified, query, notice=notice, now=now, soon=now + BEFORE)


async def set_told(connection: Connection, answer_id: int, notice: Notice, *, now: datetime) -> None:
    """Note that people were told of an answer."""
    query = """
        UPDATE verified_answers SET
            holds_asked_at = CASE %(notice)s WHEN 'holds_asked_at' THEN %(now)s ELSE holds_asked_at END,
            askers_told_at = CASE %(notice)s WHEN 'askers_told_at' THEN %(now)s ELSE askers_told_at END,
            dispute_asked_at = CASE %(notice)s WHEN 'dispute_asked_at' THEN %(now)s ELSE dispute_asked_at END,
            objection_told_at = CASE %(notice)s WHEN 'objection_told_at' THEN %(now)s ELSE objection_told_at END
        WHERE id = %(id)s
    """
    await connection.execute(query, {"id": answer_id, "notice": notice, "now": now})


async def last_users(connection: Connection, answer_id: int, *, limit: int) -> list[str]:
    """Return the people who were told an answer last."""
    query = """
        SELECT person FROM tellings WHERE answer_id = %(id)s
        GROUP BY person ORDER BY max(told_at) DESC, person LIMIT %(limit)s
    """
    return await fetch.values(connection, query, id=answer_id, limit=limit)


async def unanswered(connection: Connection, answer: StoredVerified, *, since: datetime) -> list[Asker]:
    """Return what others asked in vain since a time, the newest first, except people who got this answer elsewhere.

    In vain: no document answered it, or its review was rejected or expired, and no reviewer answered it afterwards.
    """
    query = """
        SELECT person, address ->> 'channel' AS channel, address ->> 'message_ts' AS asked_ts,
               received_at::date AS asked_on, content ->> 'question' AS question
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
    """
    return await fetch.rows(
        connection, Asker, query, id=answer.id, writer=answer.writer, asked_as=answer.asked_as, since=since
    )


async def contradiction(connection: Connection, passage_id: int) -> Contradiction | None:
    """Return a passage if it is still there and the transaction may read it."""
    query = """
        SELECT title, dated, text, source_id, path FROM passages JOIN documents ON documents.id = document_id
        WHERE passages.id = %(id)s
    """
    return await fetch.row(connection, Contradiction, query, id=passage_id)
