"""`askback doctor` on the child processes that read files, and on sources."""

import io
import platform
from datetime import timedelta

import pytest
from rich.console import Console

from bot.cli.doctor import examine
from bot.knowledge import source_store, store
from bot.postgres.pool import Database
from bot.settings import Settings


async def said_of(**given: object) -> str:
    console = Console(file=io.StringIO(), width=400)
    await examine(Settings.model_validate(given), console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.skipif(platform.system() != "Linux", reason="Other kernels have neither seccomp nor Landlock.")
@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (120, "are read in child processes with limited memory"),
        (0.01, "No child process can read PDF and Office files"),
    ],
)
async def test_it_says_whether_files_are_read_in_bounds(database_url: str, seconds: float, said: str) -> None:
    assert said in await said_of(database_url=database_url, reader_seconds=seconds)


async def test_it_says_which_sources_could_not_be_read_and_that_nobody_reads_them_again(
    database: Database, app_url: str
) -> None:
    async with database.transaction("one") as connection:
        source_id = await store.add_source(connection, "one", "/srv/handbook")
        await source_store.keep(connection, source_id, every=timedelta(hours=1))
    given = {"database_url": app_url, "workspace": "one"}
    plain = await said_of(**given)
    assert "Could not be read" not in plain
    assert "sync --due" not in plain

    async with database.transaction("one") as connection:
        await source_store.note_error(connection, source_id, "It broke.")
    said = await said_of(**given, sync_sources=False)

    assert "The last reading failed for: /srv/handbook." in said
    assert "askback sources sync --due" in said
