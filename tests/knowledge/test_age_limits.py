"""A source may have an age limit: what is older is deleted without a reading, and no reading brings it back."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from bot.audience import ALL
from bot.cli.knowledge import sources
from bot.knowledge import source_store
from bot.knowledge.audience_store import read_as
from bot.knowledge.connectors.files import Files
from bot.knowledge.connectors.slack.adding import DatabaseAddingIntake
from bot.knowledge.connectors.slack.paths import added_in
from bot.knowledge.documents import Embedder
from bot.knowledge.ingest import sync
from bot.knowledge.sandbox.limits import Limits
from bot.knowledge.syncing.tally import Ingested
from bot.postgres.pool import Database
from tests.knowledge.test_added import CHANNEL, addition
from tests.knowledge.test_connectors import known
from tests.knowledge.test_sources import Desk, at


def write(folder: Path, name: str, days: int | None) -> None:
    """Write a document that is as many days old, or has no date."""
    dated = f"date: {date.today() - timedelta(days=days)}\n" if days is not None else ""  # noqa: DTZ011 - As PostgreSQL's.
    (folder / f"{name}.md").write_text(f"---\ntitle: {name}\n{dated}---\n\nThis is {name}.\n")


@pytest.fixture
def minutes(tmp_path: Path) -> Path:
    """A folder of documents of three ages, and one without a date."""
    for name, days in (("new", 5), ("older", 100), ("oldest", 400), ("undated", None)):
        write(tmp_path, name, days)
    return tmp_path


async def read(database: Database, embedder: Embedder, folder: Path) -> Ingested:
    return await sync(database, embedder, "one", [Files(str(folder))])


async def limit(database: Database, folder: Path, days: int) -> None:
    assert await sources.set_source(at(Desk(), database), str(folder), upkeep=sources.UpkeepChange(most_days=days))


async def test_what_is_older_than_the_limit_goes_at_once_and_does_not_come_back(
    database: Database, embedder: Embedder, minutes: Path
) -> None:
    await read(database, embedder, minutes)
    await limit(database, minutes, 300)
    assert {"new.md", "older.md", "undated.md"} == (await known(database)).keys()

    write(minutes, "ancient", 900)
    outcome = await read(database, embedder, minutes)

    assert (0, {"older than 300 days": 2}) == (outcome.added, outcome.skipped)
    assert {"new.md", "older.md", "undated.md"} == (await known(database)).keys()


async def test_what_becomes_too_old_goes_without_a_reading(
    database: Database, embedder: Embedder, minutes: Path
) -> None:
    await read(database, embedder, minutes)
    await limit(database, minutes, 500)
    async with database.transaction("one") as connection:
        await read_as(connection, ALL)
        assert 0 == await source_store.delete_old(connection)
        await connection.execute("UPDATE documents SET dated = dated - 150 WHERE path = 'oldest.md'")
        assert 1 == await source_store.delete_old(connection)

    assert "oldest.md" not in await known(database)


async def test_a_reading_deletes_what_became_too_old_where_no_bot_runs(
    database: Database, embedder: Embedder, minutes: Path
) -> None:
    await read(database, embedder, minutes)
    await limit(database, minutes, 500)
    await read(database, embedder, minutes)
    async with database.transaction("one") as connection:
        await read_as(connection, ALL)
        await connection.execute("UPDATE documents SET dated = dated - 600 WHERE path = 'older.md'")

    (minutes / "other").mkdir()
    write(minutes / "other", "other", 1)
    await read(database, embedder, minutes / "other")

    assert "older.md" not in await known(database)


async def test_a_longer_limit_brings_back_what_it_allows(database: Database, embedder: Embedder, minutes: Path) -> None:
    await limit_new(database, minutes)
    await read(database, embedder, minutes)
    assert {"new.md", "undated.md"} == (await known(database)).keys()

    await limit(database, minutes, 200)
    await read(database, embedder, minutes)
    assert {"new.md", "older.md", "undated.md"} == (await known(database)).keys()

    await limit(database, minutes, 0)
    await read(database, embedder, minutes)
    assert "oldest.md" in await known(database)


async def test_another_limit_brings_back_what_people_added(database: Database) -> None:
    adding = DatabaseAddingIntake(database=database, workspace="one", limits=Limits())
    await adding.add(addition())
    async with database.transaction("one") as connection:
        source_id = await source_store.id_of(connection, added_in(CHANNEL))
        assert source_id
        reported = await source_store.reported_of(connection, source_id)
        await source_store.settle_reported(connection, source_id, reported.values())

        await source_store.set_delete_after(connection, source_id, days=300)

        assert [*reported] == [*await source_store.reported_of(connection, source_id)]


async def limit_new(database: Database, folder: Path) -> None:
    """Register a source with a limit from the start."""
    await sources.add_source(at(Desk(), database), str(folder), None, upkeep=sources.UpkeepChange(most_days=30))
