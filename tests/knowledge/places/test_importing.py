"""A stranger's CSV file becomes places: nothing is lost, wrong lines are named, and the same file changes nothing."""

import io
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from bot.audience import ALL, Names
from bot.cli.administration import Administration
from bot.cli.commands import app
from bot.cli.knowledge import places, sources
from bot.errors import KnowledgeError
from bot.knowledge.audience_store import transaction_as
from bot.knowledge.places import store
from bot.knowledge.places.importing import import_places, import_postcodes
from bot.knowledge.places.lookup import PlaceLookup
from bot.knowledge.search import Library, everything
from bot.postgres.pool import Database
from bot.settings import Settings
from graph.places import PlaceQuestion

FILE = Path(__file__).parent / "directory.csv"
RIGHT = "name,kind,latitude,longitude,hours\nOne,childcare,30.2,-97.7,\nTwo,childcare,30.3,-97.7,Sat 9-12\n"
WRONG = {
    7: "Nobody knows where Atlantisville is",
    8: "The name is missing.",
    9: "The latitude 91,5 is not between -90 and 90.",
    10: "The longitude “” is no number of degrees.",
    11: "Austin may be Austin, Texas; Austin, Minnesota",
    12: "It is the same place as line 6.",
    13: "It has more values than there are columns (“one more”)",
}


def at(database: Database) -> tuple[Administration, io.StringIO]:
    shown = io.StringIO()
    settings = Settings(workspace="one")
    return Administration(database=database, settings=settings, console=Console(file=shown, width=200)), shown


async def imported(database: Database, content: str, *, kind: str = "", names: Names | None = None) -> list[int]:
    async with database.transaction("one") as connection:
        done = await import_places(connection, "one", "a.csv", content.encode(), kind=kind, names=names)
    return [done.added, done.changed, done.removed, done.unchanged, len(done.errors)]


async def names(database: Database, workspace: str = "one", reads: Names = ALL) -> list[str]:
    async def reader() -> Names:
        return reads

    lookup = PlaceLookup(Library(database, workspace, reader=reader))
    asked = PlaceQuestion(kinds=["childcare", "clinic"], near="", days=[], also=[], within_km=50.0)
    [found] = await lookup.around(asked, (await lookup.spots("Austin, Texas"))[:1])
    return sorted(place["name"] for place in found)


async def test_a_strangers_file_is_read_with_each_wrong_line_named(database: Database) -> None:
    here, shown = at(database)

    assert not await places.import_places(here, FILE)

    lines = shown.getvalue().splitlines()
    assert "5 added, 0 changed, 0 removed, 0 unchanged." == lines[0]
    assert len(WRONG) == sum(line.startswith("line ") for line in lines)
    for number, reason in WRONG.items():
        assert any(line.startswith(f"line {number}: {reason}") for line in lines), (number, lines)
    assert {"Cap Clinic", "Zoë's Nest"} < {*await names(database)}


async def test_the_same_file_again_changes_nothing_and_a_new_one_is_followed(database: Database) -> None:
    assert [2, 0, 0, 0, 0] == await imported(database, RIGHT)
    assert [0, 0, 0, 2, 0] == await imported(database, RIGHT)
    assert [0, 0, 0, 2, 0] == await imported(database, RIGHT.replace(",", ";").replace("One;", '"One";'))
    assert [1, 1, 1, 0, 0] == await imported(database, RIGHT.replace("30.2", "30.25").replace("Two", "Three"))


async def test_branches_of_one_name_are_several_places_and_have_labels_of_their_own(database: Database) -> None:
    branches = "name,kind,latitude,longitude\nDepot,shop,30.2,-97.7\nDepot,shop,52.5,13.4\nDepot,shop,52.5,13.4\n"

    assert [2, 0, 0, 0, 1] == await imported(database, branches)
    assert [0, 0, 0, 2, 1] == await imported(database, branches)

    async def reader() -> Names:
        return ALL

    spots = await PlaceLookup(Library(database, "one", reader=reader)).spots("the depot")
    assert ["Depot, 30.20, -97.70", "Depot, 52.50, 13.40"] == [spot["label"] for spot in spots]


