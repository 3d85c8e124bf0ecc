"""`askback places`: imports, lists and removes directories of places."""

from pathlib import Path
from typing import Annotated, Final

import typer

from bot.audience import read_names, written
from bot.cli.administration import Administration, administer, administered
from bot.errors import KnowledgeError
from bot.knowledge.places.importing import Imported

HEADS: Final = ("DIRECTORY", "PLACES", "KINDS", "FOR", "IMPORTED")
MOST_ERRORS: Final = 50
MOST_BYTES: Final = 200_000_000

commands = typer.Typer(help="Import directories of places, which answer questions such as “childcare near Austin”.")

_FILE = Annotated[Path, typer.Argument(help="A CSV file.", exists=True, dir_okay=False)]


@commands.callback(invoke_without_command=True)
def list_by_default(context: typer.Context) -> None:
    """List the directories if no subcommand is given."""
    if context.invoked_subcommand is None:
        administer(show_places)


@administered(commands, "list")
async def show_places(here: Administration) -> None:
    """List the directories, with the number and kinds of places, and who may read them."""
    from bot.knowledge.places import store

    async with here.reading_all() as connection:
        found = await store.directories(connection)
        countries = await store.postcode_countries(connection)
    rows = [
        (one.name, str(one.places), ", ".join(one.kinds), written(one.names), f"{one.imported_at:%Y-%m-%d %H:%M}")
        for one in found
    ]
    here.show(HEADS, rows, or_else="There are no places yet: `askback places import` reads a CSV file.")
    if countries:
        told = ", ".join(f"{country} ({count})" for country, count in countries.items())
        here.say(f"Postcodes: US, {told}.")


@administered(commands, "import")
async def import_places(
    here: Administration,
    file: _FILE,
    *,
    name: Annotated[str, typer.Option(help="The directory's name. By default the file's.")] = "",
    kind: Annotated[str, typer.Option(help="The kind of places, such as childcare, if no column says it.")] = "",
    for_whom: Annotated[
        str | None,
        typer.Option("--for", help="Who may read it, separated by commas, as for `sources share`; at first everyone."),
    ] = None,
) -> bool:
    """Read places, one a line, with columns such as name, kind, address, city, latitude, longitude, hours.

    Without latitude and longitude, a place is at its postcode or city. The same file again changes nothing.
    """
    from bot.knowledge.places.importing import import_places

    names = None if for_whom is None else read_names(for_whom.replace(",", " ").split())
    async with here.transaction() as connection:
        done = await import_places(
            connection, here.settings.workspace, name or file.name, _content(file), kind=kind.casefold(), names=names
        )
    here.say(f"{done.added} added, {done.changed} changed, {done.removed} removed, {done.unchanged} unchanged.")
    if done.errors:
        kept = f" {done.kept} earlier places that were not read stay." if done.kept else ""
        lines = "1 line was" if len(done.errors) == 1 else f"{len(done.errors)} lines were"
        here.say(f"{lines} not read, so nothing was removed.{kept} Correct them and import again:")
    _print_errors(here, done)
    return not done.errors


@administered(commands, "postcodes")
async def import_codes(here: Administration, file: _FILE) -> bool:
    """Read the postcodes of countries: a file of GeoNames, or columns country, postcode, latitude, longitude, city.

    Postcodes of the United States are known without a file.
    """
    from bot.knowledge.places.importing import import_postcodes

    async with here.transaction() as connection:
        done = await import_postcodes(connection, here.settings.workspace, _content(file))
    here.say("Nothing was imported; correct these lines:" if done.errors else f"{done.added} postcodes are known.")
    _print_errors(here, done)
    return not done.errors


@administered(commands, "remove")
async def remove_directory(
    here: Administration,
    name: Annotated[str, typer.Argument(help="A directory, as `askback places` lists it.")],
    *,
    is_sure: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> bool:
    """Remove a directory with its places. The file stays."""
    from bot.cli.knowledge.sources import remove_source
    from bot.knowledge.places.store import location_of

    return await remove_source(here, location_of(name), is_sure=is_sure)


def _print_errors(here: Administration, done: Imported) -> None:
    for number, reason in done.errors[:MOST_ERRORS]:
        here.say(f"line {number}: {reason}", style="yellow")
    if more := len(done.errors[MOST_ERRORS:]):
        here.say(f"… and {more} more.", style="yellow")


def _content(file: Path) -> bytes:
    if file.stat().st_size > MOST_BYTES:
        raise KnowledgeError(f"{file.name} is larger than {MOST_BYTES // 1_000_000} MB.")
    return file.read_bytes()
