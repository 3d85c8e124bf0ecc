"""Search by words and by meaning, in one statement, in the workspace's own documents only."""

from pathlib import Path

import psycopg
import pytest

from bot.audience import ALL, BESIDE_GUESTS, EVERYONE, GUESTS, Names
from bot.knowledge import audience_store, search_store
from bot.knowledge.audience_store import read_as
from bot.knowledge.documents import Embedder, Matrix
from bot.knowledge.ingest import ingest
from bot.knowledge.search import Library, Search, everything
from bot.models.embedding import Embedding, MiniLm
from bot.postgres.pool import Database
from graph.passages import Topics, contextual
from tests.knowledge.conftest import NotingEmbedder
from tests.support.statements import watched


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "leave").mkdir()
    (tmp_path / "leave/holidays.md").write_text(
        "---\nowner: People\ndate: 2025-03-01\nurl: https://intra.example/leave\n---\n"
        "# Holidays\n\n## How many\n\nEverybody has 28 days of paid leave.\n"
    )
    (tmp_path / "office.md").write_text("# Office\n\nThe code XJ-4471 opens the bicycle cellar.\n")
    (tmp_path / "reisen.md").write_text(
        "# Reisekosten\n\nWer dienstlich mit dem Zug fährt, reicht die Belege innerhalb von dreißig Tagen ein.\n"
    )
    return tmp_path


@pytest.fixture
async def search(database: Database, embedder: Embedder, folder: Path) -> Search:
    await ingest(database, embedder, "one", [folder])
    return Search(Library(database, "one", reader=everything, link_hosts={"intra.example"}), embedder)


async def test_what_changed_or_went_is_not_there_any_more(
    search: Search, database: Database, embedder: Embedder, folder: Path
) -> None:
    ids = {passage["title"]: passage["id"] for passage in await search.search("leave office Zug", limit=9)}
    assert set(ids.values()) == await search.still_there([*ids.values(), 0])

    (folder / "office.md").write_text("# Office\n\nThe bicycle cellar is open.\n")
    (folder / "reisen.md").unlink()
    await ingest(database, embedder, "one", [folder])

    assert {ids["Holidays"]} == await search.still_there([*ids.values()])
    assert set() == await Search(Library(database, "two", reader=everything), embedder).still_there([*ids.values()])


async def test_a_passage_is_oneby_its_meaning(search: Search) -> None:
    found = await search.search("how long may I go on vacation", limit=3)

    assert found[0]["title"] == "Holidays"


async def test_a_passage_is_oneby_a_word_that_means_nothing_to_the_model(search: Search) -> None:
    found = await search.search("XJ-4471", limit=3)

    assert found[0]["title"] == "Office"


async def test_a_passage_says_what_its_document_says_of_itself(search: Search) -> None:
    found = await search.search("days of paid leave", limit=1)

    assert {key: value for key, value in found[0].items() if key not in {"id", "document_id", "score"}} == {
        "word_match": 1.0,
        "title": "Holidays",
        "path": "leave/holidays.md",
        "heading_path": ["How many"],
        "text": "Everybody has 28 days of paid leave.",
        "language": "en",
        "url": "https://intra.example/leave",
        "links": [],
        "dated": "2025-03-01",
        "attributes": {"owner": "People", "date": "2025-03-01"},
    }


async def test_a_passage_says_how_well_its_words_match_beside_the_best(search: Search) -> None:
    found = await search.search("days of paid leave", limit=50)

    matches = {one["text"]: one.get("word_match", -1.0) for one in found}
    assert 1.0 == matches["Everybody has 28 days of paid leave."] == max(matches.values())
    assert 0.0 in matches.values(), "Some are found by their meaning only."


async def test_a_german_document_is_oneby_another_form_of_its_words(database_url: str, search: Search) -> None:
    found = await search.search("Beleg einreichen Reise", limit=3)

    assert found[0]["title"] == "Reisekosten"
    assert found[0]["language"] == "de"
    with psycopg.connect(database_url) as connection:
        rows = connection.execute("SELECT configuration::text FROM documents WHERE language = 'de'").fetchall()
    assert rows == [("german",)]


