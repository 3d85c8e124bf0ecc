"""A document that was forgotten on request is not read again, as long as its source is there."""

from pathlib import Path

from bot.audience import ALL
from bot.forget.forget import Forgetter
from bot.knowledge import source_store
from bot.knowledge.audience_store import read_as
from bot.knowledge.documents import Embedder
from bot.knowledge.ingest import ingest
from bot.postgres.pool import Database


async def sources(database: Database) -> list[source_store.ListedSource]:
    """Return the sources, with the number of their documents."""
    async with database.transaction("one") as connection:
        await read_as(connection, ALL)
        return await source_store.all_sources(connection)


async def test_its_source_does_not_bring_it_back_until_it_is_added_again(
    database: Database, embedder: Embedder, tmp_path: Path
) -> None:
    for name in ("leave", "pay"):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\nWhat is said of {name}.\n")
    await ingest(database, embedder, "one", [tmp_path])
    (source,) = await sources(database)
    await Forgetter(database=database, workspace="one").documents(source.id, source.location, ["pay.md"])

    (tmp_path / "pay.md").write_text("# pay\n\nAnd changed since.\n")
    await ingest(database, embedder, "one", [tmp_path])
    assert [1] == [one.documents for one in await sources(database)]

    async with database.transaction("one") as connection:
        await source_store.remove_source(connection, source.id)
    await ingest(database, embedder, "one", [tmp_path])
    assert [2] == [one.documents for one in await sources(database)]
