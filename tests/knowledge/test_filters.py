"""A filter leaves the passages of the documents that are meant, of those that the asker may read."""

from pathlib import Path

import pytest

from bot.knowledge.connectors.web.web import Web
from bot.knowledge.documents import Embedder
from bot.knowledge.ingest import ingest, sync
from bot.knowledge.search import Library, Search, everything
from bot.postgres.pool import Database
from graph.passages import DocumentFilter
from tests.knowledge.readers.making import drawn_pdf, words
from tests.knowledge.site import serving
from tests.knowledge.test_web import RULES

SAID = "The bicycle cellar opens at {hour}."


@pytest.fixture
async def search(database: Database, embedder: Embedder, tmp_path: Path) -> Search:
    for name, owner, day, hour in (
        ("minutes/october.md", "Ada Lovelace", "2026-10-07", "seven"),
        ("minutes/november.md", "Ben Adams", "2026-11-04", "eight"),
        ("cellar.md", "Adalbert Ada-Roth", "2026-10-09", "nine"),
    ):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        title = f"Cellar {hour}"
        file.write_text(f"---\nowner: {owner}\ndate: {day}\n---\n# {title}\n\n{SAID.format(hour=hour)}\n")
    (tmp_path / "hours.csv").write_text("place,opens\nbicycle cellar,ten\n")
    (tmp_path / "signs.pdf").write_bytes(drawn_pdf(words(SAID.format(hour="eleven"))))
    async with serving() as site:
        site.page("/", "Opening hours", SAID.format(hour="noon"))
        await ingest(database, embedder, "one", [tmp_path])
        await sync(database, embedder, "one", [Web(f"{site.url}/", RULES)])
    return Search(Library(database, "one", reader=everything), embedder)


@pytest.mark.parametrize(
    ("only", "paths"),
    [
        ({"by": "Ada"}, {"minutes/october.md"}),
        ({"by": "ada lovelace"}, {"minutes/october.md"}),
        ({"kind": "minutes"}, {"minutes/october.md", "minutes/november.md"}),
        ({"kind": "spreadsheet"}, {"hours.csv"}),
        ({"kind": "pdf"}, {"signs.pdf"}),
        ({"kind": "files"}, {"minutes/october.md", "minutes/november.md", "cellar.md", "hours.csv", "signs.pdf"}),
        ({"kind": "web"}, {"index.html"}),
        ({"since": "2026-10-01", "until": "2026-10-31"}, {"minutes/october.md", "cellar.md"}),
        ({"kind": "minutes", "since": "2026-11-01"}, {"minutes/november.md"}),
        ({"by": "Zoe"}, set()),
    ],
)
async def test_only_passages_of_these_documents_are_found(
    search: Search, only: dict[str, str], paths: set[str]
) -> None:
    meant = DocumentFilter(**{"by": "", "kind": "", "since": "", "until": "", **only})

    found = await search.search("When does the bicycle cellar open?", limit=9, only=meant)

    assert paths == {passage["path"] for passage in found}


async def test_another_workspace_has_none_of_them(search: Search, database: Database, embedder: Embedder) -> None:
    other = Search(Library(database, "two", reader=everything), embedder)
    meant = DocumentFilter(by="Ada", kind="", since="", until="")

    assert [] == await other.search("bicycle cellar", limit=9, only=meant)