async def test_the_index_finds_what_comparing_all_finds(database: Database, embedder: Embedder, search: Search) -> None:
    exact = await search.search("how long may I go on vacation", limit=3)

    indexed = await Search(Library(database, "one", reader=everything), embedder, exact_below=0).search(
        "how long may I go on vacation", limit=3
    )

    assert [passage["id"] for passage in indexed] == [passage["id"] for passage in exact]


async def test_another_model_finds_by_words_and_takes_no_foreign_vector_for_its_own(
    database: Database, minilm: Embedding, remembered: list[str], search: Search
) -> None:
    class Other(NotingEmbedder):
        @property
        def model(self) -> str:
            return "multilingual-e5-small-q4"

    for exact_below in (0, 5_000):
        other = Search(
            Library(database, "one", reader=everything), Other(minilm, [], remembered), exact_below=exact_below
        )

        assert ["Holidays"] == [passage["title"] for passage in await other.search("paid leave", limit=3)]
    assert [] == remembered


async def test_the_index_looks_past_the_passages_of_other_workspaces(
    database: Database, embedder: Embedder, search: Search, tmp_path: Path
) -> None:
    crowd = tmp_path / "crowd.md"
    crowd.write_text("\n\n".join(f"## Vacation {number}\n\nPaid leave of team {number}." for number in range(120)))
    await ingest(database, embedder, "two", [crowd])

    found = await Search(Library(database, "one", reader=everything), embedder, exact_below=0).search(
        "paid leave of a team", limit=3
    )

    assert len(found) == 3


async def test_the_vectors_that_the_ranking_asks_for_are_handed_on(search: Search, remembered: list[str]) -> None:
    found = await search.search("days of paid leave", limit=3)

    assert {contextual(one["title"], one["heading_path"], one["text"]) for one in found} == set(remembered)


async def test_another_workspace_sees_nothing(database: Database, embedder: Embedder, search: Search) -> None:
    theirs = Search(Library(database, "two", reader=everything), embedder)

    assert await search.search("holidays", limit=3)
    assert await theirs.search("holidays", limit=3) == []
    assert await theirs.topics() == Topics([])


