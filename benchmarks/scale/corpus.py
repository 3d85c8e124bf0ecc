"""A large corpus from a small one: copies of its passages, with other words and moved vectors."""

import time
from dataclasses import dataclass
from typing import Any, Final, LiteralString, NamedTuple, TypeAlias

import numpy as np
import psycopg
from numpy.typing import NDArray

from bot.models.embedding import DIMENSIONS

MODEL: Final = "all-minilm-l6-v2-int8"
WORKSPACE: Final = "one"
SHARES: Final = {"channel:thousandth": 0.001, "channel:hundredth": 0.01, "channel:tenth": 0.1, "channel:most": 0.6}
"""The share of the documents that each audience may read. The rest is for others."""
OTHERS: Final = 100
"""Small workspaces beside the large one."""
SMALL: Final = 0.001
"""The share of the large workspace that each of them has."""
NEIGHBOURS: Final = 16
"""A copy's vector is moved towards or away from so many of its original's neighbours, as far as these lie apart.

The local intrinsic dimension (maximum likelihood, Levina and Bickel 2004) is then 8.1 with twenty copies of each; that
of the originals is 9.4.
Moved along all directions it would be 24, and no index would find one of thousands of equally near copies.
"""
_CHUNK = 20_000

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
    SELECT row_number() OVER (PARTITION BY document_id ORDER BY passages.id) - 1 AS place,
           dense_rank() OVER (ORDER BY document_id) - 1 AS page,
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
    SELECT copies.id, workspace, source_id, audience_id, team || '/' || path, '', title || ', ' || team,
           url, dated, language, configuration, attributes
    FROM copies JOIN (SELECT * FROM originals WHERE place = 0) AS original USING (page)
"""
_PASSAGES: Final = """
    INSERT INTO passages (id, workspace, document_id, audience_id, position, heading_path, text, configuration, words)
        OVERRIDING SYSTEM VALUE
    SELECT first + place, workspace, copies.id, audience_id, position, heading_path,
           'Team ' || team || '. ' || text, configuration,
           words || to_tsvector(configuration, 'Team ' || team)
    FROM copies JOIN originals USING (page)
    ORDER BY 1
