"""The SQL of searches. Call each function in a transaction that reads as the asker."""

from dataclasses import dataclass
from datetime import date
from typing import Final
from uuid import UUID

from pgvector import HalfVector
from psycopg.rows import class_row

from bot.audience import Names
from bot.knowledge.audience_store import READABLE, readable_by
from bot.knowledge.documents import Matrix
from bot.knowledge.flags.flag_store import FIRST_OPEN_FLAG
from bot.postgres import fetch
from bot.postgres.pool import Connection
from graph.documents.questions import OWNERS
from graph.passages import DocumentFilter

_TOPICS: Final = 8
_LANGUAGES: Final = 4
_KINDS: Final = 40
_NAMESAKES = 20
"""The most documents of the same title that are examined; a folder may hold a thousand."""
_BEFORE_FILTER: Final = 20
"""How many times as many passages are found by words before a filter as after it."""
_SLIDES, _SHEETS = ("%.pptx",), ("%.xlsx", "%.csv", "%.tsv")
_ENDINGS: Final = {
    "pdf": ("%.pdf",), "pdfs": ("%.pdf",), "slides": _SLIDES, "slide deck": _SLIDES, "presentation": _SLIDES,
    "powerpoint": _SLIDES, "spreadsheet": _SHEETS, "excel": _SHEETS, "word": ("%.docx",), "mail": ("%.eml",),
    "email": ("%.eml",),
}  # fmt: skip
"""What people call a type of file, and how its paths end."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """A passage as the search statement returns it."""

    id: int
    document_id: int
    title: str
    path: str
    heading_path: list[str]
    text: str
    language: str
    url: str | None
    dated: date | None
    attributes: dict[str, str]
    embedding: HalfVector | None
    """`None` if the model has embedded none for it, or refuses its text."""
    site: str | None
    """The address of a source whose documents' addresses are its own: of web pages and of Slack's messages."""
    stale_after_days: int | None
    """Set if the document is old: the source's limit in days."""
    flagged_on: date | None
    flagged_as: str | None
    """What the oldest open flag of the document says."""
    is_restricted: bool
    """Whether not everyone may read it."""
    score: float
    word_match: float
    """How well words match, as a share (0–1) of the best match of this search."""
    namesake: bool
    """Whether it was added because its document's title equals a found one, except for digits."""


@dataclass(frozen=True, kw_only=True)
class Outline:
    """What an asker may read at all."""

    topics: list[str]
    """The folders directly below the sources, or titles of documents without folder, the largest first."""
    topic_count: int
    """How many there are, also beyond those that are named."""
    languages: list[str]
    """Of the documents, the most frequent first, as two letters."""
    kinds: list[str]
    """The kinds of places, in order."""
    has_verified: bool
    """Whether an answer was kept and not retired."""


@dataclass(frozen=True, kw_only=True)
class SearchView:
    """All that a transaction's searches depend on besides the query. Equal views find the same."""

    workspace: str
    audiences: str
    """The ids of the readable audiences, sorted."""
    version: UUID | None
    """The version of the workspace's knowledge; `None` if nothing was ever stored."""
    today: date
    """A document gets old by time alone."""


_VIEW: Final = """
    current_setting('askback.workspace') AS workspace,
    (SELECT version FROM knowledge_versions) AS version, current_date AS today
"""


async def view_of(connection: Connection) -> SearchView:
    """Return the transaction's view. Call it before the search, so that the version is never newer than the result."""
    query = f"SELECT {_VIEW}, current_setting('askback.audiences') AS audiences"
    return await fetch.only(connection, SearchView, query)


async def view_as(connection: Connection, names: Names) -> SearchView:
    """Return the view of a transaction that would read as these names now, in one statement."""
    query = f"SELECT {_VIEW}, {READABLE} AS audiences"
    return await fetch.only(connection, SearchView, query, **readable_by(names))


async def tune_index(connection: Connection, effort: int) -> None:
    """Let the vector index compare `effort` entries, and search on until it has found enough readable passages.

    Each search is planned for its asker, because a plan for a person who may read everything is bad for others.
    """
    query = """
        SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true),
               set_config('hnsw.ef_search', %(effort)s::text, true),
               set_config('plan_cache_mode', 'force_custom_plan', true),
               set_config('max_parallel_workers_per_gather', '0', true)
    """
    await connection.execute(query, {"effort": effort})