async def test_a_wrong_line_removes_no_place(database: Database) -> None:
    await imported(database, RIGHT)

    assert [0, 0, 0, 1, 1] == await imported(database, RIGHT.replace("30.3", "3o.3"))

    assert ["One", "Two"] == await names(database)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("title,where\nx,y", "must name a column “kind” or give --kind"),
        ("a,b\n1,2", "must name a column “name”"),
        ("", "it names: nothing"),
        ("name,kind,lat,latitude\n", "Two columns say the latitude"),
        ("\0\1\2\3", "not text"),
    ],
)
async def test_a_file_that_is_no_table_of_places_changes_nothing(database: Database, content: str, reason: str) -> None:
    await imported(database, RIGHT)

    with pytest.raises(KnowledgeError, match=reason):
        await imported(database, content)

    assert ["One", "Two"] == await names(database)


async def test_the_option_says_the_kind_of_lines_without_one(database: Database) -> None:
    await imported(database, "name,zip\nOne,78701\n", kind="kita")

    async with transaction_as(database, "one", ALL) as connection:
        [directory] = await store.directories(connection)
    assert ["kita"] == directory.kinds


async def test_a_place_is_seen_only_by_its_audience_and_in_its_workspace(database: Database) -> None:
    await imported(database, RIGHT, names=Names({"channel:C0HR"}))

    assert ["One", "Two"] == await names(database, reads=Names({"everyone", "channel:C0HR"}))
    assert [] == await names(database, reads=Names({"everyone", "person:U0ADA"}))
    assert [] == await names(database, workspace="two")
    await sources.share_source(at(database)[0], "places:a.csv", ["U0ADA"], part="")
    assert [] == await names(database, reads=Names({"everyone", "channel:C0HR"}))
    assert ["One", "Two"] == await names(database, reads=Names({"everyone", "person:U0ADA"}))
    # The same file again shares it with nobody else.
    await imported(database, RIGHT)
    assert [] == await names(database, reads=Names({"everyone"}))


async def test_a_directory_is_listed_and_removed_and_never_read_as_documents(database: Database) -> None:
    await imported(database, RIGHT)
    here, shown = at(database)

    await places.show_places(here)
    assert ["a.csv", "2", "childcare", "everyone"] == shown.getvalue().splitlines()[1].split()[:4]
    assert [] == await sources.chosen(here, None, only_due=False)
    with pytest.raises(KnowledgeError, match="askback places import"):
        await sources.set_source(here, "places:a.csv", upkeep=sources.UpkeepChange(minutes=5))
    assert await sources.remove_source(here, "places:a.csv", is_sure=True)
    assert [] == await names(database)


async def test_postcodes_of_other_countries_come_from_a_file(database: Database) -> None:
    async def lookup(near: str) -> list[str]:
        return [spot["label"] for spot in await PlaceLookup(Library(database, "one", reader=everything)).spots(near)]

    geonames = "DE\t10115\tBerlin\tBerlin\tBE\t\t00\t\t\t52.5323\t13.3846\t4"
    assert ["10115 New York, New York"] == await lookup("10115")
    async with database.transaction("one") as connection:
        done = await import_postcodes(connection, "one", f"{geonames}\n{geonames}\n".encode())
        assert (1, []) == (done.added, done.errors)
        csv = b"country,postal code,lat,lon,city\nUnited Kingdom,sw1a 1aa,51.501,-0.142,London\nGermany,,1,1,\n"
        assert [3] == [number for number, _ in (await import_postcodes(connection, "one", csv)).errors]
        await import_postcodes(connection, "one", csv.replace(b"Germany,,1,1,\n", b""))

    assert {"10115 Berlin, DE", "10115 New York, New York"} == {*await lookup("10115")}
    assert ["SW1A1AA London, GB"] == await lookup("SW1A 1AA")


def test_the_commands_are_there() -> None:
    shown = CliRunner().invoke(app, ["places", "--help"]).output

    for command in ("import", "list", "postcodes", "remove"):
        assert command in shown
