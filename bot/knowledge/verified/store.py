"""The SQL of verified answers. Call each function in a transaction of the workspace that reads as somebody."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any, Final

from pgvector import HalfVector
from psycopg.types.json import Jsonb

from bot.conversation.address import PersonId
from bot.knowledge.documents import Matrix
from bot.knowledge.flags.flag_store import FIRST_OPEN_FLAG
from bot.postgres import fetch
from bot.postgres.pool import Connection
from graph.text.words import content_words
from graph.verified import Candidate


@dataclass(frozen=True, kw_only=True)
class Cited:
    """A part of a document that an answer rests on, as it was when the answer was kept."""

    source_id: int
    path: str
    title: str
    heading: str
    dated: date | None
    digest: str
    """A hash of its text. If the document is read again, it tells whether the text has changed."""


@dataclass(frozen=True, kw_only=True)
class NewVerified:
    """An answer that is about to be kept."""

    origin: str
    """What it is kept from, once."""
    asked_as: str
    """The key of the question's message."""
    question: str
    text: str
    sources: Sequence[Cited]
    writer: str
    writer_name: str
    place: str
    valid_until: datetime


@dataclass(frozen=True, kw_only=True)
class StoredVerified:
    """A verified answer."""

    id: int
    origin: str
    asked_as: str
    question: str
    text: str
    sources: Sequence[Mapping[str, Any]]
    """What it rests on, as `Cited` in JSON."""
    writer: PersonId
    writer_name: str
    place: str
    kept_at: datetime
    valid_until: datetime
    retired_at: datetime | None
    used: int
    disputed_by: int | None
    """The passage that says otherwise."""

    @property
    def paths(self) -> list[str]:
        """The paths of the documents that it rests on."""
        return [source["path"] for source in self.sources]


COLUMNS: Final = """
    id, origin, asked_as, question, text, sources, writer, writer_name, place, kept_at, valid_until, retired_at, used,
    disputed_by
"""
"""The columns of `StoredVerified`."""


@dataclass(frozen=True, kw_only=True)
class CurrentSource:
    """A source of a verified answer as it is now."""

    title: str
    heading: str
    path: str
    document_id: int | None
    """None if the document is no longer there."""
    passage_id: int | None
    """None if it no longer holds the passage as it was."""
    text: str | None
    url: str | None
    dated: date | None
    language: str | None
    attributes: dict[str, str] | None
    site: str | None
    is_restricted: bool
    flagged_on: date | None
    flagged_as: str | None


async def cited(connection: Connection, passages: Sequence[int]) -> list[Cited]:
    """Return the documents' parts behind some passages, in their order, without those that are gone."""
    query = """
        SELECT source_id, path, title, array_to_string(heading_path, ' › ') AS heading, dated, md5(text) AS digest
        FROM passages JOIN documents ON documents.id = document_id
        WHERE passages.id = ANY(%(ids)s) ORDER BY array_position(%(ids)s::bigint[], passages.id)
    """
    return await fetch.rows(connection, Cited, query, ids=list(passages))


async def insert(connection: Connection, new: NewVerified, *, now: datetime) -> int | None:
    """Keep an answer; return its id, or None if it was kept before."""
    query = """
        INSERT INTO verified_answers (origin, asked_as, question, text, sources, writer, writer_name, place, kept_at,
                                      valid_until)
        VALUES (%(origin)s, %(asked_as)s, %(question)s, %(text)s, %(sources)s, %(writer)s, %(writer_name)s, %(place)s,
                %(now)s, %(valid_until)s)
        ON CONFLICT DO NOTHING
        RETURNING id
    """
    sources = Jsonb([_as_json(source) for source in new.sources])
    answer_id = await fetch.value(connection, query, **{**vars(new), "sources": sources, "now": now})
    if answer_id is not None:
        await add_phrasing(connection, answer_id, new.question, asked_as=new.asked_as, by=new.writer)
    return answer_id


async def place_of(connection: Connection, answer_id: int) -> str | None:
    """Return the audience of the place where an answer was written."""
    return await fetch.value(connection, "SELECT place FROM verified_answers WHERE id = %(id)s", id=answer_id)


async def add_phrasing(connection: Connection, answer_id: int, text: str, *, asked_as: str, by: str) -> None:
    """Add another question that an answer answers."""
    query = """
        INSERT INTO phrasings (answer_id, asked_as, text, stems, added_by)
        VALUES (%(id)s, %(asked_as)s, %(text)s, %(stems)s, %(by)s)
        ON CONFLICT DO NOTHING
    """
    stems = sorted(set(content_words(text)))
    await connection.execute(query, {"id": answer_id, "asked_as": asked_as, "text": text, "stems": stems, "by": by})


async def phrasings_of(connection: Connection, answer_id: int) -> list[str]:
    """Return the questions that an answer answers."""
    return await fetch.values(connection, "SELECT text FROM phrasings WHERE answer_id = %(id)s", id=answer_id)


async def without_vector(connection: Connection, model: str, *, limit: int) -> list[str]:
    """Return phrasings that the model has not embedded yet."""
    query = "SELECT DISTINCT text FROM phrasings WHERE model IS DISTINCT FROM %(model)s LIMIT %(limit)s"
    return await fetch.values(connection, query, model=model, limit=limit)


async def set_vector(connection: Connection, text: str, vector: Matrix, model: str) -> None:
    """Store what a model makes of a phrasing."""
    query = "UPDATE phrasings SET model = %(model)s, embedding = %(vector)s WHERE text = %(text)s"
    await connection.execute(query, {"text": text, "vector": HalfVector(vector), "model": model})


