"""`askback sources`: what is known from where, and taking a source away, for an administrator."""

from pathlib import Path
from typing import Final

from bot.cli.administration import Administration
from bot.cli.console import print_table
from bot.knowledge import source_store
from bot.knowledge.source_store import Source
from bot.knowledge.store import source_lock
from bot.postgres.pool import enter_workspace

HEADS: Final = ("SOURCE", "DOCUMENTS", "PASSAGES")


async def show_sources(here: Administration) -> None:
    """Print what was ingested, and how much is known from it."""
    if sources := await _all_sources(here):
        print_table(here.console, HEADS, [_row(source) for source in sources])
    else:
        here.console.print("Nothing was ingested yet: `askback ingest` reads documents.", markup=False)


async def remove_source(here: Administration, location: str, *, is_sure: bool) -> bool:
    """Remove a source, unless whoever sits before the terminal thinks better of it; return whether it is gone."""
    found = _named(location, await _all_sources(here))
    if found is None:
        here.console.print(f"There is no source {location}.", style="red", markup=False, soft_wrap=True)
        await show_sources(here)
        return False
    if not is_sure and not _may_remove(here, found):
        return False
    removed = await _removed(here, found.location)
    here.console.print(_said(removed) if removed else "It was gone already.", markup=False, soft_wrap=True)
    return True


async def _all_sources(here: Administration) -> list[Source]:
    async with here.database.transaction(here.settings.workspace) as connection:
        return await source_store.all_sources(connection)


async def _removed(here: Administration, location: str) -> Source | None:
    """Remove the source as it then is: one that is being ingested is waited for."""
    workspace = here.settings.workspace
    async with (
        here.database.connection() as connection,
        source_lock(connection, workspace, location),
        connection.transaction(),
    ):
        await enter_workspace(connection, workspace)
        source = _named(location, await source_store.all_sources(connection))
        if source is not None:
            await source_store.remove_source(connection, source.id)
        return source


def _named(location: str, sources: list[Source]) -> Source | None:
    names = {location, str(Path(location).resolve())}
    return next((source for source in sources if source.location in names), None)


def _may_remove(here: Administration, source: Source) -> bool:
    print_table(here.console, HEADS, [_row(source)])
    return here.console.input("Remove it? Its files stay. (y/n) ").strip().lower() in ("y", "yes")


def _row(source: Source) -> tuple[str, str, str]:
    return source.location, str(source.documents), str(source.passages)


def _said(source: Source) -> str:
    return (
        f"Removed: {source.location} (documents: {source.documents}, passages: {source.passages})."
        " Nothing is answered from it any more; what was said from it stays in its threads."
    )
