"""A large corpus from a small one: copies of the handbook's passages, with other words and moved vectors."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, LiteralString, TypeAlias

import numpy as np
import psycopg
from numpy.typing import NDArray

from bot.models.embedding import DIMENSIONS

WORKSPACE: Final = "one"
SHARES: Final = {"channel:thousandth": 0.001, "channel:hundredth": 0.01, "channel:tenth": 0.1, "channel:most": 0.6}
"""The share of the documents that each audience may read. The rest is for others."""
OTHERS: Final = 100
"""Small workspaces beside the large one."""
SMALL: Final = 0.001
"""The share of the large workspace that each of them has."""
DIRECTIONS: Final = 16
"""A copy's vector is moved along the directions in which the originals differ most, by their standard deviations.

The local intrinsic dimension (maximum likelihood, Levina and Bickel 2004) is then 10.4; that of the originals is 10.8.
Moved along all directions it would be 24, and no index would find one of thousands of equally near copies.
"""
_CHUNK = 50_000

Connection: TypeAlias = psycopg.Connection[Any]
Vectors: TypeAlias = NDArray[np.float32]

_ROW = np.dtype([
    ("fields", ">i2"),
    ("workspace_length", ">i4"), ("workspace", "S3"),
    ("passage_length", ">i4"), ("passage", ">i8"),
    ("audience_length", ">i4"), ("audience", ">i8"),
    ("model_length", ">i4"), ("model", "S21"),
    ("vector_length", ">i4"), ("dimensions", ">i2"), ("unused", ">i2"), ("vector", ">f2", (DIMENSIONS,)),
])  # fmt: skip
"""A row of `embeddings` in PostgreSQL's binary COPY format."""

_ORIGINALS: Final = """
    CREATE TEMPORARY TABLE originals AS
    SELECT row_number() OVER (ORDER BY passages.id) - 1 AS number, dense_rank() OVER (ORDER BY document_id) - 1 AS page,
           title, path, url, dated, language, documents.configuration, attributes,
           position, heading_path, text, words
    FROM passages JOIN documents ON documents.id = document_id;
    TRUNCATE sources, audiences, documents, passages, embeddings, serving_models CASCADE
"""
_AUDIENCES: Final = """
    INSERT INTO sources (id, workspace, location) OVERRIDING SYSTEM VALUE
    SELECT n, CASE n WHEN 0 THEN %(workspace)s ELSE 'w' || lpad((n - 1)::text, 2, '0') END, '/scale'
    FROM generate_series(0, %(others)s) AS n;
"""
_NAMES: Final = """
    INSERT INTO audiences (id, workspace, source_id, path, names) OVERRIDING SYSTEM VALUE
    SELECT 1000 + n, %(workspace)s, 0, CASE n WHEN 0 THEN '' ELSE name END, ARRAY[name]
    FROM unnest(%(names)s::text[]) WITH ORDINALITY AS named (name, ordinal), LATERAL (SELECT ordinal - 1 AS n) AS zero
    UNION ALL
    SELECT id, workspace, id, '', '{everyone}' FROM sources WHERE id > 0
"""
_DOCUMENTS: Final = """
    INSERT INTO documents (id, workspace, source_id, audience_id, path, hash, title, url, dated, language,
                           configuration, attributes) OVERRIDING SYSTEM VALUE
    SELECT 1 + copy * pages + page, workspace, source_id, audience_id, team || '/' || path, '', title || ', ' || team,
           url, dated, language, configuration, attributes
    FROM (SELECT DISTINCT ON (page) * FROM originals ORDER BY page) AS original,
         copies CROSS JOIN (SELECT max(page) + 1 AS pages FROM originals) AS counted
"""
_PASSAGES: Final = """
    INSERT INTO passages (id, workspace, document_id, audience_id, position, heading_path, text, configuration, words)
        OVERRIDING SYSTEM VALUE
    SELECT 1 + copy * passages + number, workspace, 1 + copy * pages + page, audience_id, position, heading_path,
           'Team ' || team || '. ' || text, configuration,
           words || to_tsvector(configuration, 'Team ' || team)
    FROM originals, copies
        CROSS JOIN (SELECT count(*) AS passages, max(page) + 1 AS pages FROM originals) AS counted
    ORDER BY 1
"""


@dataclass(frozen=True, kw_only=True)
class Built:
    """What an index takes."""

    name: str
    megabytes: float
    seconds: float


def grow(owner: Connection, passages: int, *, seed: int = 7) -> list[Built]:
    """Replace the handbook in a database by about `passages` copies of its passages, and return the indexes built.

    The owner must be a superuser. Whole copies of the handbook have one audience: a channel, or a small workspace.
    """
    chance = np.random.default_rng(seed)
    originals = _vectors_of(owner)
    copies = _copies(chance, round(passages / len(originals)))
    indexes = owner.execute(
        "SELECT indexname, indexdef FROM pg_indexes WHERE tablename IN ('passages', 'embeddings')"
        " AND indexdef ~ 'USING (hnsw|gin)'"
    ).fetchall()
    for name, _ in indexes:
        owner.execute(f"DROP INDEX {name}".encode())
    # Foreign keys and triggers would check each of the rows.
    owner.execute("SET session_replication_role = replica; SET synchronous_commit = off; SET work_mem = '256MB'")
    owner.execute(_ORIGINALS)
    _store_rows(owner, copies)
    _store_vectors(owner, chance, originals, copies)
    owner.execute("INSERT INTO serving_models SELECT DISTINCT workspace, %s FROM sources", (_MODEL,))
    owner.execute("SET session_replication_role = origin")
    built = [_build(owner, name, definition) for name, definition in indexes]
    owner.execute("VACUUM ANALYZE")
    return built


