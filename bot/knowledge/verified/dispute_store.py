"""The SQL of verified answers that a newer document, or somebody to whom one was told, contradicts.

Call each function in a transaction of a reader.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from psycopg.rows import class_row

from bot.conversation.address import PersonId
from bot.postgres.pool import Connection


@dataclass(frozen=True, kw_only=True)
class Disputed:
    """A verified answer whose writer was not asked yet about a passage that says otherwise."""

    id: int
    origin: str
    question: str
    text: str
    writer: PersonId
    disputed_by: int
    """The passage."""
    sources: Sequence[Mapping[str, Any]]
    """As they were stored: each has a `source_id` and a `path`."""


@dataclass(frozen=True, kw_only=True)
class Otherwise:
    """A passage that says otherwise than a verified answer."""

    title: str
    dated: date | None
    text: str
    source_id: int
    path: str

    def is_source_of(self, answer: Disputed) -> bool:
        """Tell whether it is of a document that the answer cites."""
        return any((self.source_id, self.path) == (one["source_id"], one["path"]) for one in answer.sources)


@dataclass(frozen=True, kw_only=True)
class Objected:
    """A verified answer that somebody to whom it was told says is out of date or wrong."""

    id: int
    origin: str
    question: str
    writer: PersonId


async def lock_next_objected(connection: Connection) -> Objected | None:
    """Lock the next answer that somebody objects to, unless its writer was told since they last checked it."""
    cursor = connection.cursor(row_factory=class_row(Objected))
    await cursor.execute(
        """
        SELECT id, origin, question, writer FROM verified_answers
        WHERE retired_at IS NULL AND coalesce(objection_told_at < kept_at, true) AND EXISTS (
            SELECT FROM feedback JOIN inbox ON inbox.id = inbox_id
                JOIN tellings ON asked_ts = address ->> 'message_ts'
            WHERE answer_id = verified_answers.id AND verdict = 'bad' AND reason IN ('outdated', 'wrong')
              AND given_at > kept_at
        )
        ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
        """
    )
    return await cursor.fetchone()


async def set_objection_told(connection: Connection, answer_id: int, *, now: datetime) -> None:
    """Note that the writer was told that somebody objects."""
    await connection.execute(
        "UPDATE verified_answers SET objection_told_at = %(now)s WHERE id = %(id)s", {"id": answer_id, "now": now}
    )


async def note(connection: Connection, answer_id: int, passage_id: int) -> None:
    """Note that a passage says otherwise; about the same one nobody is asked twice."""
    await connection.execute(
        """
        UPDATE verified_answers SET disputed_by = %(passage_id)s, dispute_asked_at = NULL
        WHERE id = %(id)s AND disputed_by IS DISTINCT FROM %(passage_id)s
        """,
        {"id": answer_id, "passage_id": passage_id},
    )


async def lock_next(connection: Connection) -> Disputed | None:
    """Lock the next answer about which its writer was not asked yet."""
    cursor = connection.cursor(row_factory=class_row(Disputed))
    await cursor.execute(
        """
        SELECT id, origin, question, text, writer, disputed_by, sources FROM verified_answers
        WHERE retired_at IS NULL AND disputed_by IS NOT NULL AND dispute_asked_at IS NULL
        ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
        """
    )
    return await cursor.fetchone()


async def otherwise(connection: Connection, passage_id: int) -> Otherwise | None:
    """Return a passage if it is still there and the transaction may read it."""
    cursor = connection.cursor(row_factory=class_row(Otherwise))
    await cursor.execute(
        """
        SELECT title, dated, text, source_id, path FROM passages JOIN documents ON documents.id = document_id
        WHERE passages.id = %(id)s
        """,
        {"id": passage_id},
    )
    return await cursor.fetchone()


async def set_asked(connection: Connection, answer_id: int, *, now: datetime) -> None:
    """Note that the writer was asked."""
    await connection.execute(
        "UPDATE verified_answers SET dispute_asked_at = %(now)s WHERE id = %(id)s", {"id": answer_id, "now": now}
    )


async def check(connection: Connection, answer_id: int, *, now: datetime, until: datetime) -> None:
    """Let an answer be of now: documents that are older no longer stand beside it."""
    await connection.execute(
        """
        UPDATE verified_answers SET kept_at = %(now)s, valid_until = %(until)s, holds_asked_at = NULL
        WHERE id = %(id)s
        """,
        {"id": answer_id, "now": now, "until": until},
    )
