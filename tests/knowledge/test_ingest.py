"""Ingesting synchronises passages with files. Unchanged files cost nothing."""

import asyncio
from contextlib import nullcontext
from datetime import date
from pathlib import Path

import pytest

from bot.audience import ALL
from bot.cli.demo import HANDBOOK, remember_sample
from bot.errors import KnowledgeError
from bot.knowledge.audience_store import read_as
from bot.knowledge.documents import Embedder
from bot.knowledge.ingest import IngestOptions, ingest
from bot.knowledge.readers.formats import NAMED
from bot.knowledge.sandbox.limits import Limits
from bot.knowledge.syncing.tally import NAMED_AT_MOST
from bot.models.embedding import Embedding
from bot.postgres.pool import Database
from tests.knowledge.conftest import NotingEmbedder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "leave").mkdir()
    (tmp_path / "leave/holidays.md").write_text("# Holidays\n\nEverybody has 28 days of paid leave.\n")
    (tmp_path / "office.txt").write_text("The door code opens the bicycle cellar.\n")
    (tmp_path / "page.html").write_text("<title>Wi-Fi</title><p>The guest network is called Meadow.</p>")
    return tmp_path


async def texts(database: Database, workspace: str = "one") -> list[str]:
    async with database.transaction(workspace) as connection:
        await read_as(connection, ALL)
        cursor = await connection.execute("SELECT text FROM passages ORDER BY document_id, position")
        return [row["text"] async for row in cursor]


async def test_files_of_every_kind_become_passages(database: Database, embedder: Embedder, folder: Path) -> None:
    result = await ingest(database, embedder, "one", [folder])

    assert result.added == 3
    assert set(await texts(database)) == {
        "Everybody has 28 days of paid leave.",
        "The door code opens the bicycle cellar.",
        "The guest network is called Meadow.",
    }


async def test_no_passage_of_the_handbook_shows_front_matter(database: Database, minilm: Embedding) -> None:
    remember_sample(minilm)
    await ingest(database, minilm, "one", [HANDBOOK])

    stored = await texts(database)
    assert len(stored) > 10
    assert [] == [text for text in stored if text.startswith("---")]
    async with database.transaction("one") as connection:
        await read_as(connection, ALL)
        cursor = await connection.execute(
            "SELECT title, url, dated FROM documents WHERE path = 'offices/porto/guest-wifi.txt'"
        )
        row = await cursor.fetchone()
    assert row == {
        "title": "Guest Wi-Fi in Porto",
        "url": "https://handbook.lumenpine.example/offices/porto/guest-wifi",
        "dated": date(2026, 5, 4),
    }


async def test_unchanged_documents_are_not_embedded_again(
    database: Database, embedder: Embedder, folder: Path, embedded: list[str]
) -> None:
    await ingest(database, embedder, "one", [folder])
    embedded.clear()

    result = await ingest(database, embedder, "one", [folder])

    assert result.unchanged == 3
    assert embedded == []
    assert len(await texts(database)) == 3


async def test_only_the_changed_document_is_embedded_and_replaced(
    database: Database, embedder: Embedder, folder: Path, embedded: list[str]
) -> None:
    await ingest(database, embedder, "one", [folder])
    embedded.clear()
    (folder / "leave/holidays.md").write_text("# Holidays\n\nEverybody has 30 days of paid leave.\n")

    result = await ingest(database, embedder, "one", [folder])

    assert (result.changed, result.unchanged) == (1, 2)
    assert embedded == ["Holidays\nEverybody has 30 days of paid leave."]
    assert "Everybody has 28 days of paid leave." not in await texts(database)


async def test_of_a_changed_document_only_the_changed_passage_is_embedded(
    database: Database, embedder: Embedder, embedded: list[str], tmp_path: Path
) -> None:
    (tmp_path / "book.md").write_text(BOOK)
    await ingest(database, embedder, "one", [tmp_path])
    before = await vectors(database)
    embedded.clear()
    changed = "In chapter 50 there is no door."
    (tmp_path / "book.md").write_text(BOOK.replace("In chapter 50 the door code is 50.", changed))

    result = await ingest(database, embedder, "one", [tmp_path])

    assert (1, [f"Chapter 0 › Chapter 50\n{changed}"]) == (result.changed, embedded)
    after = await vectors(database)
    assert 100 == len(after)
    assert [changed] == [text for text in after if before.get(text) != after[text]]