_MODEL: Final = "all-minilm-l6-v2-int8"

_Copies: TypeAlias = list[tuple[int, str, int, int, str]]
"""Of each copy: its number, workspace, source, audience, and the name of its team."""


def _copies(chance: np.random.Generator, count: int) -> _Copies:
    limits = np.cumsum([*SHARES.values()])
    audiences = 1001 + np.searchsorted(limits, (np.arange(count) + 0.5) / count, side="right")
    audiences[audiences > 1000 + len(SHARES)] = 1000
    audiences[: len(SHARES)] = 1001 + np.arange(len(SHARES))  # At least one copy each.
    chance.shuffle(audiences)
    large: _Copies = [(number, WORKSPACE, 0, int(audience), _team(number)) for number, audience in enumerate(audiences)]
    each = max(1, round(count * SMALL))
    small: _Copies = [
        (count + number, f"w{number // each:02}", 1 + number // each, 1 + number // each, _team(number))
        for number in range(OTHERS * each)
    ]
    return large + small


def _team(number: int) -> str:
    """Return a name of letters only, because a title with digits would be another version of its namesakes."""
    return "".join("bdfgklmnprstvz"[number // 14**place % 14] + "aeiou"[number // 5**place % 5] for place in range(4))


def _vectors_of(owner: Connection) -> Vectors:
    rows = owner.execute("SELECT embedding::vector::text FROM embeddings ORDER BY passage_id").fetchall()
    return np.array([np.fromstring(text[1:-1], sep=",") for (text,) in rows], dtype=np.float32)


def _store_rows(owner: Connection, copies: _Copies) -> None:
    with owner.transaction():
        owner.execute(
            "CREATE TEMPORARY TABLE copies (copy int, workspace text, source_id int, audience_id int, team text)"
        )
        with owner.cursor().copy("COPY copies FROM STDIN") as sink:
            for row in copies:
                sink.write_row(row)
        owner.execute(_AUDIENCES.rstrip().rstrip(";"), {"workspace": WORKSPACE, "others": OTHERS})
        owner.execute(_NAMES, {"workspace": WORKSPACE, "names": ["channel:rest", *SHARES]})
        statements: tuple[LiteralString, ...] = (_DOCUMENTS, _PASSAGES)
        for statement in statements:
            owner.execute(statement)


def _store_vectors(owner: Connection, chance: np.random.Generator, originals: Vectors, copies: _Copies) -> None:
    with owner.transaction(), owner.cursor().copy("COPY embeddings FROM STDIN (FORMAT binary)") as sink:
        sink.write(b"PGCOPY\n\xff\r\n\0" + bytes(8))
        for rows in _rows(chance, originals, copies):
            sink.write(rows.tobytes())
        sink.write(b"\xff\xff")


def _rows(chance: np.random.Generator, originals: Vectors, copies: _Copies) -> Iterator[NDArray[np.void]]:
    """Yield rows of `embeddings`. The vectors differ from the originals as these differ from each other."""
    _, deviations, directions = np.linalg.svd(originals - originals.mean(axis=0), full_matrices=False)
    moves = ((deviations / np.sqrt(len(originals)))[:DIRECTIONS, None] * directions[:DIRECTIONS]).astype(np.float32)
    many = max(1, _CHUNK // len(originals))
    for start in range(0, len(copies), many):
        some = copies[start : start + many]
        rows = np.zeros(len(some) * len(originals), _ROW)
        noise = chance.standard_normal((len(rows), len(moves)), dtype=np.float32) @ moves
        vectors = np.tile(originals, (len(some), 1)) + noise
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        for name, value in (("fields", 5), ("workspace_length", 3), ("passage_length", 8), ("audience_length", 8),
                            ("model_length", 21), ("vector_length", 4 + 2 * DIMENSIONS), ("dimensions", DIMENSIONS),
                            ("model", _MODEL.encode()), ("vector", vectors)):  # fmt: skip
            rows[name] = value
        rows["workspace"] = np.repeat([copy[1].encode() for copy in some], len(originals))
        rows["audience"] = np.repeat([copy[3] for copy in some], len(originals))
        rows["passage"] = 1 + start * len(originals) + np.arange(len(rows))
        yield rows


def _build(owner: Connection, name: str, definition: str) -> Built:
    owner.execute("SET maintenance_work_mem = '4GB'; SET max_parallel_maintenance_workers = 1")
    began = time.perf_counter()
    owner.execute(definition.encode())
    seconds = time.perf_counter() - began
    (size,) = owner.execute("SELECT pg_relation_size(%s::regclass)", (name,)).fetchone() or (0,)
    return Built(name=name, megabytes=size / 1e6, seconds=seconds)