_MATCHING: Final = """
    matching AS MATERIALIZED (
        SELECT passages.id
        FROM documents JOIN sources ON sources.id = source_id JOIN passages ON document_id = documents.id
        WHERE (%(by)s = '' OR EXISTS (
                  SELECT FROM jsonb_each_text(attributes)
                  WHERE key = ANY (%(owners)s)
                        AND string_to_array(lower(value), ' ') @> string_to_array(lower(%(by)s), ' ')))
              AND (%(kind)s = '' OR kind = %(kind)s OR lower(documents.path) LIKE ANY (%(endings)s)
                   OR position(%(kind)s IN lower(concat_ws(' ', title, documents.path, location))) > 0)
              AND (%(since)s::date IS NULL OR dated >= %(since)s::date)
              AND (%(until)s::date IS NULL OR dated <= %(until)s::date)
    )
"""
"""The passages of the documents that a question is for. Without a filter nothing reads them."""
_NEAREST: Final = """
    size AS MATERIALIZED (
        SELECT count(*) < %(exact_below)s AS small
        FROM (SELECT FROM embeddings WHERE model = %(model)s LIMIT %(exact_below)s) AS counted
    ), near AS (
        (SELECT passage_id AS id, embedding <=> %(vector)s::halfvec AS distance FROM embeddings
         WHERE model = %(model)s AND %(vector)s::halfvec IS NOT NULL AND (SELECT small FROM size)
               AND embedding IS NOT NULL
               AND (NOT %(is_filtered)s OR passage_id IN (SELECT id FROM matching))
         ORDER BY distance LIMIT %(candidates)s)
        UNION ALL
        (SELECT passage_id, embedding::halfvec(384) <=> %(vector)s::halfvec(384) AS distance
         FROM embeddings
         WHERE model = %(model)s AND %(vector)s::halfvec IS NOT NULL AND NOT (SELECT small FROM size)
               AND embedding IS NOT NULL
               AND (NOT %(is_filtered)s OR passage_id IN (SELECT id FROM matching))
         ORDER BY distance LIMIT %(candidates)s)
    )
"""
"""The passages nearest in meaning; none without a vector.

An untyped vector matches no index, so few passages are compared one by one. A cast one uses its model's index, whose
condition the planner proves from the parameter, because `tune_index` forces a plan for each search.
"""
_FUSED: Final = """
    ranked AS (
        SELECT id, row_number() OVER (ORDER BY distance, id) AS place, 0 AS rank FROM near
        UNION ALL
        (SELECT id, row_number() OVER (ORDER BY rank DESC, id) AS place, rank
         FROM passages_by_text(%(query)s, %(by_text)s) AS hit
             CROSS JOIN LATERAL (SELECT FROM passages WHERE passages.id = hit.id LIMIT 1) AS readable
         WHERE NOT %(is_filtered)s OR id IN (SELECT id FROM matching)
         ORDER BY place LIMIT %(candidates)s)
    ), fused AS (
        SELECT id, sum(1.0 / (60 + place))::float8 AS score,
               coalesce(max(rank) / NULLIF(max(max(rank)) OVER (), 0), 0) AS word_match
        FROM ranked GROUP BY id
    )
"""
"""The passages by meaning and by words, with their scores (Cormack et al. 2009, k = 60), and how well words match.

The function sees all passages, so the policies decide once more before its ids are ranked. That is a lookup for each,
because the planner does not know how few they are.
"""
_NAMESAKES_OF_BEST: Final = """
    best AS (
        SELECT document_id, title, title_key, max(score) AS score
        FROM fused JOIN passages USING (id) JOIN documents ON documents.id = document_id
        GROUP BY document_id, title, title_key
    ), namesakes AS (
        SELECT other.id, max(score) AS score
        FROM best CROSS JOIN LATERAL (
            SELECT id FROM documents
            WHERE NOT %(is_filtered)s AND title_key = best.title_key AND id NOT IN (SELECT document_id FROM best)
                  AND (title = best.title OR (best.title ~ '[0-9]' AND best.title ~ '[[:alpha:]]'))
            ORDER BY id DESC LIMIT %(namesakes)s
        ) AS other
        GROUP BY other.id ORDER BY score DESC, id LIMIT %(namesakes)s
    ), shown AS (
        SELECT id, score, word_match, false AS namesake FROM fused
        UNION ALL
        SELECT nearest.id, score, 0, true
        FROM namesakes CROSS JOIN LATERAL (
            SELECT passages.id FROM passages JOIN embeddings ON passage_id = passages.id
            WHERE document_id = namesakes.id AND model = %(model)s
            ORDER BY embedding <=> %(vector)s::halfvec, passages.id LIMIT 1
        ) AS nearest
    )
"""
"""The fused passages, and the nearest passage of each other document of the same title."""
SEARCH: Final = f"""
    WITH {_MATCHING}, {_NEAREST}, {_FUSED}, {_NAMESAKES_OF_BEST}
    SELECT passages.id, document_id, title, documents.path, heading_path, text, language, url, dated,
           attributes, embedding,
           CASE kind WHEN 'web' THEN location WHEN 'slack' THEN url END AS site,
           CASE WHEN dated < current_date - stale_after_days THEN stale_after_days END AS stale_after_days,
           flagged_on, flagged_as, 'everyone' <> ALL (names) AS is_restricted, score, word_match, namesake
    FROM shown JOIN passages USING (id) JOIN documents ON documents.id = document_id
        JOIN audiences ON audiences.id = documents.audience_id JOIN sources ON sources.id = documents.source_id
        LEFT JOIN embeddings ON passage_id = passages.id AND model = %(model)s
        {FIRST_OPEN_FLAG}
    ORDER BY score DESC, namesake, passages.id
"""  # noqa: S608 — of literals only.
_ANY: Final = 384
"""The dimensions that `SEARCH` is written with. A search without a vector compares none."""


