"""Row-level security does not cost the search its indexes."""

import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from psycopg import ClientCursor

from bot.audience import Names
from bot.knowledge import search_store
from bot.knowledge.search import Library, Search
from bot.postgres import vector_index
from bot.postgres.pool import Database
from tests.conftest import cloned
from tests.permissions.world import Vectors
from tests.support.databases import as_app

MANY, FEW = 3_800, 40
"""Passages that are for everyone, and for one channel."""

FILL = """
    INSERT INTO sources (workspace, location) VALUES ('one', '/many'), ('one', '/few');
    INSERT INTO audiences (workspace, source_id, path, names)
    SELECT workspace, id, '', ARRAY[CASE location WHEN '/many' THEN 'everyone' ELSE 'channel:C1' END] FROM sources;
    INSERT INTO documents (workspace, source_id, path, hash, title, language, configuration, attributes, audience_id)
    SELECT workspace, source_id, 'a.md', 'h', 't', 'en', 'english', '{}', id FROM audiences;
    SELECT setseed(0.5);
    INSERT INTO passages (workspace, document_id, audience_id, position, heading_path, text, configuration, words)
    SELECT d.workspace, d.id, d.audience_id, n, '{}', 'text', 'english', 'text'::tsvector
    FROM documents d JOIN audiences a ON a.id = d.audience_id,
         LATERAL generate_series(1, CASE WHEN a.names = '{everyone}' THEN MANY ELSE FEW END) AS n;
"""
VECTORS = """
    INSERT INTO embeddings (workspace, passage_id, audience_id, model, embedding)
    SELECT workspace, id, audience_id, %(model)s,
           (SELECT array_agg(random() - 0.5) FROM generate_series(1, %(dimensions)s) WHERE id > 0)::vector::halfvec
    FROM passages;
"""
BUILT_IN, REMOTE = "all-minilm-l6-v2-int8", "openai:it's@640"
DIMENSIONS = {BUILT_IN: 384, REMOTE: 640}
INDEXES = {BUILT_IN: "embeddings_by_minilm", REMOTE: vector_index.name_of(REMOTE)}
both_models = pytest.mark.parametrize("model", [BUILT_IN, REMOTE])


@pytest.fixture(scope="module")
def url(server_url: str, template_url: str) -> Generator[str]:
    """A database with many passages for everyone and few for a channel."""
    with cloned(server_url, template_url) as url:
        with psycopg.connect(url, autocommit=True) as owner:
            # Building an index later is faster than updating it with each row.
            with without_vectors_indexes(owner):
                owner.execute(FILL.replace("MANY", str(MANY)).replace("FEW", str(FEW)).encode())
                for model, dimensions in DIMENSIONS.items():
                    owner.execute(VECTORS, {"model": model, "dimensions": dimensions})
            owner.execute("ANALYZE")
            vector_index.ensure(url, REMOTE, DIMENSIONS[REMOTE])
        yield url


@contextmanager
def without_vectors_indexes(owner: psycopg.Connection) -> Generator[None]:
    """Drop the vector indexes while the context is open, and then create them again."""
    found = owner.execute("SELECT indexname, indexdef FROM pg_indexes WHERE indexdef LIKE '% hnsw %'").fetchall()
    for name, _ in found:
        owner.execute(f"DROP INDEX {name}".encode())
    yield
    owner.execute("SET maintenance_work_mem = '64MB'")
    for _, definition in found:
        owner.execute(definition)


def used(url: str, name: str, *, exact_below: int, model: str = BUILT_IN) -> dict[str, float]:
    """Return the indexes of passages that a search used, with the rows that each returned."""
    given = {
        "query": "text",
        "vector": str([0.1] * DIMENSIONS[model]),
        "model": model,
        "candidates": 50,
        "exact_below": exact_below,
        "namesakes": 20,
        "by_text": 50,
        **search_store.conditions_of(None),
    }
    with psycopg.connect(as_app(url), cursor_factory=ClientCursor) as connection:
        connection.execute("SELECT set_config('askback.workspace', 'one', true)")
        connection.execute(
            "SELECT set_config('askback.audiences', array_agg(id)::text, true) FROM audiences WHERE names && %s",
            ([name],),
        )
        connection.execute("SET LOCAL hnsw.iterative_scan = 'relaxed_order'")
        row = connection.execute(
            b"EXPLAIN (ANALYZE, FORMAT JSON) " + search_store.search_in(DIMENSIONS[model]), given
        ).fetchone()
    assert row is not None
    found: dict[str, float] = {}
    for node in nodes(row[0][0]["Plan"] if isinstance(row[0], list) else json.loads(row[0])[0]["Plan"]):
        if node.get("Index Name", "").startswith(("passages", "embeddings")) and node["Actual Loops"]:
            rows = node["Actual Rows"] * node["Actual Loops"]
            found[node["Index Name"]] = max(rows, found.get(node["Index Name"], 0))
    return found


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a plan's nodes."""
    yield plan
    for child in plan.get("Plans", ()):
        yield from nodes(child)


