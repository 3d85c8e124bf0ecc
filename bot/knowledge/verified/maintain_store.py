"""The SQL of what happens to verified answers: they are told, contradicted, revised, checked and renewed.

Call each function in a transaction of the workspace that reads as somebody.
"""

from dataclasses import asdict, dataclass
from datetime import datetime

from bot.conversation.inputs import Rating
from bot.postgres import fetch
from bot.postgres.pool import Connection
from graph.verified import Telling


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
    """Store an answer in other words."""
    query = """
        UPDATE verified_answers
        SET text = %(text)s, writer = %(writer)s, writer_name = %(writer_name)s, kept_at = %(now)s,
            valid_until = %(valid_until)s, holds_asked_at = NULL
        WHERE id = %(id)s
    """
    await connection.execute(query, {"id": answer_id, "text": text, **asdict(revised)})


async def check(connection: Connection, answer_id: int, *, now: datetime, until: datetime) -> None:
    """Date an answer now, so that older documents no longer appear beside it."""
    query = """
        UPDATE verified_answers SET kept_at = %(now)s, valid_until = %(until)s, holds_asked_at = NULL
        WHERE id = %(id)s
    """
    await connection.execute(query, {"id": answer_id, "now": now, "until": until})


async def note_dispute(connection: Connection, answer_id: int, passage_id: int) -> None:
    """Note that a passage says otherwise; about the same one nobody is asked twice."""
    query = """
        UPDATE verified_answers SET disputed_by = %(passage_id)s, dispute_asked_at = NULL
        WHERE id = %(id)s AND disputed_by IS DISTINCT FROM %(passage_id)s
    """
    await connection.execute(query, {"id": answer_id, "passage_id": passage_id})


async def insert_telling(connection: Connection, answer_id: int, telling: Telling, *, now: datetime) -> None:
    """Note whom an answer was told, once for each question."""
    query = """
        INSERT INTO tellings (answer_id, person, asked_ts, told_at)
        VALUES (%(answer_id)s, %(person)s, %(asked_ts)s, %(now)s) ON CONFLICT DO NOTHING
    """
    given = {"answer_id": answer_id, "person": telling.person, "asked_ts": telling.key, "now": now}
    await connection.execute(query, given)


async def was_asked(connection: Connection, answer_id: int, person: str) -> bool:
    """Tell whether a person, who was told an answer, may have been asked whether it held."""
    query = """
        SELECT FROM verified_answers JOIN tellings ON answer_id = verified_answers.id
        WHERE verified_answers.id = %(id)s AND holds_asked_at IS NOT NULL AND person = %(person)s LIMIT 1
    """
    return await fetch.found(connection, query, id=answer_id, person=person)


async def is_readable(connection: Connection, answer_id: int) -> bool:
    """Tell whether the transaction may read an answer."""
    return await fetch.found(connection, "SELECT FROM verified_answers WHERE id = %(id)s", id=answer_id)


async def renew(connection: Connection, answer_id: int, *, until: datetime) -> None:
    """Renew an answer until a time. People are asked about it again only if it is used again."""
    query = """
        UPDATE verified_answers
        SET valid_until = %(until)s, holds_asked_at = NULL, retired_at = NULL, retired_by = NULL
        WHERE id = %(id)s
    """
    await connection.execute(query, {"id": answer_id, "until": until})
    await connection.execute("DELETE FROM tellings WHERE answer_id = %(id)s", {"id": answer_id})


async def rated(connection: Connection, rating: Rating) -> RatedTelling | None:
    """Return the question of a rated answer, if a verified answer was told to it."""
    query = """
        SELECT answer_id, message_key, content ->> 'question' AS question,
               address ->> 'thread_ts' <> address ->> 'message_ts' AS is_follow_up
        FROM messages JOIN inbox ON inbox.id = inbox_id JOIN tellings ON asked_ts = address ->> 'message_ts'
        WHERE messages.channel = %(channel)s AND ts = %(ts)s AND messages.kind = 'answer' AND message_key IS NOT NULL
        LIMIT 1
    """
    return await fetch.row(connection, RatedTelling, query, channel=rating.channel, ts=rating.message_ts)
