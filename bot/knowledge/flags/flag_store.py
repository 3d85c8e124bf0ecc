"""The SQL of flagged documents. Call each function in a transaction of the workspace that reads as somebody."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from bot.contributions.flag import CitedDocument, FlagReason, Objection, RatedAnswer, Recipient
from bot.conversation.address import ChannelId, PersonId, Ts
from bot.postgres import fetch
from bot.postgres.pool import Connection

FIRST_OPEN_FLAG: Final = """
    LEFT JOIN LATERAL (
        SELECT flagged_at::date AS flagged_on, reason AS flagged_as FROM flags
        WHERE flags.document_id = documents.id AND settled_at IS NULL ORDER BY flagged_at, flags.id LIMIT 1
    ) AS flag ON true
"""
"""Joins since when and why a document is doubted; nothing of what the transaction may not read."""


@dataclass(frozen=True, kw_only=True)
class Flagged:
    """A document of whose flags nobody was told yet, and who may own it."""

    id: int
    title: str
    path: str
    url: str | None
    site: str | None
    """The address for which its source vouches."""
    attributes: dict[str, str]
    added_by: PersonId | None
    """Who added it, if it is a message that somebody added."""
    source_owner: PersonId | None
    is_scheduled: bool
    """Whether its source is read again by itself."""


@dataclass(frozen=True, kw_only=True)
class StoredFlag:
    """A flag."""

    id: int
    reason: FlagReason
    words: str
    person: PersonId | None
    is_named: bool
    other: str
    other_dated: date | None
    flagged_at: datetime
    channel: ChannelId | None
    """Where the answer is that the reader disliked."""
    ts: Ts | None


@dataclass(frozen=True, kw_only=True)
class OwnFlag:
    """A person's flag of a document, and what is known of who may be told."""

    title: str
    attributes: dict[str, str]
    added_by: PersonId | None
    source_owner: PersonId | None
    is_settled: bool
    is_told: bool
    """Whether somebody was told of this document's open flags."""
    is_given_up: bool
    """Whether nobody could be told of them."""


@dataclass(frozen=True, kw_only=True)
class OpenFlags:
    """The open flags of a document, as an administrator sees them."""

    path: str
    reasons: list[str]
    count: int
    since: datetime
    told_to: str | None


async def cited(connection: Connection, passages: Sequence[int]) -> list[CitedDocument]:
    """Return the documents of these passages that are as they were, in the passages' order."""
    query = """
        SELECT documents.id, title FROM passages JOIN documents ON documents.id = document_id
        WHERE passages.id = ANY (%(ids)s)
        GROUP BY documents.id ORDER BY min(array_position(%(ids)s::bigint[], passages.id))
    """
    return await fetch.rows(connection, CitedDocument, query, ids=list(passages))


async def item_of(connection: Connection, answer: RatedAnswer) -> int | None:
    """Return the item that an answer answers; None if the answer is no longer stored."""
    query = "SELECT inbox_id FROM messages WHERE channel = %(channel)s AND ts = %(ts)s AND kind = 'answer'"
    return await fetch.value(connection, query, channel=answer.channel, ts=answer.message_ts)


async def reason_given(connection: Connection, inbox_id: int, person: PersonId) -> str:
    """Return the reason that a person gave; empty if none."""
    query = "SELECT reason FROM feedback WHERE inbox_id = %(inbox_id)s AND person = %(person)s"
    return await fetch.value(connection, query, inbox_id=inbox_id, person=person) or ""


async def note_reason(connection: Connection, inbox_id: int, objection: Objection) -> bool:
    """Store why a person disliked an answer; return whether they disliked it."""
    query = """
        UPDATE feedback SET reason = %(reason)s, words = NULLIF(%(words)s::text, '')
        WHERE inbox_id = %(inbox_id)s AND person = %(person)s AND verdict = 'bad'
    """
    return await fetch.found(
        connection,
        query,
        inbox_id=inbox_id,
        person=objection.answer.person,
        reason=objection.reason,
        words=objection.words,
    )


async def flag(
    connection: Connection, inbox_id: int, objection: Objection, documents: Collection[int], *, now: datetime
) -> None:
    """Replace a person's flags by an answer with flags of these documents. Who was told already is not told again."""
    given = {
        "inbox_id": inbox_id,
        "person": objection.answer.person,
        "reason": objection.reason,
        "is_named": objection.is_named,
        "documents": list(documents),
        "now": now,
    }
    query = """
        DELETE FROM flags
        WHERE inbox_id = %(inbox_id)s AND person = %(person)s AND document_id <> ALL (%(documents)s)
    """
    await connection.execute(query, given)
    query = """
        INSERT INTO flags (document_id, audience_id, reason, inbox_id, person, is_named, flagged_at)
        SELECT id, audience_id, %(reason)s, %(inbox_id)s, %(person)s, %(is_named)s, %(now)s
        FROM documents WHERE id = ANY (%(documents)s)
        ON CONFLICT (document_id, inbox_id, person, other_id)
            DO UPDATE SET reason = excluded.reason, is_named = excluded.is_named
            WHERE flags.settled_at IS NULL
    """
    await connection.execute(query, given)