"""


@dataclass(frozen=True, kw_only=True)
class Built:
    """What an index takes."""

    name: str
    megabytes: float
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Originals:
    """The vectors of the small corpus."""

    vectors: Vectors
    """In the order of their documents."""
    sizes: NDArray[np.int64]
    """How many of them each document has."""
    neighbours: NDArray[np.int64]
    """Of each vector, the places of the nearest."""


class Copy(NamedTuple):
    """A document of the large corpus."""

    id: int
    page: int
    """The number of its original."""
    first: int
    """The id of its first passage."""
    workspace: str
    source: int
    audience: int
    team: str


def grow(owner: Connection, passages: int, *, seed: int = 7) -> list[Built]:
    """Replace the documents in a database by copies with about `passages` passages, and return the indexes built.

    The owner must be a superuser. Each copy is for one channel of a large workspace, or in one of many small ones.
    """
    chance = np.random.default_rng(seed)
    originals = _originals_of(owner)
    copies = _copies(chance, originals.sizes, passages)
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
    owner.execute("INSERT INTO serving_models SELECT DISTINCT workspace, %s FROM sources", (MODEL,))
    # What is stored later gets the next ids.
    for table in ("sources", "audiences", "documents", "passages"):
        owner.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))".encode())
    owner.execute("SET session_replication_role = origin")
    built = [_build(owner, name, definition) for name, definition in indexes]
    owner.execute("VACUUM ANALYZE")
    return built


def _originals_of(owner: Connection) -> Originals:
    rows = owner.execute(
        "SELECT document_id, embedding::vector::text FROM embeddings JOIN passages ON passages.id = passage_id"
        " ORDER BY document_id, passage_id"
    ).fetchall()
    _, sizes = np.unique([document for document, _ in rows], return_counts=True)
    vectors = np.array([np.fromstring(text[1:-1], sep=",") for _, text in rows], dtype=np.float32)
    distances = -vectors @ vectors.T
    np.fill_diagonal(distances, np.inf)
    neighbours = np.argpartition(distances, NEIGHBOURS, axis=1)[:, :NEIGHBOURS]
    return Originals(vectors=vectors, sizes=sizes, neighbours=neighbours)


def _copies(chance: np.random.Generator, sizes: NDArray[np.int64], passages: int) -> list[Copy]:
    """Return the documents of the large workspace, and then those of the small ones."""
    large = round(passages / sizes.mean())
    each = max(1, round(large * SMALL))
    count = large + OTHERS * each
    pages = chance.permutation(len(sizes))[np.arange(count) % len(sizes)]
    firsts = 1 + np.cumsum(sizes[pages]) - sizes[pages]
    audiences = _audiences(chance, large)
    copies: list[Copy] = []
    for number, (page, first) in enumerate(zip(pages.tolist(), firsts.tolist(), strict=True)):
        small = 0 if number < large else 1 + (number - large) // each
        workspace = f"w{small - 1:02}" if small else WORKSPACE
        audience = small or audiences[number]
        copies.append(Copy(1 + number, page, first, workspace, small, audience, _team(number // len(sizes))))
    return copies


def _audiences(chance: np.random.Generator, count: int) -> list[int]:
    """Return the audience of each document of the large workspace."""
    limits = np.cumsum([*SHARES.values()])
    audiences = 1001 + np.searchsorted(limits, (np.arange(count) + 0.5) / count, side="right")
    audiences[audiences > 1000 + len(SHARES)] = 1000
    audiences[: len(SHARES)] = 1001 + np.arange(len(SHARES))  # At least one document each.
    chance.shuffle(audiences)
    return audiences.tolist()


def _team(number: int) -> str:
    """Return a name of letters only, because a title with digits would be another version of its namesakes."""
    return "".join("bdfgklmnprstvz"[number // 14**place % 14] + "aeiou"[number // 5**place % 5] for place in range(4))


def _store_rows(owner: Connection, copies: list[Copy]) -> None:
    with owner.transaction():
        owner.execute(
            "CREATE TEMPORARY TABLE copies"
            " (id bigint, page bigint, first bigint, workspace text, source_id int, audience_id int, team text)"
        )
        with owner.cursor().copy("COPY copies FROM STDIN") as sink:
            for row in copies:
                sink.write_row(row)
        owner.execute("ANALYZE originals")
        owner.execute("ANALYZE copies")
        owner.execute(_AUDIENCES.rstrip().rstrip(";"), {"workspace": WORKSPACE, "others": OTHERS})
        owner.execute(_NAMES, {"workspace": WORKSPACE, "names": ["channel:rest", *SHARES]})
        statements: tuple[LiteralString, ...] = (_DOCUMENTS, _PASSAGES)
        for statement in statements:
            owner.execute(statement)


def _store_vectors(owner: Connection, chance: np.random.Generator, originals: Originals, copies: list[Copy]) -> None:
    with owner.transaction(), owner.cursor().copy("COPY embeddings FROM STDIN (FORMAT binary)") as sink:
        sink.write(b"PGCOPY\n\xff\r\n\0" + bytes(8))
        many = max(1, round(_CHUNK / originals.sizes.mean()))
        for start in range(0, len(copies), many):
            sink.write(_rows(chance, originals, copies[start : start + many]).tobytes())
        sink.write(b"\xff\xff")


def _rows(chance: np.random.Generator, originals: Originals, copies: list[Copy]) -> NDArray[np.void]:
    """Return the rows of `embeddings` of some copies."""
    pages = np.array([copy.page for copy in copies])
    counts = originals.sizes[pages]
    starts = np.cumsum(originals.sizes) - originals.sizes
    within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    rows = np.zeros(len(within), _ROW)
    for name, value in (
        ("fields", 5),
        ("workspace_length", 3),
        ("passage_length", 8),
        ("audience_length", 8),
        ("model_length", 21),
        ("vector_length", 4 + 2 * DIMENSIONS),
        ("dimensions", DIMENSIONS),
        ("model", MODEL.encode()),
    ):
        rows[name] = value
    rows["workspace"] = np.repeat([copy.workspace.encode() for copy in copies], counts)
    rows["audience"] = np.repeat([copy.audience for copy in copies], counts)
    rows["passage"] = np.repeat([copy.first for copy in copies], counts) + within
    rows["vector"] = moved(chance, originals, np.repeat(starts[pages], counts) + within)
    return rows


def moved(chance: np.random.Generator, originals: Originals, places: NDArray[np.int64]) -> Vectors:
    """Return copies of the originals at these places, each moved at random among its original's neighbours."""
    weights = chance.standard_normal((NEIGHBOURS, len(places), 1), dtype=np.float32) / np.sqrt(NEIGHBOURS)
    here = originals.vectors[places]
    vectors = here.copy()
    for weight, neighbours in zip(weights, originals.neighbours[places].T, strict=True):
        vectors += weight.astype(np.float32) * (originals.vectors[neighbours] - here)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _build(owner: Connection, name: str, definition: str) -> Built:
    owner.execute("SET maintenance_work_mem = '4GB'; SET max_parallel_maintenance_workers = 2")
    began = time.perf_counter()
    owner.execute(definition.encode())
    seconds = time.perf_counter() - began
    (size,) = owner.execute("SELECT pg_relation_size(%s::regclass)", (name,)).fetchone() or (0,)
    return Built(name=name, megabytes=size / 1e6, seconds=seconds)
