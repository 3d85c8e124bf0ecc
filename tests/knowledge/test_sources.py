"""Sources are listed and removed, and another workspace's sources stay."""

import asyncio
import io
from pathlib import Path

import pytest
from rich.console import Console

from bot.cli.administration import Administration
from bot.cli.knowledge import sources
from bot.errors import KnowledgeError
from bot.knowledge.documents import Embedder
from bot.knowledge.ingest import ingest
from bot.knowledge.lock_store import source_lock
from bot.knowledge.search import Library, Search, everything
from bot.postgres.pool import Database
from bot.settings import Settings
from graph.passages import BY_OCR, READ_BY
from tests.knowledge.readers import making, scanning


class Desk(Console):
    """A terminal with scripted input."""

    def __init__(self, said: str = "") -> None:
        self.shown = io.StringIO()
        super().__init__(file=self.shown, width=200)
        self._said = said

    def input(self, *_prompt: object, **_how: object) -> str:
        return self._said


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """Two folders with a document each."""
    made = [tmp_path / name for name in ("leave", "office")]
    for folder, text in zip(made, ("Everybody has 28 days of leave.", "The code opens the cellar."), strict=True):
        folder.mkdir()
        (folder / "page.md").write_text(f"# {folder.name}\n\n{text}\n")
    return made


@pytest.fixture
async def ingested(database: Database, embedder: Embedder, folders: list[Path]) -> list[Path]:
    """The folders, ingested in two workspaces."""
    for workspace in ("one", "two"):
        await ingest(database, embedder, workspace, folders)
    return folders


def at(desk: Desk, database: Database) -> Administration:
    """The administration of workspace one."""
    settings = Settings(workspace="one")
    return Administration(database=database, settings=settings, console=desk)


async def titles(database: Database, embedder: Embedder, workspace: str = "one") -> set[str]:
    """Return the titles of all documents."""
    found = await Search(Library(database, workspace, reader=everything), embedder).search(
        "leave cellar code days", limit=9
    )
    return {passage["title"] for passage in found}


async def test_the_list_says_how_much_is_known_from_where(database: Database, ingested: list[Path]) -> None:
    desk = Desk()

    await sources.show_sources(at(desk, database))

    lines = [line.split() for line in desk.shown.getvalue().splitlines()]
    assert ["SOURCE", "KIND", "DOCUMENTS", "PASSAGES", "FOR"] == lines[0][:5]
    assert [[str(folder), "files", "1", "1", "everyone"] for folder in ingested] == [line[:5] for line in lines[1:]]


async def test_what_the_last_reading_skipped_is_shown(
    database: Database, embedder: Embedder, folders: list[Path]
) -> None:
    for name in ("logo.gif", "plan.dwg", "photo.gif"):
        (folders[0] / name).write_bytes(b"0")
    for shown in ("3 skipped: 2 .gif, 1 .dwg (logo.gif, photo.gif, plan.dwg).", "1 skipped: 1 .dwg (plan.dwg)."):
        await ingest(database, embedder, "one", folders)
        desk = Desk()

        await sources.show_source(at(desk, database), str(folders[0]))

        assert shown in desk.shown.getvalue()
        for name in ("logo.gif", "photo.gif"):
            (folders[0] / name).unlink(missing_ok=True)


async def test_documents_that_were_read_by_text_recognition_are_shown_and_found(
    database: Database, embedder: Embedder, folders: list[Path]
) -> None:
    page = making.drawn_pdf(making.words("The cellar code is changed on Mondays."))
    picture = scanning.pictures_of(page)[0].crop((0, 0, 800, 320))  # Recognition takes time for white, too.
    (folders[0] / "notice.png").write_bytes(scanning.saved(picture))
    await ingest(database, embedder, "one", folders)
    desk = Desk()

    await sources.show_source(at(desk, database), str(folders[0]))

    assert "1 read by text recognition (OCR), which may err: notice.png." in desk.shown.getvalue()
    search = Search(Library(database, "one", reader=everything), embedder)
    first, *_ = await search.search("When is the cellar code changed on Mondays?", limit=3)
    assert ("notice.png", BY_OCR) == (first["path"], first["attributes"][READ_BY])