async def own_flags(connection: Connection, inbox_id: int, person: PersonId) -> list[OwnFlag]:
    """Return the documents that a person has flagged by an answer, and that the transaction may read."""
    query = """
        SELECT title, attributes, owner AS source_owner, own.settled_at IS NOT NULL AS is_settled, (
                   SELECT added_by FROM added_messages
                   WHERE added_messages.source_id = sources.id AND added_messages.path = documents.path
               ) AS added_by,
               bool_or(every_one.told_to IS NOT NULL) AS is_told,
               bool_or(every_one.told_at IS NOT NULL AND every_one.told_to IS NULL) AS is_given_up
        FROM flags AS own JOIN documents ON documents.id = own.document_id JOIN sources ON sources.id = source_id
            JOIN flags AS every_one ON every_one.document_id = own.document_id
        WHERE own.inbox_id = %(inbox_id)s AND own.person = %(person)s
          AND (every_one.settled_at IS NULL OR every_one.id = own.id)
        GROUP BY own.id, documents.id, sources.id ORDER BY own.id
    """
    return await fetch.rows(connection, OwnFlag, query, inbox_id=inbox_id, person=person)


async def flag_contradicted(connection: Connection, answer_id: int, passage_id: int, *, now: datetime) -> None:
    """Flag the documents that a verified answer rests on, and that are as they were: a passage says otherwise.

    If the passage is of such a document itself, that one has changed, and the others need not be wrong.
    """
    query = """
        INSERT INTO flags (document_id, audience_id, reason, other_id, other_audience_id, flagged_at)
        SELECT DISTINCT documents.id, documents.audience_id, 'contradicted', other.document_id, other.audience_id,
               %(now)s::timestamptz
        FROM verified_answers
        CROSS JOIN jsonb_to_recordset(sources) AS cited (source_id bigint, path text, digest text)
        JOIN documents ON documents.source_id = cited.source_id AND documents.path = cited.path
        JOIN passages AS other ON other.id = %(passage_id)s AND other.document_id <> documents.id
        JOIN documents AS saying ON saying.id = other.document_id
        WHERE verified_answers.id = %(id)s
          AND NOT sources @> jsonb_build_array(jsonb_build_object('source_id', saying.source_id, 'path', saying.path))
          AND EXISTS (SELECT FROM passages WHERE document_id = documents.id AND md5(passages.text) = cited.digest)
        ON CONFLICT DO NOTHING
    """
    await connection.execute(query, {"id": answer_id, "passage_id": passage_id, "now": now})


async def settle_contradicted(connection: Connection, answer_id: int, *, now: datetime) -> None:
    """Settle what contradicts the documents that a verified answer rests on: a person has checked the answer since."""
    query = """
        UPDATE flags SET settled_at = %(now)s
        WHERE reason = 'contradicted' AND settled_at IS NULL AND document_id IN (
            SELECT documents.id FROM verified_answers
            CROSS JOIN jsonb_to_recordset(sources) AS cited (source_id bigint, path text)
            JOIN documents ON documents.source_id = cited.source_id AND documents.path = cited.path
            WHERE verified_answers.id = %(id)s
        )
    """
    await connection.execute(query, {"id": answer_id, "now": now})


async def withdraw(connection: Connection, inbox_id: int, person: PersonId) -> None:
    """Delete what a person said was wrong with an answer, and their flags by it."""
    given = {"inbox_id": inbox_id, "person": person}
    await connection.execute("DELETE FROM flags WHERE inbox_id = %(inbox_id)s AND person = %(person)s", given)
    query = "UPDATE feedback SET reason = NULL, words = NULL WHERE inbox_id = %(inbox_id)s AND person = %(person)s"
    await connection.execute(query, given)


async def delete_rating(connection: Connection, inbox_id: int, person: PersonId) -> None:
    """Delete a person's bad rating of an answer, with the flags that hang on it."""
    query = "DELETE FROM feedback WHERE inbox_id = %(inbox_id)s AND person = %(person)s AND verdict = 'bad'"
    await connection.execute(query, {"inbox_id": inbox_id, "person": person})


