"""`askback sources`: what is known from where and for whom, and taking a source away, for an administrator."""

from pathlib import Path
from typing import Final

from bot.audience import ALL, read_names, written
from bot.cli.administration import Administration
from bot.cli.console import print_table
from bot.knowledge import audience_store, source_store
from bot.knowledge.audience_store import read_as
from bot.knowledge.source_store import Source
from bot.knowledge.store import source_lock
from bot.postgres.pool import enter_workspace

HEADS: Final = ("SOURCE", "DOCUMENTS", "PASSAGES", "FOR")
AS_AROUND: Final = "default"


async def show_sources(here: Administration) -> None:
    """Print what was ingested, how much is known from it, and for whom it is."""
    if sources := await _all_sources(here):
        print_table(here.console, HEADS, [_row(source) for source in sources])
    else:
        here.console.print("Nothing was ingested yet: `askback ingest` reads documents.", markup=False)


async def share_source(here: Administration, location: str, words: list[str], *, part: str) -> bool:
    """Let a source, or a part of it, be for some and for nobody else; return whether there is such a source."""
    names = None if words == [AS_AROUND] and part else read_names(words)
    found = await _found(here, location)
    if found is None:
        return False
    async with here.database.transaction(here.settings.workspace) as connection:
        if names is None:
            await audience_store.share_as_around(connection, found.id, part)
        else:
            await audience_store.share(connection, found.id, part, names)
        await read_as(connection, ALL)
        audiences = await audience_store.audiences_of(connection, found.id)
    rows = [(one.path or "(all else)", str(one.documents), written(one.names)) for one in audiences]
    print_table(here.console, ("PART", "DOCUMENTS", "FOR"), rows)
    if any(one.path and not one.documents for one in audiences):
        here.console.print("What has no documents yet holds for those to come.", markup=False)
    return True


async def remove_source(here: Administration, location: str, *, is_sure: bool) -> bool:
    """Remove a source, unless whoever sits before the terminal thinks better of it; return whether it is gone."""
    found = await _found(here, location)
    if found is None:
        return False
    if not is_sure and not _may_remove(here, found):
        return False
    removed = await _removed(here, found.location)
    here.console.print(_said(removed) if removed else "It was gone already.", markup=False, soft_wrap=True)
    return True


async def _all_sources(here: Administration) -> list[Source]:
    async with here.database.transaction(here.settings.workspace) as connection:
        await read_as(connection, ALL)
        return await source_store.all_sources(connection)


async def _found(here: Administration, location: str) -> Source | None:
    """Return the source of that name; say that there is none, and which there are."""
    found = _named(location, await _all_sources(here))
    if found is None:
        here.console.print(f"There is no source {location}.", style="red", markup=False, soft_wrap=True)
        await show_sources(here)
    return found


async def _removed(here: Administration, location: str) -> Source | None:
    """Remove the source as it then is: one that is being ingested is waited for."""
    workspace = here.settings.workspace
    async with (
        here.database.connection() as connection,
        source_lock(connection, workspace, location),
        connection.transaction(),
    ):
        await enter_workspace(connection, workspace)
        await read_as(connection, ALL)
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


def _row(source: Source) -> tuple[str, ...]:
    return source.location, str(source.documents), str(source.passages), written(source.names)


def _said(source: Source) -> str:
    return (
        f"Removed: {source.location} (documents: {source.documents}, passages: {source.passages})."
        " Nothing is answered from it any more; what was said from it stays in its threads."
    )
