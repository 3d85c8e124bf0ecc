"""The SQL of whom a verified answer was told, and of its renewal.

Call each function in a transaction of the workspace that reads as somebody.
"""

from dataclasses import asdict, dataclass
from datetime import datetime

from psycopg.rows import class_row

from bot.conversation.inputs import Rating
from bot.postgres.pool import Connection
from graph.verified import Telling


@dataclass(frozen=True, kw_only=True)
class Ending:
    """A verified answer that ends soon."""

    id: int
    origin: str
    question: str
    writer_name: str
    kept_at: datetime
    valid_until: datetime


@dataclass(frozen=True, kw_only=True)
class RatedTelling:
    """A question that a verified answer was told to, and that somebody has rated since."""

    answer_id: int
    message_key: str
    question: str
    is_follow_up: bool
    """Whether it was asked in a thread, so that its words may not stand alone."""


@dataclass(frozen=True, kw_only=True)
class Revised:
    """Who told a verified answer in other words, when, and until when it holds."""

    writer: str
    writer_name: str
    now: datetime
    valid_until: datetime


async def revise(connection: Connection, answer_id: int, text: str, revised: Revised) -> None:
    """Let an answer be told in other words."""
    await connection.execute(
        """
        UPDATE verified_answers
        SET text = %(text)s, writer = %(writer)s, writer_name = %(writer_name)s, kept_at = %(now)s,
            valid_until = %(valid_until)s, holds_asked_at = NULL
        WHERE id = %(id)s
        """,
        {"id": answer_id, "text": text, **asdict(revised)},
    )


async def insert_telling(connection: Connection, answer_id: int, telling: Telling, *, now: datetime) -> None:
    """Note whom an answer was told, once for each question."""
    await connection.execute(
        """
        INSERT INTO tellings (answer_id, person, asked_ts, told_at)
        VALUES (%(answer_id)s, %(person)s, %(asked_ts)s, %(now)s) ON CONFLICT DO NOTHING
        """,
        {"answer_id": answer_id, "person": telling.person, "asked_ts": telling.key, "now": now},
    )


async def last_users(connection: Connection, answer_id: int, *, limit: int) -> list[str]:
    """Return the people who were told an answer last."""
    cursor = await connection.execute(
        """
        SELECT person FROM tellings WHERE answer_id = %(id)s
        GROUP BY person ORDER BY max(told_at) DESC, person LIMIT %(limit)s
        """,
        {"id": answer_id, "limit": limit},
    )
    return [row["person"] for row in await cursor.fetchall()]


async def lock_next_ending(connection: Connection, *, before: datetime) -> Ending | None:
    """Lock the next answer that ends before a time, was used, and about which nobody was asked yet."""
    cursor = connection.cursor(row_factory=class_row(Ending))
    await cursor.execute(
        """
        SELECT id, origin, question, writer_name, kept_at, valid_until FROM verified_answers
        WHERE retired_at IS NULL AND holds_asked_at IS NULL AND valid_until < %(before)s
          AND EXISTS (SELECT FROM tellings WHERE answer_id = verified_answers.id)
        ORDER BY valid_until, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
        """,
        {"before": before},
    )
    return await cursor.fetchone()


async def was_asked(connection: Connection, answer_id: int, person: str) -> bool:
    """Tell whether a person, who was told an answer, may have been asked whether it held."""
    cursor = await connection.execute(
        """
        SELECT FROM verified_answers JOIN tellings ON answer_id = verified_answers.id
        WHERE verified_answers.id = %(id)s AND holds_asked_at IS NOT NULL AND person = %(person)s LIMIT 1
        """,
        {"id": answer_id, "person": person},
    )
    return await cursor.fetchone() is not None


async def is_readable(connection: Connection, answer_id: int) -> bool:
    """Tell whether the transaction may read an answer."""
    cursor = await connection.execute("SELECT FROM verified_answers WHERE id = %(id)s", {"id": answer_id})
    return await cursor.fetchone() is not None


async def set_asked(connection: Connection, answer_id: int, *, now: datetime) -> None:
    """Note that its last users were asked whether an answer held."""
    await connection.execute(
        "UPDATE verified_answers SET holds_asked_at = %(now)s WHERE id = %(id)s", {"id": answer_id, "now": now}
    )


async def renew(connection: Connection, answer_id: int, *, until: datetime) -> None:
    """Let an answer hold until a time, and be asked about again only if it is used again."""
    await connection.execute(
        """
        UPDATE verified_answers
        SET valid_until = %(until)s, holds_asked_at = NULL, retired_at = NULL, retired_by = NULL
        WHERE id = %(id)s
        """,
        {"id": answer_id, "until": until},
    )
    await connection.execute("DELETE FROM tellings WHERE answer_id = %(id)s", {"id": answer_id})


async def rated(connection: Connection, rating: Rating) -> RatedTelling | None:
    """Return the question of a rated answer, if a verified answer was told to it."""
    cursor = connection.cursor(row_factory=class_row(RatedTelling))
    await cursor.execute(
        """
        SELECT answer_id, message_key, content ->> 'question' AS question,
               address ->> 'thread_ts' <> address ->> 'message_ts' AS is_follow_up
        FROM messages JOIN inbox ON inbox.id = inbox_id JOIN tellings ON asked_ts = address ->> 'message_ts'
        WHERE messages.channel = %(channel)s AND ts = %(ts)s AND messages.kind = 'answer' AND message_key IS NOT NULL
        LIMIT 1
        """,
        {"channel": rating.channel, "ts": rating.message_ts},
    )
    return await cursor.fetchone()