async def next_flagged(connection: Connection) -> Flagged | None:
    """Return the next document of whose open flags nobody was told."""
    query = """
        SELECT documents.id, title, documents.path, url, attributes, owner AS source_owner,
               CASE kind WHEN 'web' THEN location WHEN 'slack' THEN url END AS site,
               every IS NOT NULL AND NOT is_paused AS is_scheduled, (
                   SELECT added_by FROM added_messages
                   WHERE added_messages.source_id = sources.id AND added_messages.path = documents.path
               ) AS added_by
        FROM documents JOIN sources ON sources.id = source_id
        WHERE documents.id IN (
            SELECT document_id FROM flags WHERE settled_at IS NULL GROUP BY document_id HAVING bool_and(told_at IS NULL)
        )
        ORDER BY documents.id LIMIT 1
    """
    return await fetch.row(connection, Flagged, query)


async def lock(connection: Connection, document_id: int) -> bool:
    """Lock a document, so that one process at a time tells of its flags; return whether that worked."""
    query = "SELECT FROM documents WHERE id = %(id)s FOR NO KEY UPDATE SKIP LOCKED"
    return await fetch.found(connection, query, id=document_id)


async def untold(connection: Connection, document_id: int) -> list[StoredFlag]:
    """Return the open flags of a document that nobody was told of and that the transaction may read, oldest first."""
    query = """
        SELECT flags.id, flags.reason, coalesce(words, '') AS words, flags.person, is_named, flagged_at,
               coalesce(other.title, '') AS other, other.dated AS other_dated, channel, ts
        FROM flags LEFT JOIN feedback USING (workspace, inbox_id, person)
            LEFT JOIN messages ON messages.workspace = flags.workspace AND messages.inbox_id = flags.inbox_id
                AND messages.kind = 'answer' AND part = 0
            LEFT JOIN documents AS other ON other.id = other_id
        WHERE document_id = %(id)s AND settled_at IS NULL AND told_at IS NULL
        ORDER BY flagged_at, flags.id
    """
    return await fetch.rows(connection, StoredFlag, query, id=document_id)


async def set_told(connection: Connection, flags: Collection[int], *, to: Recipient | None, now: datetime) -> None:
    """Note who was told of flags; None if nobody could be."""
    query = "UPDATE flags SET told_at = %(now)s, told_to = %(to)s WHERE id = ANY (%(ids)s)"
    await connection.execute(query, {"ids": list(flags), "to": to, "now": now})


async def tell_again(connection: Connection, source_id: int) -> None:
    """Mark the open flags of a source's documents as untold if nobody could be told of them before."""
    query = """
        UPDATE flags SET told_at = NULL FROM documents
        WHERE documents.id = document_id AND source_id = %(source_id)s AND told_to IS NULL AND settled_at IS NULL
    """
    await connection.execute(query, {"source_id": source_id})


async def was_told(connection: Connection, document_id: int, recipient: Recipient) -> bool:
    """Tell whether a person or channel was told of an open flag of a document."""
    query = "SELECT FROM flags WHERE document_id = %(id)s AND told_to = %(to)s AND settled_at IS NULL LIMIT 1"
    return await fetch.found(connection, query, id=document_id, to=recipient)


async def settle(connection: Connection, document_id: int, *, now: datetime) -> None:
    """Settle the open flags of a document."""
    query = "UPDATE flags SET settled_at = %(now)s WHERE document_id = %(id)s AND settled_at IS NULL"
    await connection.execute(query, {"id": document_id, "now": now})


async def make_source_due(connection: Connection, document_id: int) -> bool:
    """Make a document's source due now, if it has a schedule; return whether it has."""
    query = """
        UPDATE sources SET synced_at = now() - every FROM documents
        WHERE sources.id = source_id AND documents.id = %(id)s AND every IS NOT NULL AND NOT is_paused
    """
    return await fetch.found(connection, query, id=document_id)


async def open_of(connection: Connection, source_id: int) -> list[OpenFlags]:
    """Return the documents of a source with open flags, by path."""
    query = """
        SELECT path, array_agg(DISTINCT reason ORDER BY reason) AS reasons, count(*) AS count,
               min(flagged_at) AS since, max(told_to) AS told_to
        FROM flags JOIN documents ON documents.id = document_id
        WHERE source_id = %(source_id)s AND settled_at IS NULL
        GROUP BY path ORDER BY path
    """
    return await fetch.rows(connection, OpenFlags, query, source_id=source_id)


async def unowned(connection: Connection) -> list[str]:
    """Return the sources with documents of whose flags nobody could be told."""
    query = """
        SELECT DISTINCT location FROM flags JOIN documents ON documents.id = document_id
            JOIN sources ON sources.id = source_id
        WHERE settled_at IS NULL AND told_at IS NOT NULL AND told_to IS NULL ORDER BY location
    """
    return await fetch.values(connection, query)


async def forget_before(connection: Connection, moment: datetime) -> None:
    """Delete the flags, and what readers wrote, before a time."""
    given = {"moment": moment}
    await connection.execute("DELETE FROM flags WHERE flagged_at < %(moment)s", given)
    query = "UPDATE feedback SET words = NULL WHERE given_at < %(moment)s AND words IS NOT NULL"
    await connection.execute(query, given)