def search_in(dimensions: int) -> bytes:
    """Return `SEARCH` for vectors of some dimensions, which a model's index names."""
    return SEARCH.replace(f"halfvec({_ANY})", f"halfvec({dimensions})").encode()


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """What a search looks for."""

    query: str
    vector: Matrix | None
    """`None` searches by words alone."""
    model: str
    """The id of the model of the vector."""
    only: DocumentFilter | None = None
    """Leaves the passages of some documents, without other versions."""


async def search_passages(
    connection: Connection, sought: SearchRequest, *, candidates: int, exact_below: int
) -> list[Found]:
    """Return passages by words and meaning, fused by reciprocal rank, best first.

    Each is followed by the nearest passage of other documents with the same title, which may be newer versions.
    """
    # Binary format: reading the vectors as text would take longer than the rest of the search.
    cursor = connection.cursor(row_factory=class_row(Found), binary=True)
    await cursor.execute(
        search_in(_ANY if sought.vector is None else len(sought.vector)),
        {
            "query": sought.query,
            "vector": None if sought.vector is None else HalfVector(sought.vector),
            "model": sought.model,
            "candidates": candidates,
            "exact_below": exact_below,
            "namesakes": _NAMESAKES,
            "by_text": candidates if sought.only is None else _BEFORE_FILTER * candidates,
            **conditions_of(sought.only),
        },
    )
    return await cursor.fetchall()


def conditions_of(only: DocumentFilter | None) -> dict[str, object]:
    """Return a filter's parameters of `SEARCH`."""
    given = only or DocumentFilter(by="", kind="", since="", until="")
    return {
        "is_filtered": only is not None,
        "by": given["by"],
        "kind": given["kind"],
        "owners": [*OWNERS],
        "endings": [*_ENDINGS.get(given["kind"], ())],
        "since": given["since"] or None,
        "until": given["until"] or None,
    }


async def passages_there(connection: Connection, ids: list[int]) -> set[int]:
    """Return the ids of passages that exist and may be read."""
    return set(await fetch.values(connection, "SELECT id FROM passages WHERE id = ANY(%(ids)s)", ids=ids))


async def outline(connection: Connection) -> Outline:
    """Return what the transaction may read. It finds the kinds of places by one step in the index for each."""
    query = """
        WITH RECURSIVE kinds AS (
            (SELECT kind FROM places ORDER BY kind LIMIT 1)
            UNION ALL
            SELECT (SELECT kind FROM places WHERE kind > kinds.kind ORDER BY kind LIMIT 1) FROM kinds
            WHERE kinds.kind IS NOT NULL
        ),
        topics AS (
            SELECT CASE WHEN path LIKE '%%/%%' THEN split_part(path, '/', 1) ELSE title END AS topic,
                   count(*) AS documents, lower(min(path)) AS first
            FROM documents GROUP BY topic
        )
        SELECT ARRAY(SELECT topic FROM topics ORDER BY documents DESC, first LIMIT %(topics)s) AS topics,
               (SELECT count(*) FROM topics) AS topic_count,
               ARRAY(
                   SELECT language FROM documents GROUP BY language ORDER BY count(*) DESC, language
                   LIMIT %(languages)s
               ) AS languages,
               ARRAY(SELECT kind FROM kinds WHERE kind IS NOT NULL LIMIT %(kinds)s) AS kinds,
               EXISTS (SELECT FROM verified_answers WHERE retired_at IS NULL) AS has_verified
    """
    return await fetch.only(connection, Outline, query, topics=_TOPICS, languages=_LANGUAGES, kinds=_KINDS)