async def vectors(database: Database) -> dict[str, str]:
    """Return the vector of each passage, as PostgreSQL writes it."""
    async with database.transaction("one") as connection:
        await read_as(connection, ALL)
        cursor = await connection.execute(
            "SELECT text, embedding::text AS vector FROM passages JOIN embeddings ON passage_id = id"
        )
        return {row["text"]: row["vector"] async for row in cursor}


async def test_the_passages_of_a_deleted_file_go(database: Database, embedder: Embedder, folder: Path) -> None:
    await ingest(database, embedder, "one", [folder])
    (folder / "office.txt").unlink()

    result = await ingest(database, embedder, "one", [folder])

    assert result.removed == 1
    assert "The door code opens the bicycle cellar." not in await texts(database)


async def test_a_broken_file_is_named_and_the_others_are_read(
    database: Database, embedder: Embedder, folder: Path
) -> None:
    (folder / "broken.md").write_text("---\ntitle: [unclosed\n---\nText.\n")
    (folder / "binary.txt").write_bytes(b"\0\1\2")

    result = await ingest(database, embedder, "one", [folder])

    assert result.added == 3
    assert [failure.path for failure in result.failed] == ["binary.txt", "broken.md"]
    assert "export it" in result.failed[0].reason


async def test_a_title_without_end_is_cut(database: Database, embedder: Embedder, folder: Path) -> None:
    title = " ".join(f"word{number}" for number in range(120_000))
    (folder / "long.md").write_text(f"---\ntitle: {title}\n---\nText.\n")

    result = await ingest(database, embedder, "one", [folder], IngestOptions(limits=Limits(seconds=120)))

    assert result.added == 4
    assert [] == result.failed


async def test_a_file_that_broke_keeps_its_passages(database: Database, embedder: Embedder, folder: Path) -> None:
    await ingest(database, embedder, "one", [folder])
    (folder / "office.txt").write_bytes(b"\xff\xfe\xff")

    result = await ingest(database, embedder, "one", [folder])

    assert (len(result.failed), result.removed) == (1, 0)
    assert "The door code opens the bicycle cellar." in await texts(database)


async def test_a_folder_that_is_missing_says_so(database: Database, embedder: Embedder, tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError, match="does not exist"):
        await ingest(database, embedder, "one", [tmp_path / "nowhere"])


async def test_two_ingests_of_one_source_take_turns(
    database: Database, embedder: Embedder, folder: Path, embedded: list[str]
) -> None:
    first, second = await asyncio.gather(*(ingest(database, embedder, "one", [folder]) for _ in range(2)))

    assert sorted([first.added, second.added]) == [0, 3]
    assert len(embedded) == 3


async def test_one_folder_serves_two_workspaces(database: Database, embedder: Embedder, folder: Path) -> None:
    await ingest(database, embedder, "one", [folder])

    result = await ingest(database, embedder, "two", [folder])

    assert result.added == 3
    assert len(await texts(database, "one")) == len(await texts(database, "two")) == 3


async def test_progress_counts_every_file_once(database: Database, embedder: Embedder, folder: Path) -> None:
    seen: list[tuple[float, int]] = []

    await ingest(
        database,
        embedder,
        "one",
        [folder],
        IngestOptions(progress_of=lambda _: nullcontext(lambda done, files, _p, _n: seen.append((done, files)))),
    )

    assert seen == [(1, 3), (2, 3), (3, 3)]


async def locations(database: Database) -> list[str]:
    async with database.transaction("one") as connection:
        return [row["location"] async for row in await connection.execute("SELECT location FROM sources")]