@both_models
def test_who_may_read_much_is_searched_for_by_the_vectors_index(url: str, model: str) -> None:
    found = used(url, "everyone", exact_below=1, model=model)

    assert 50 == found.get(INDEXES[model])


@both_models
def test_who_may_read_little_is_searched_for_by_the_audiences_index(url: str, model: str) -> None:
    found = used(url, "channel:C1", exact_below=5_000, model=model)

    assert INDEXES[model] not in found
    assert FEW == found.get("embeddings_by_audience")


@pytest.mark.parametrize(("exact_below", "is_exact"), [(MANY + 1, True), (MANY, False)])
def test_the_number_of_readable_passages_chooses_between_comparing_all_and_the_index(
    url: str, exact_below: int, *, is_exact: bool
) -> None:
    found = used(url, "everyone", exact_below=exact_below)

    assert is_exact == ("embeddings_by_minilm" not in found)


def test_words_and_titles_are_looked_up_by_indexes(url: str) -> None:
    with psycopg.connect(as_app(url)) as connection:
        connection.execute("SET enable_seqscan = off")
        connection.execute("SELECT set_config('askback.workspace', 'one', false)")
        connection.execute("SELECT set_config('askback.audiences', array_agg(id)::text, false) FROM audiences")
        plan = connection.execute("EXPLAIN SELECT id FROM documents WHERE title_key = md5('t')").fetchall()

    assert "documents_by_title" in str(plan)
    assert "Index Cond: ((workspace = NULLIF" in str(plan)
    assert "title_key" in str(plan).split("Index Cond")[1].split("Filter")[0]


def plan_of_words(url: str) -> str:
    """Return the plan of the statement in the function: `EXPLAIN` of a call shows one step."""
    with psycopg.connect(url) as owner:
        row = owner.execute("SELECT prosrc, proconfig FROM pg_proc WHERE proname = 'passages_by_text'").fetchone()
        assert row is not None
        statement, configured = row
        assert (1, 1) == (statement.count("configuration, query)"), statement.count("LIMIT wanted"))
        for one in configured:
            if one.startswith("enable_"):
                owner.execute("SELECT set_config(%s, %s, true)", one.split("="))
        owner.execute("SELECT set_config('askback.workspace', 'one', true)")
        owner.execute("SELECT set_config('askback.audiences', array_agg(id)::text, true) FROM audiences")
        called = statement.replace("configuration, query)", "configuration, 'text')").replace(
            "LIMIT wanted", "LIMIT 50"
        )
        return "\n".join(line for (line,) in owner.execute(f"EXPLAIN {called}".encode()))


def test_the_function_that_searches_words_uses_their_index(url: str) -> None:
    plan = plan_of_words(url)

    # For who may read much, for who may read little, and for several words together.
    assert 3 == plan.count("Bitmap Index Scan on passages_by_words")
    assert "Seq Scan on passages" not in plan


class Shipped(Search):
    """A search as it is shipped, which tells its border, and the settings of its transaction."""

    told: tuple[int, dict[str, str]] | None = None

    async def _found(self, connection: Any, sought: Any) -> list[Any]:
        found = await super()._found(connection, sought)
        cursor = await connection.execute(
            "SELECT name, current_setting(name, true) AS value FROM unnest(%(names)s::text[]) AS name",
            {"names": ["hnsw.iterative_scan", "hnsw.ef_search", "plan_cache_mode", "max_parallel_workers_per_gather"]},
        )
        self.told = self._exact_below, {row["name"]: row["value"] async for row in cursor}
        return found


async def test_a_search_runs_with_the_border_and_the_effort_that_were_measured(url: str) -> None:
    async with Database.open(as_app(url), size=2, workspace="one") as database:

        async def everyone() -> Names:
            return Names({"everyone"})

        search = Shipped(Library(database, "one", reader=everyone), Vectors())
        assert await search.search("text", limit=10)

    assert (
        20_000,
        {
            "hnsw.iterative_scan": "relaxed_order",
            "hnsw.ef_search": "1000",
            "plan_cache_mode": "force_custom_plan",
            "max_parallel_workers_per_gather": "0",
        },
    ) == search.told


def test_nobody_reads_without_a_name(url: str) -> None:
    assert not {name for name, rows in used(url, "nobody", exact_below=1).items() if rows}
