"""Shared answers in SQL; call everything here within the workspace.

A row says what is to be done before any process does it. A process takes the row for a lease, and calls Slack outside
of the transaction. If the process dies or fails, another one takes the row, and finds by its key what was posted.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from bot.conversation.address import Address, ChannelId, Placed, Ts
from bot.postgres import fetch
from bot.postgres.pool import Connection

LEASE: Final = timedelta(minutes=3)
"""How long nobody else takes a copy that is being posted or deleted."""
LONGEST_PAUSE: Final = timedelta(hours=1)
"""The longest lease of a copy that is to be deleted: each is twice as long as the one before."""
MOST_ATTEMPTS: Final = 24
"""After so many attempts to post a copy it is given up. A deletion is never given up: a wrong answer would stay."""


@dataclass(frozen=True, kw_only=True)
class SharedCopy:
    """The copy of an answer in a channel, which is to be posted or deleted."""

    id: int
    channel: ChannelId
    thread_ts: Ts
    ts: Ts | None
    """The copy, if it is known that Slack has taken it."""
    answer_channel: ChannelId
    answer_ts: Ts
    is_unwanted: bool
    """Whether it is to be deleted."""
    attempts: int
    """How often somebody has taken it to post it, or to delete it; this time counts."""
    must_be_told: bool
    """Whether it was given up, and its sharer has not shared the answer again."""

    @property
    def key(self) -> str:
        """What its message can be found by."""
        return f"share:{self.id}"

    @property
    def answer(self) -> Placed:
        """The message that is copied."""
        return Placed(channel=self.answer_channel, ts=self.answer_ts)


async def want(connection: Connection, asked: Address, answer: Placed, *, now: datetime) -> bool:
    """Note that the asker of a question shares its answer there; return whether nobody has noted that before."""
    query = """
        INSERT INTO shared_answers (message_key, channel, thread_ts, answer_channel, answer_ts, person,
                                    shared_at, due_at)
        VALUES (%(channel)s || ':' || %(message_ts)s, %(channel)s, %(thread_ts)s, %(answer_channel)s, %(answer_ts)s,
                %(person)s, %(now)s, %(now)s)
        ON CONFLICT DO NOTHING
    """
    return await fetch.found(
        connection, query, **vars(asked), answer_channel=answer.channel, answer_ts=answer.ts, now=now
    )


async def unwant(connection: Connection, message_key: str, *, now: datetime) -> bool:
    """Note that the copy of a question's answer is to be deleted; return whether there is one."""
    query = """
        UPDATE shared_answers SET is_unwanted = true, due_at = coalesce(due_at, %(now)s), attempts = 0
        WHERE message_key = %(key)s AND NOT is_unwanted
    """
    return await fetch.found(connection, query, key=message_key, now=now)


async def take_next(connection: Connection, *, now: datetime) -> SharedCopy | None:
    """Take the copy that has been due the longest, for as long as a lease lasts."""
    query = """
        UPDATE shared_answers AS shared SET attempts = attempts + 1, due_at = %(now)s + CASE
            WHEN is_unwanted THEN least(%(lease)s::interval * power(2, least(attempts, 9)), %(longest)s)
            ELSE %(lease)s
        END
        WHERE id = (SELECT id FROM shared_answers WHERE due_at <= %(now)s
                    ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING id, channel, thread_ts, ts, answer_channel, answer_ts, is_unwanted, attempts,
                  is_given_up AND NOT EXISTS (
                      SELECT FROM shared_answers AS again
                      WHERE again.message_key = shared.message_key AND NOT again.is_unwanted
                  ) AS must_be_told
    """
    return await fetch.row(connection, SharedCopy, query, now=now, lease=LEASE, longest=LONGEST_PAUSE)


async def give_up(connection: Connection, copy_id: int) -> bool:
    """Note that a copy is not posted, and what is there of it must go; return whether it was still to be posted."""
    query = """
        UPDATE shared_answers SET is_unwanted = true, is_given_up = true, attempts = 0
        WHERE id = %(id)s AND ts IS NULL AND NOT is_unwanted
    """
    return await fetch.found(connection, query, id=copy_id)


async def note_documents(connection: Connection, copy_id: int, passages: Collection[int], *, restricted: bool) -> None:
    """Record, before a copy is posted, which documents it is from, and whether not everybody there may read them."""
    query = """
        UPDATE shared_answers SET is_restricted = %(restricted)s, documents = (
            SELECT coalesce(array_agg(DISTINCT document_id ORDER BY document_id), '{}')
            FROM passages WHERE id = ANY (%(passages)s)
        ) WHERE id = %(id)s
    """
    await connection.execute(query, {"id": copy_id, "passages": [*passages], "restricted": restricted})


async def note_posted(connection: Connection, copy_id: int, ts: Ts, *, now: datetime) -> Mapping[str, Any] | None:
    """Record where a copy is, and that nothing more is to be done, unless it is to be deleted; return its record."""
    query = """
        UPDATE shared_answers SET ts = %(ts)s, due_at = CASE WHEN is_unwanted THEN %(now)s END
        WHERE id = %(id)s RETURNING channel, person, documents, is_restricted AS restricted
    """
    return await fetch.row(connection, dict[str, Any], query, id=copy_id, ts=ts, now=now)


async def note_taken_back(connection: Connection, copy_id: int, ts: Ts, *, now: datetime) -> None:
    """Record that a copy, which was there, is gone."""
    query = "UPDATE shared_answers SET ts = %(ts)s, taken_back_at = %(now)s, due_at = NULL WHERE id = %(id)s"
    await connection.execute(query, {"id": copy_id, "ts": ts, "now": now})


async def drop(connection: Connection, copy_id: int) -> None:
    """Forget a copy that was never posted."""
    await connection.execute("DELETE FROM shared_answers WHERE id = %(id)s", {"id": copy_id})


async def parts_of(connection: Connection, answer: Placed) -> Sequence[Ts]:
    """Return the messages of the answer that a message is a part of, in order."""
    query = """
        SELECT DISTINCT part.ts FROM messages AS clicked JOIN messages AS part USING (workspace, inbox_id, kind)
        WHERE clicked.channel = %(channel)s AND clicked.ts = %(ts)s AND part.channel = clicked.channel
        ORDER BY part.ts
    """
    return await fetch.values(connection, query, channel=answer.channel, ts=answer.ts)


async def latest(connection: Connection) -> Sequence[Mapping[str, Any]]:
    """Return the latest hundred shared answers, newest first, with the titles of those documents that may be read."""
    query = """
        SELECT shared_at, person, channel, is_restricted, taken_back_at, (
            SELECT coalesce(array_agg(title ORDER BY title), '{}') FROM documents WHERE id = ANY (shared.documents)
        ) AS titles
        FROM shared_answers AS shared WHERE ts IS NOT NULL ORDER BY id DESC LIMIT 100
    """
    return await fetch.rows(connection, dict[str, Any], query)