@pytest.mark.parametrize(
    "hostile",
    [
        f"---\nversion: {'9' * 5000}\n---\n\nThe number has 5,000 digits.\n",
        "---\ndate: 0000-99-99\n---\n\nThere is no such day.\n",
        "---\n? [a, b]\n: {c: [d]}\n---\n\nThe key is a list.\n",
        "---\na: &a [*a]\n---\n\nIt holds itself.\n",
        f"{'> ' * 3000}deep\n",
        f"{'- ' * 3000}deep\n",
        "\ud800 half a sign\n",
        f"# {'word ' * 40_000}\n\nThe heading is a book.\n",
    ],
    ids=["number", "date", "key", "itself", "quotes", "lists", "surrogate", "heading"],
)
async def test_one_bad_file_stops_no_other(database: Database, embedder: Embedder, folder: Path, hostile: str) -> None:
    (folder / "bad.md").write_text(hostile, encoding="utf-8", errors="surrogatepass")

    result = await ingest(database, embedder, "one", [folder])

    assert result.added + len(result.failed) == 4
    assert {failure.path for failure in result.failed} <= {"bad.md"}
    assert "The door code opens the bicycle cellar." in await texts(database)


class Breaking(NotingEmbedder):
    """A model that cannot count the tokens of one text."""

    def count_tokens(self, text: str) -> int:
        if "door code" in text:
            raise ZeroDivisionError
        return super().count_tokens(text)


async def test_what_goes_wrong_unforeseen_is_that_files_line(
    database: Database, minilm: Embedding, folder: Path
) -> None:
    result = await ingest(database, Breaking(minilm, [], []), "one", [folder])

    assert (2, ["office.txt"]) == (result.added, [failure.path for failure in result.failed])
    assert "ZeroDivisionError" in result.failed[0].reason


async def test_the_first_of_what_changed_and_of_what_was_skipped_are_named(
    database: Database, embedder: Embedder, folder: Path
) -> None:
    await ingest(database, embedder, "one", [folder])
    (folder / "office.txt").write_text("The door code opens nothing.\n")
    (folder / "page.html").unlink()
    (folder / "scan.gif").write_bytes(b"GIF")
    for number in range(NAMED_AT_MOST + 5):
        (folder / f"{number:02}.md").write_text(f"# {number}\n\nThe same.\n")

    result = await ingest(database, embedder, "one", [folder])

    assert NAMED_AT_MOST + 5 == result.added
    assert [f"{number:02}.md" for number in range(NAMED_AT_MOST)] == result.named.pop("added")
    assert {"changed": ["office.txt"], "removed": ["page.html"], "skipped": ["scan.gif"]} == result.named


async def test_what_is_not_read_is_counted(database: Database, embedder: Embedder, folder: Path) -> None:
    for name in ("a.doc", "b.DOC", "c.gif", "LICENSE", ".hidden.doc"):
        (folder / name).write_bytes(b"Old")

    result = await ingest(database, embedder, "one", [folder])

    assert (3, {".doc": 2, ".gif": 1, "": 1}) == (result.added, result.skipped)


