"""Passages are found by text and by meaning, in one statement, in the workspace's own documents only."""

from pathlib import Path

import pytest

from bot.database import Database
from bot.knowledge.ingest import ingest
from bot.knowledge.search import Search
from bot.models.embedding import MiniLm


@pytest.fixture(scope="module")
def embedder() -> MiniLm:
    return MiniLm.load()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "leave").mkdir()
    (tmp_path / "leave/holidays.md").write_text("# Holidays\n\n## How many\n\nEverybody has 28 days of paid leave.\n")
    (tmp_path / "office.md").write_text("# Office\n\nThe door code XJ-4471 opens the bicycle cellar.\n")
    (tmp_path / "urlaub.md").write_text(
        "# Reisekosten\n\nWer dienstlich mit dem Zug fährt, reicht die Belege innerhalb von dreißig Tagen ein.\n"
    )
    return tmp_path


async def test_a_passage_is_found_by_its_meaning(database: Database, embedder: MiniLm, folder: Path) -> None:
    await ingest(database, embedder, "one", [folder])

    found = await Search(database, embedder, "one").search("how long may I go on vacation", limit=3)

    assert found[0]["title"] == "Holidays"
    assert found[0]["heading_path"] == ["How many"]