async def test_without_the_policy_another_workspace_would_see_passages(
    database_url: str, database: Database, embedder: Embedder, search: Search
) -> None:
    # Without this, the test above could pass for another reason.
    with psycopg.connect(database_url, autocommit=True) as owner:
        for table in ("passages", "embeddings", "documents", "audiences", "sources"):
            owner.execute(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY")

    assert await Search(Library(database, "two", reader=everything), embedder).search("holidays", limit=3)


async def test_the_text_index_tells_nothing_of_another_workspace(database: Database, search: Search) -> None:
    assert search is not None
    async with database.transaction("two") as connection:
        await read_as(connection, ALL)
        cursor = await connection.execute("SELECT * FROM passages_by_text('holidays', 10)")
        assert await cursor.fetchall() == []


async def test_a_search_is_one_statement(
    server_url: str, database_url: str, embedder: Embedder, search: Search
) -> None:
    async with watched(server_url, database_url) as (database, statements):
        assert await Search(Library(database, "one", reader=everything), embedder).search("holidays", limit=3)

    about_passages = [statement for statement in statements if "passages" in statement]
    assert len(about_passages) == 1
    assert len(statements) <= 7, "BEGIN, two settings, the view, the search, the serving model, COMMIT"


async def test_what_a_reused_search_depends_on_is_read_in_one_statement(server_url: str, database_url: str) -> None:
    async with watched(server_url, database_url) as (database, statements):
        await Library(database, "one", reader=everything).view()

    assert len(statements) == 1


@pytest.mark.parametrize("names", [{EVERYONE}, {"person:UADA", EVERYONE}, {BESIDE_GUESTS, EVERYONE}, set(), ALL])
async def test_what_somebody_would_read_is_what_they_read(search: Search, database: Database, names: Names) -> None:
    assert search is not None
    async with database.transaction("one") as connection:
        cursor = await connection.execute("SELECT id FROM sources")
        (source,) = [row["id"] async for row in cursor]
        await audience_store.share(connection, source, "leave", {"person:UADA"})
        await audience_store.share(connection, source, "office.md", {EVERYONE, GUESTS})

    async with database.transaction("one") as connection:
        would = await search_store.view_as(connection, frozenset(names))
        await read_as(connection, frozenset(names))

        assert would == await search_store.view_of(connection)


async def test_an_old_version_brings_the_newer_one_that_was_not_found(
    database: Database, embedder: Embedder, tmp_path: Path
) -> None:
    noise = [f"Allowance {number}: hotel nights, hotel limits, hotel bills, breakfast." for number in range(120)]
    for number, text in enumerate(noise):
        (tmp_path / f"{chr(97 + number // 26)}{chr(97 + number % 26)}.md").write_text(f"# Hotels of {text}\n\n{text}\n")
    (tmp_path / "travel-2024.md").write_text("---\ndate: 2024-01-01\n---\n# Travel policy 2024\n\nHotel limit: 120.\n")
    (tmp_path / "travel-2026.md").write_text("---\ndate: 2026-01-01\n---\n# Travel policy 2026\n\nIt is 145 now.\n")
    await ingest(database, embedder, "one", [tmp_path])

    found = await Search(Library(database, "one", reader=everything), embedder).search("hotel limit 120", limit=10)

    titles = [passage["title"] for passage in found]
    older = titles.index("Travel policy 2024")
    assert titles[older + 1] == "Travel policy 2026"
    assert len(found) == 10


async def test_a_question_without_words_finds_nothing_to_fail_on(search: Search) -> None:
    assert len(await search.search("???", limit=2)) == 2
    assert await search.search("", limit=0) == []


async def test_the_languages_of_all_documents_are_told_the_most_frequent_first(search: Search) -> None:
    assert await search.languages() == ["en", "de"]


async def test_topics_are_the_folders_and_the_loose_titles(search: Search) -> None:
    assert await search.topics() == Topics(["Leave", "Office", "Reisekosten"])


async def test_topics_that_are_not_named_are_counted(database: Database, embedder: Embedder, tmp_path: Path) -> None:
    for number in range(10, 21):
        (tmp_path / f"page-{number}.md").write_text(f"# Page {number}\n\nText.\n")
    await ingest(database, embedder, "one", [tmp_path])

    topics = await Search(Library(database, "one", reader=everything), embedder).topics()

    assert Topics([f"Page {number}" for number in range(10, 18)], more=3) == topics


class OutOfOrder(MiniLm):
    """An embedding whose provider is away."""

    def _embed(self, text: str, *, is_query: bool) -> Matrix:
        raise ConnectionError


async def test_without_a_vector_words_find_and_a_newer_version_still_stands_beside_an_old_one(
    database: Database, embedder: Embedder, tmp_path: Path
) -> None:
    (tmp_path / "old.md").write_text("# Travel policy 2024\n\nA zeppelin flight is paid up to 90 EUR.\n")
    (tmp_path / "new.md").write_text("# Travel policy 2025\n\nAirships are paid up to 120 EUR.\n")
    await ingest(database, embedder, "one", [tmp_path])
    search = Search(Library(database, "one", reader=everything), OutOfOrder.load())

    assert not search.by_words
    found = await search.search("zeppelin", limit=9)

    assert search.by_words
    assert ["Travel policy 2024", "Travel policy 2025"] == [one["title"] for one in found]


async def test_two_near_identical_passages_are_found_as_one(
    database: Database, embedder: Embedder, tmp_path: Path
) -> None:
    text = (
        "Laptops are replaced every four years; ask the service desk for an appointment before yours is due,"
        " and bring it with its charger."
    )
    for name, more in (("one.md", ""), ("other.md", " (it is quick)")):
        (tmp_path / name).write_text(f"# Laptops\n\n{text}{more}\n")
    await ingest(database, embedder, "one", [tmp_path])

    (found,) = await Search(Library(database, "one", reader=everything), embedder).search("laptops", limit=9)

    assert text in found["text"]