async def test_what_holds_nothing_that_can_be_read_is_no_source(
    database: Database, embedder: Embedder, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    empty = tmp_path_factory.mktemp("empty")
    (empty / "scan.gif").write_bytes(b"GIF")

    result = await ingest(database, embedder, "one", [empty, folder])

    assert [(str(empty), f"It holds no readable file: give {NAMED}.")] == [
        (failure.path, failure.reason) for failure in result.failed
    ]
    assert [str(folder)] == await locations(database)


async def test_a_key_in_a_document_is_neither_stored_nor_embedded(
    database: Database, embedder: Embedder, folder: Path, embedded: list[str]
) -> None:
    key = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3"
    (folder / "deploy.md").write_text(f"---\nowner: {key}\n---\n\n# Deploy\n\nPush with the token {key} to main.\n")

    result = await ingest(database, embedder, "one", [folder])

    assert [("deploy.md", "What looks like a key or a password was left out.")] == [
        (warning.path, warning.reason) for warning in result.warned
    ]
    assert "Push with the token [removed] to main." in await texts(database)
    async with database.transaction("one") as connection:
        await read_as(connection, ALL)
        rows = [row async for row in await connection.execute("SELECT d::text, p::text FROM documents d, passages p")]
    assert key not in str(rows)
    assert key not in str(embedded)


BOOK = "".join(f"# Chapter {number}\n\nIn chapter {number} the door code is {number}.\n\n" for number in range(100))


async def test_how_far_a_long_document_is_is_told(database: Database, embedder: Embedder, tmp_path: Path) -> None:
    (tmp_path / "book.md").write_text(BOOK)
    told: list[tuple[float, int, str, int]] = []

    def progress(done: float, of: int, path: str, passages: int) -> None:
        told.append((round(done, 2), of, path, passages))

    await ingest(database, embedder, "one", [tmp_path], IngestOptions(progress_of=lambda _: nullcontext(progress)))

    parts = (embedder.at_once, 2 * embedder.at_once)
    begun = [(round(done / 100, 2), 1, f"book.md, {done} of 100 passages", done) for done in parts]
    assert begun == told[:2]
    assert (1, 1, "book.md", 100) == told[-1]


async def test_an_ingest_that_is_stopped_loses_nothing_that_was_stored_and_goes_on(
    database: Database, embedder: Embedder, folder: Path, embedded: list[str]
) -> None:
    (folder / "book.md").write_text(BOOK)
    (folder / "zoo.md").write_text("# Zoo\n\nThe zoo opens at nine.\n")

    def stops(_done: float, _of: int, path: str, _passages: int) -> None:
        if path.startswith("zoo"):
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await ingest(database, embedder, "one", [folder], IngestOptions(progress_of=lambda _: nullcontext(stops)))
    embedded.clear()
    result = await ingest(database, embedder, "one", [folder])

    assert result.unchanged >= 1
    assert 5 == result.unchanged + result.added
    assert len(embedded) < 20
    assert "In chapter 99 the door code is 99." in await texts(database)


async def test_a_file_that_is_too_large_is_refused_with_the_setting_that_allows_it(
    database: Database, embedder: Embedder, folder: Path
) -> None:
    (folder / "log.txt").write_text("A line of a log.\n" * 1000)

    result = await ingest(database, embedder, "one", [folder], IngestOptions(limits=Limits(text_mb=0.01)))

    assert [("log.txt", "The file is larger than 0.01 MB (ASKBACK_LARGEST_FILE_MB): split it.")] == [
        (failure.path, failure.reason) for failure in result.failed
    ]
    assert 3 == result.added


async def test_what_was_read_before_a_book_is_stored_before_the_book_is_embedded(
    database: Database, embedder: Embedder, folder: Path
) -> None:
    (folder / "zbook.md").write_text(BOOK)

    def stops(_done: float, _of: int, path: str, _passages: int) -> None:
        if path.startswith("zbook.md, "):
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await ingest(database, embedder, "one", [folder], IngestOptions(progress_of=lambda _: nullcontext(stops)))

    assert 3 == (await ingest(database, embedder, "one", [folder])).unchanged


@pytest.mark.parametrize("name", ["book.md", "book.txt", "book.html"])
async def test_a_large_text_that_takes_too_long_is_one_line(
    database: Database, embedder: Embedder, folder: Path, name: str
) -> None:
    (folder / name).write_text("A line of a book.\n\n" * 6_000)

    result = await ingest(database, embedder, "one", [folder], IngestOptions(limits=Limits(seconds=0.01)))

    reason = "Reading it takes longer than 0.01 s (ASKBACK_READER_SECONDS): split it."
    assert [(name, reason)] == [(failure.path, failure.reason) for failure in result.failed]
    assert 3 == result.added


async def test_a_large_text_is_read_as_a_small_one_is(database: Database, embedder: Embedder, tmp_path: Path) -> None:
    key = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3"
    (tmp_path / "book.md").write_text(f"---\ntitle: Doors\n---\n\nThe key is {key}.\n\n{BOOK}{'x' * 120_000}\n")

    result = await ingest(database, embedder, "one", [tmp_path], IngestOptions(limits=Limits(seconds=120)))

    assert ["What looks like a key or a password was left out."] == [warning.reason for warning in result.warned]
    found = await texts(database)
    assert "The key is [removed]." in found
    assert "In chapter 99 the door code is 99." in found
    assert all(len(text) < 5_000 for text in found)


async def test_a_page_of_tags_without_ends_is_one_line(database: Database, embedder: Embedder, folder: Path) -> None:
    # A reader in this process would block it for minutes.
    (folder / "tags.html").write_text("<a " * 30_000)

    result = await ingest(database, embedder, "one", [folder], IngestOptions(limits=Limits(seconds=3)))

    assert ["tags.html"] == [failure.path for failure in result.failed]
    assert 3 == result.added