async def test_where_nothing_was_ingested_the_list_says_how_to(database: Database) -> None:
    desk = Desk()

    await sources.show_sources(at(desk, database))

    assert "askback ingest" in desk.shown.getvalue()


async def test_a_removed_source_is_known_no_more_here_and_still_elsewhere(
    database: Database, embedder: Embedder, ingested: list[Path]
) -> None:
    desk = Desk("y")

    assert await sources.remove_source(at(desk, database), str(ingested[0]), is_sure=False)

    assert "documents: 1, passages: 1" in desk.shown.getvalue()
    assert {"office"} == await titles(database, embedder)
    assert {"leave", "office"} == await titles(database, embedder, "two")


@pytest.mark.parametrize("said", ["n", "", "what?"])
async def test_who_thinks_better_of_it_removes_nothing(
    database: Database, embedder: Embedder, ingested: list[Path], said: str
) -> None:
    assert not await sources.remove_source(at(Desk(said), database), str(ingested[0]), is_sure=False)

    assert {"leave", "office"} == await titles(database, embedder)


async def test_a_source_that_is_not_there_is_named_beside_those_that_are(
    database: Database, ingested: list[Path]
) -> None:
    desk = Desk()

    assert not await sources.remove_source(at(desk, database), "/nowhere", is_sure=True)

    assert "There is no source /nowhere." in desk.shown.getvalue()
    assert str(ingested[1]) in desk.shown.getvalue()


async def test_a_source_that_is_being_ingested_is_removed_afterwards(
    database: Database, embedder: Embedder, ingested: list[Path]
) -> None:
    async with database.connection() as connection, source_lock(connection, "one", str(ingested[0])):
        removing = asyncio.create_task(sources.remove_source(at(Desk(), database), str(ingested[0]), is_sure=True))
        async with asyncio.timeout(30):
            while await waiting_locks(database) == 0:  # noqa: ASYNC110 - PostgreSQL tells nobody of it.
                await asyncio.sleep(0.01)
        assert {"leave", "office"} == await titles(database, embedder)

    assert await removing
    assert {"office"} == await titles(database, embedder)


async def waiting_locks(database: Database) -> int:
    """Return the number of sessions that wait for our lock."""
    async with database.transaction() as connection:
        cursor = await connection.execute(
            "SELECT count(*) AS waiting FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        )
        row = await cursor.fetchone()
    assert row is not None
    return row["waiting"]


async def test_a_source_and_parts_of_it_are_shared_by_names_and_the_longest_path_counts(
    database: Database, embedder: Embedder, ingested: list[Path]
) -> None:
    async def read_by(*names: str) -> set[str]:
        async def reader() -> frozenset[str]:
            return frozenset(names)

        found = await Search(Library(database, "one", reader=reader), embedder).search(
            "leave cellar code days", limit=9
        )
        return {passage["title"] for passage in found}

    leave, desk = str(ingested[0]), Desk()
    assert await sources.share_source(at(desk, database), leave, ["C0PEOPLE", "U0ADA"], part="")
    assert [{"office"}, {"leave"}, {"leave"}] == [
        await read_by("everyone"),
        await read_by("channel:C0PEOPLE"),
        await read_by("person:U0ADA"),
    ]

    await sources.share_source(at(desk, database), leave, ["everyone"], part="page.md")
    (ingested[0] / "page.md").write_text("# leave\n\nEverybody has 30 days of leave.\n")
    await ingest(database, embedder, "one", ingested)
    assert {"leave", "office"} == await read_by("everyone")

    await sources.share_source(at(desk, database), leave, ["default"], part="page.md")
    assert {"office"} == await read_by("everyone")
    await sources.share_source(at(desk, database), leave, ["nobody"], part="")
    assert set() == await read_by("channel:C0PEOPLE", "guests")
    assert {"leave", "office"} == await titles(database, embedder, "two")


async def test_what_is_no_name_is_said_and_nothing_is_shared(
    database: Database, embedder: Embedder, ingested: list[Path]
) -> None:
    for words in (["#people"], ["nobody", "everyone"], ["default"]):
        with pytest.raises(KnowledgeError):
            await sources.share_source(at(Desk(), database), str(ingested[0]), words, part="")
    assert not await sources.share_source(at(Desk(), database), "/nowhere", ["everyone"], part="")
    assert {"leave", "office"} == await titles(database, embedder)