_CANDIDATES: Final = """
    WITH known AS (
        SELECT answer_id, stems, embedding, phrasings.model
        FROM phrasings JOIN verified_answers ON verified_answers.id = answer_id
        WHERE retired_at IS NULL AND valid_until > %(now)s
    ), by_words AS (
        SELECT answer_id, max(
            (SELECT count(*) FROM unnest(stems) AS stem WHERE stem = ANY(%(stems)s))::float8
            / (SELECT count(DISTINCT stem) FROM unnest(stems || %(stems)s::text[]) AS stem)
        ) AS share
        FROM known WHERE stems && %(stems)s::text[] GROUP BY answer_id
    ), by_meaning AS (
        SELECT answer_id, min(embedding <=> %(vector)s::halfvec) AS distance
        FROM known WHERE model = %(model)s AND %(vector)s::halfvec IS NOT NULL GROUP BY answer_id
    ), ranked AS (
        SELECT answer_id, row_number() OVER (ORDER BY share DESC, answer_id DESC) AS place FROM by_words
        UNION ALL
        SELECT answer_id, row_number() OVER (ORDER BY distance, answer_id DESC) FROM by_meaning
    ), fused AS (
        SELECT answer_id, min(place) = 1 AS leads, sum(1.0 / (60 + place)) AS score
        FROM ranked GROUP BY answer_id
    ), best AS (
        SELECT * FROM fused ORDER BY leads DESC, score DESC, answer_id DESC LIMIT %(limit)s
    )
    SELECT answer_id AS id, ARRAY(
        SELECT text FROM phrasings WHERE phrasings.answer_id = best.answer_id ORDER BY added_at, text
    ) AS phrasings
    FROM best ORDER BY leads DESC, score DESC, answer_id DESC
"""


async def candidates(
    connection: Connection, question: str, vector: Matrix | None, model: str, *, limit: int, now: datetime
) -> list[Candidate]:
    """Return the answers whose phrasings are nearest to a question, by words and by meaning, best first.

    Without a vector, words alone count. The nearest by words come first, so that the answer to the same question is
    among them.
    """
    return await fetch.rows(
        connection,
        Candidate,
        _CANDIDATES,
        stems=sorted(set(content_words(question))),
        vector=None if vector is None else HalfVector(vector),
        model=model,
        limit=limit,
        now=now,
    )


async def use(connection: Connection, answer_id: int, *, now: datetime) -> StoredVerified | None:
    """Return an answer that may be told now, and count that it is."""
    query = f"""
        UPDATE verified_answers SET used = used + 1
        WHERE id = %(id)s AND retired_at IS NULL AND valid_until > %(now)s
        RETURNING {COLUMNS}
    """  # noqa: S608 — of literals only.
    return await fetch.row(connection, StoredVerified, query, id=answer_id, now=now)


async def current_sources(connection: Connection, answer_id: int) -> list[CurrentSource]:
    """Return what an answer's sources are now, in order."""
    query = f"""
        SELECT coalesce(documents.title, said ->> 'title') AS title, said ->> 'heading' AS heading,
               said ->> 'path' AS path, documents.id AS document_id, passage.id AS passage_id, passage.text, url,
               coalesce(documents.dated, (said ->> 'dated')::date) AS dated, language, attributes,
               (SELECT CASE kind WHEN 'web' THEN location WHEN 'slack' THEN url END
                FROM sources AS origin WHERE origin.id = documents.source_id) AS site,
               coalesce('everyone' <> ALL (names), true) AS is_restricted, flagged_on, flagged_as
        FROM verified_answers
        CROSS JOIN jsonb_array_elements(verified_answers.sources) WITH ORDINALITY AS cited (said, number)
        LEFT JOIN documents
            ON documents.source_id = (said ->> 'source_id')::bigint AND documents.path = said ->> 'path'
        LEFT JOIN LATERAL (
            SELECT id, text FROM passages
            WHERE document_id = documents.id AND md5(text) = said ->> 'digest' ORDER BY position LIMIT 1
        ) AS passage ON true
        LEFT JOIN audiences ON audiences.id = documents.audience_id
        {FIRST_OPEN_FLAG}
        WHERE verified_answers.id = %(id)s ORDER BY number
    """  # noqa: S608 — of literals only.
    return await fetch.rows(connection, CurrentSource, query, id=answer_id)


async def by_origin(connection: Connection, origin: str) -> StoredVerified | None:
    """Return the answer that was kept from something."""
    query = f"SELECT {COLUMNS} FROM verified_answers WHERE origin = %(origin)s"  # noqa: S608 — of literals only.
    return await fetch.row(connection, StoredVerified, query, origin=origin)


async def all_answers(connection: Connection) -> list[StoredVerified]:
    """Return all answers that the transaction may read, the newest first."""
    query = f"SELECT {COLUMNS} FROM verified_answers ORDER BY id DESC"  # noqa: S608 — of literals only.
    return await fetch.rows(connection, StoredVerified, query)


async def retire(connection: Connection, answer_id: int, *, by: str, now: datetime) -> bool:
    """Retire an answer; return whether it was not retired before."""
    query = """
        UPDATE verified_answers SET retired_at = %(now)s, retired_by = %(by)s
        WHERE id = %(id)s AND retired_at IS NULL
    """
    return await fetch.found(connection, query, id=answer_id, by=by, now=now)


def _as_json(source: Cited) -> dict[str, Any]:
    return {**asdict(source), "dated": source.dated.isoformat() if source.dated else None}
