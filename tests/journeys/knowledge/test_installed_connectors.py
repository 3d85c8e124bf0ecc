"""A package of somebody else's brings a kind of source; one that is broken is a line, and stops nothing."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bot.knowledge import source_store
from bot.knowledge.connectors.files import Files
from bot.knowledge.connectors.kinds import connector_of, faults_of, guessed
from bot.postgres.pool import Database
from tests.cli.test_doctoring import said_of
from tests.journeys.knowledge.test_notion_sources import cells
from tests.support.fork_server import ForkServer

EXAMPLES = Path(__file__).parents[2] / "examples"
BROKEN = (
    "The connector broken of the package askback-broken cannot be loaded"
    " (RuntimeError: It wants another machine. And another day.)."
)


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which both example packages are installed, without a network."""
    folder = tmp_path_factory.mktemp("packages")
    subprocess.run(
        [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--offline", "--no-deps", "--no-build-isolation",
         "--python", sys.executable, "--target", str(folder),
         *(str(EXAMPLES / name) for name in ("askback-journal", "askback-broken"))],
        check=True,
    )  # fmt: skip
    return folder


class Desk:
    """A terminal of an administrator, where the packages are installed."""

    def __init__(self, packages: Path, app_url: str, folder: Path, fork_server: ForkServer) -> None:
        self._folder, self._fork_server = folder, fork_server
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("SLACK", "GROQ", "ASKBACK"))}
        self._environment = {**clean, "DATABASE_URL": app_url, "PYTHONPATH": str(packages)}

    def run(self, *words: str, code: int = 0) -> str:
        """Run a command and return what it says."""
        ended, said = self._fork_server.run(shlex.join(["sources", *words]), self._folder, **self._environment)
        assert code == ended, said
        return " ".join(said.split()) if code else said


def test_a_source_of_an_installed_kind_is_added_read_again_and_removed(
    packages: Path, database: Database, app_url: str, tmp_path: Path, fork_server: ForkServer
) -> None:
    desk, file = Desk(packages, app_url, tmp_path, fork_server), tmp_path / "journal.json"
    name = f"journal:{file}"
    file.write_text(json.dumps({"2026-11-01": "Ada fixed the lift.", "2026-11-02": "Ben painted the door."}))

    said = desk.run("add", name)
    assert "2 added" in said
    assert "journal.example" in said, "Its host is named, so that an administrator may trust it."
    assert [name, "journal", "2"] == cells(desk.run("list"), name)[:3]
    file.write_text(json.dumps({"2026-11-02": "Ben painted the gate."}))
    assert "0 added, 1 changed, 1 removed, 0 unchanged" in desk.run("sync", name)
    file.write_text("{")
    assert "is no journal" in desk.run("sync", code=1)
    assert "1" == cells(desk.run("list"), name)[2]
    assert f"Removed: {name}" in desk.run("remove", name, "--yes")


async def test_a_broken_package_is_one_line_and_other_sources_are_read(
    packages: Path, database: Database, app_url: str, tmp_path: Path, fork_server: ForkServer
) -> None:
    desk, page = Desk(packages, app_url, tmp_path, fork_server), tmp_path / "page.md"
    page.write_text("# Parking\n\nParking is free.\n")

    assert BROKEN in desk.run("add", "broken:x", code=1)
    async with database.transaction("default") as connection:  # As if it was not broken before.
        source_id = await source_store.add_source(connection, "default", "broken:x", "broken")
        await source_store.set_schedule(connection, source_id, every=None)
    desk.run("add", str(page))
    page.write_text("# Parking\n\nParking costs 3 EUR.\n")

    said = desk.run("sync", code=1)

    assert "1 changed" in said
    assert f"broken:x: {BROKEN}" in said
    said = desk.run("list")
    assert ("broken", "files") == (cells(said, "broken:x")[1], cells(said, str(page))[1])
    assert 1 == said.count(BROKEN)


async def test_the_doctor_names_broken_packages(
    packages: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "connector" not in await said_of(database_url=database_url)
    monkeypatch.syspath_prepend(packages)

    said = await said_of(database_url=database_url)

    assert f"warn {BROKEN}" in said
    assert "The connector files of the package askback-broken is not used: Askback has a kind of that name." in said
    assert "Packages offer more kinds of sources: " in said


def test_no_package_takes_the_place_of_a_kind_of_ours(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(packages)

    assert isinstance(connector_of("files", "/srv"), Files)
    assert [BROKEN] == faults_of(["files", "broken", "journal"])
    assert ("journal", "journal:/x") == guessed("journal:/x")
