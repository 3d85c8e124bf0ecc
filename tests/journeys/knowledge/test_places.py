"""From a Slack payload to the Slack calls that come out: places near a city, a postcode or an office."""

import io
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from bot.audience import Names
from bot.cli.administration import administering
from bot.cli.demo import import_sample
from bot.cli.knowledge import places, sources
from bot.knowledge.ingest import ingest
from bot.knowledge.places.importing import import_places
from bot.models.choice import load_embedding
from bot.postgres.pool import Database
from bot.settings import Settings
from playground.state.workspace import Member
from tests.journeys.changes.test_revisions import settled_card
from tests.journeys.conversations.test_groq import Request, form_of, with_groq
from tests.journeys.harness import ADA, BEN, PATIENCE, SUPPORT, Harness, Message, labels_of, text_of
from tests.models.groq_server import Fails, GroqServer, Reply
from tests.models.obliging import oblige, reading

GIL, PEOPLE = "U0GIL", "C0PEOPLE"
DIRECTORY = """\
name,kind,address,city,state,country,postcode,latitude,longitude,hours,parking
Little Oaks,childcare,12 Congress Ave,Austin,TX,US,78701,30.2672,-97.7431,Mon-Fri 7:00-18:00,yes
Barton Kids,childcare,900 Barton Springs Rd,Austin,TX,US,78704,30.2610,-97.7560,"Mon-Fri 8-17, Sat 9-13",no
Zilker Nest,childcare,,,,US,78746,,,,
River Bend,childcare,5 Main St,Austin,MN,US,55912,43.6666,-92.9746,Mo-Sa 08:00-16:00,
Spree Kita,childcare,Ufer 3,Berlin,,Germany,10179,52.5130,13.4180,Mo-Fr 7-17; Sa 9-12,
Elbe Kita,childcare,Am Tor 1,Berlin,,Germany,10117,52.5160,13.3800,Mo-Fr 7-17,
Dallas Den,childcare,1 Elm St,Dallas,TX,US,75201,32.7800,-96.8000,Mon-Fri 7-18,
Tejo Kids,childcare,Rua do Ouro 1,Lisbon,,Portugal,,38.7223,-9.1393,,
Berlin office,office,Spittelmarkt 1,Berlin,,Germany,10117,52.5110,13.4030,,
"""
MAP = "https://www.openstreetmap.org/?mlat=30.26720&mlon=-97.74310#map=17/30.26720/-97.74310"


async def told(harness: Harness, directory: str, *, name: str = "care.csv", names: Names | None = None) -> None:
    async with (
        Database.open(harness.app_url, size=2, workspace="default") as database,
        database.transaction("default") as connection,
    ):
        done = await import_places(connection, "default", name, directory.encode(), kind="", names=names)
    assert not done.errors


@pytest.fixture
async def answering(harness: Harness) -> AsyncGenerator[Harness]:
    """A bot that knows the directory."""
    await told(harness, DIRECTORY)
    async with harness.bot():
        yield harness


async def answer(harness: Harness, question: str, *, root: str | None = None, count: int = 1, **who: str) -> Message:
    asked = await harness.ask(question, root=root, **who)
    return (await harness.answers(root or asked, count, **({"channel": who["channel"]} if "channel" in who else {})))[
        -1
    ]


def names_in(message: Message) -> list[str]:
    """Return the listed places in their order."""
    text = text_of(message)
    found = {line.split(",")[0]: text.find(f"**{line.split(',')[0]}**") for line in DIRECTORY.splitlines()[1:]}
    return sorted((name for name, at in found.items() if at >= 0), key=lambda name: found[name])


def links_in(message: Message) -> list[str]:
    """Return what a CommonMark reader could click."""
    tokens = MarkdownIt("commonmark").parse(
        "\n\n".join(block["text"] for block in message["blocks"] if block["type"] == "markdown")
    )
    inner = [child for token in tokens for child in token.children or []]
    return [str(child.attrGet("href")) for child in inner if child.type == "link_open"]


async def test_places_are_listed_by_distance_with_hours_and_a_link_to_the_map(answering: Harness) -> None:
    said = await answer(answering, "Where is there childcare near Austin, Texas?")

    text = text_of(said)
    assert ["Little Oaks", "Barton Kids", "Zilker Nest"] == names_in(said)
    assert "**Childcare near Austin, TX" not in text
    assert "**Childcare near Austin, Texas**" in text
    assert "**Little Oaks** · 0.0 km (0.0 mi) · 12 Congress Ave, 78701 Austin, TX, US · Mon-Fri 7:00-18:00" in text
    assert "**Barton Kids** · 1.4 km (0.9 mi)" in text
    assert "**Zilker Nest** · about " in text
    assert MAP == links_in(said)[0]
    assert "https://www.openstreetmap.org/search?query=Zilker%20Nest%2C%2078746%2C%20US" == links_in(said)[2]
    assert "[1] care.csv" in text
    assert 1 == len(answering.playground.calls("chat.startStream")) + len(
        answering.playground.calls("chat.postMessage")
    )


async def test_two_cities_of_one_name_are_a_question_and_the_click_answers_it(answering: Harness) -> None:
    root = await answering.ask("childcare near Austin")
    card = await answering.card(root)
    await answering.click(root, "Austin, Minnesota")
    await settled_card(answering, root, "chose *Austin, Minnesota*")
    (said,) = await answering.answers(root)

    # The other six Austins have no place near them.
    assert ["Austin, Texas", "Austin, Minnesota"] == [one for one in labels_of(card) if one.startswith("Austin")]
    assert ["River Bend"] == names_in(said)


async def test_a_choice_is_changed_in_its_menu_and_assumed_the_next_time(answering: Harness) -> None:
    root = await answering.ask("childcare near Austin")
    await answering.click(root, "Austin, Minnesota")
    settled = await settled_card(answering, root, "chose *Austin, Minnesota*")
    await answering.answers(root)
    await answering.playground.person(ADA).click(SUPPORT, settled["ts"], label="Austin, Texas")
    await settled_card(answering, root, "*Austin, Texas*")

    def revised() -> list[Message]:
        return [one for one in answering.said(root) if "Little Oaks" in text_of(one)]

    await answering.playground.until(revised, timeout=PATIENCE)
    again = await answer(answering, "childcare near Austin")

    assert "Little Oaks" in names_in(again)
    assert "as last time" in text_of(again)


async def test_what_was_typed_below_the_question_back_is_taken_too(answering: Harness) -> None:
    root = await answering.ask("childcare near Austin")
    await answering.card(root)
    await answering.say("the one in Minnesota", root)
    (said,) = await answering.answers(root)

    assert ["River Bend"] == names_in(said)


async def test_just_answer_takes_the_largest_city(answering: Harness) -> None:
    root = await answering.ask("childcare near Austin")
    await answering.click(root, "Just answer")
    (said,) = await answering.answers(root)

    assert ["Little Oaks", "Barton Kids", "Zilker Nest"] == names_in(said)


async def test_a_postcode_says_where(answering: Harness) -> None:
    said = await answer(answering, "Find childcare near 78704")

    assert "Barton Kids" == names_in(said)[0]
    assert "near 78704 Austin, Texas" in text_of(said)


async def test_a_place_of_the_directory_says_where_and_a_day_which_ones(answering: Harness) -> None:
    said = await answer(answering, "childcare near the Berlin office, open on Saturday")

    assert ["Spree Kita"] == [name for name in names_in(said) if name.endswith("Kita")]
    assert "near Berlin office, open on Saturday" in text_of(said)
    assert "1.0 km · Ufer 3, 10179 Berlin, Germany · Mo-Fr 7-17; Sa 9-12" in text_of(said)


async def test_if_none_is_open_it_says_so_and_lists_them(answering: Harness) -> None:
    said = await answer(answering, "childcare near Austin, Texas, open on Sunday?")

    assert "No childcare near Austin, Texas is listed as open on Sunday. These are near:" in text_of(said)
    assert "Little Oaks" in names_in(said)


async def test_if_no_place_is_near_it_says_so_and_names_the_nearest(answering: Harness) -> None:
    said = await answer(answering, "childcare near Denver")

    assert "No childcare within 50 km of Denver, Colorado is in the directory. The nearest:" in text_of(said)
    assert 1 == len(names_in(said))


async def test_near_me_is_asked_for_a_city(answering: Harness) -> None:
    said = await answer(answering, "Is there any childcare near me?")

    assert "Near which city or postcode?" in text_of(said)


async def test_follow_ups_change_the_city_then_the_day_in_the_chosen_one(answering: Harness) -> None:
    root = await answering.ask("childcare with parking near Austin, Texas")
    (first,) = await answering.answers(root)
    second = await answer(answering, "and in Dallas?", root=root, count=2)
    third = await answer(answering, "and near Berlin?", root=root, count=3)
    fourth = await answer(answering, "which of them are open on Saturdays?", root=root, count=4)

    assert ["Little Oaks"] == names_in(first)
    assert ["Dallas Den"] == names_in(second)
    assert "childcare near Dallas, Texas is listed as “parking”" in text_of(second)
    assert {"Spree Kita", "Elbe Kita"} <= {*names_in(third)}
    assert "open on Saturday" in text_of(fourth)


async def test_the_answer_is_in_the_language_of_the_question(answering: Harness) -> None:
    said = await answer(answering, "Gibt es childcare in der Nähe von Berlin, die samstags geöffnet ist?")

    assert "**Childcare in der Nähe von Berlin, Germany, geöffnet am Samstag**" in text_of(said)
    assert "[Karte](" in text_of(said)


async def test_the_demo_knows_what_is_near_its_offices(harness: Harness) -> None:
    async with Database.open(harness.app_url, size=2, workspace="default") as database:
        for _ in range(2):
            await import_sample(database, "default")
    async with harness.bot():
        near = await answer(harness, "Childcare near the Porto office, open on Saturday?")
        documents = await answer(harness, "Where is the office in Porto?")

    found = [text_of(near).find(f"**{name}**") for name in ("Casa da Árvore", "Ninho do Mar")]
    assert -1 < found[0] < found[1]
    assert "Os Girassóis" not in text_of(near)
    assert "places.csv" not in text_of(documents)


async def test_a_model_is_not_told_what_an_earlier_asker_was_shown(harness: Harness) -> None:
    asked: list[str] = []

    def script(request: Request) -> Reply:
        asked.append(repr(request["messages"]))
        return oblige(request)

    await told(harness, DIRECTORY)
    async with GroqServer.serve(script) as groq, with_groq(harness, groq):
        root = await harness.ask("childcare near Dallas")
        (first,) = await harness.answers(root)
        await answer(harness, "What did you find there?", root=root, count=2)

    assert "Dallas Den" in text_of(first)
    assert "childcare near Dallas" in "".join(asked[1:])
    assert "Dallas Den" not in "".join(asked)


async def test_a_model_plans_what_rules_do_not_read_with_one_call(harness: Harness) -> None:
    def script(request: Request) -> Reply:
        assert "childcare" in request["messages"][-1]["content"]
        given = {"what": "childcare", "near": "Austin", "open": "Saturday"}
        arguments = [{"name": name, "value": value} for name, value in given.items()]
        return reading(tools=[{"tool": "places", "arguments": arguments}])

    await told(harness, DIRECTORY)
    async with GroqServer.serve(script) as groq, with_groq(harness, groq):
        root = await harness.ask("My kids need somebody to look after them on a Saturday while I am in Austin")
        await harness.click(root, "Austin, Texas")
        (said,) = await harness.answers(root)

    assert ["Barton Kids"] == names_in(said)
    assert 1 == len(groq.requests)


@pytest.mark.parametrize("given", [{"what": "pharmacy", "near": "Austin"}, {"what": "childcare", "near": "Houston"}])
async def test_what_a_model_invents_is_not_looked_up(harness: Harness, given: dict[str, str]) -> None:
    def script(request: Request) -> Reply:
        arguments = [{"name": name, "value": value} for name, value in given.items()]
        plan = reading(tools=[{"tool": "places", "arguments": arguments}])
        return plan if form_of(request) == "understand" else oblige(request)

    await told(harness, DIRECTORY)
    async with GroqServer.serve(script) as groq, with_groq(harness, groq):
        said = await answer(harness, "Who looks after my kids while I am in Austin?")

    assert "openstreetmap" not in text_of(said)


async def test_if_the_models_fail_the_rules_answer(harness: Harness) -> None:
    await told(harness, DIRECTORY)
    async with GroqServer.serve(lambda _: Fails(500)) as groq, with_groq(harness, groq):
        said = await answer(harness, "childcare near Dallas")

    assert ["Dallas Den"] == names_in(said)


async def test_a_place_that_nobody_knows_is_searched_for_in_the_documents(answering: Harness) -> None:
    said = await answer(answering, "Is there an office in Atlantisville?")

    assert "openstreetmap" not in text_of(said)
    assert "care.csv" not in text_of(said)


async def test_without_a_directory_the_documents_are_asked(harness: Harness) -> None:
    async with harness.bot():
        said = await answer(harness, "Is there an office near Porto?")

    assert "openstreetmap" not in text_of(said)


async def test_only_the_audience_of_a_directory_sees_its_places(harness: Harness) -> None:
    harness.playground.workspace.channels[PEOPLE].members.remove(BEN)
    await told(harness, DIRECTORY, names=Names({f"channel:{PEOPLE}"}))
    async with harness.bot():
        inside = await answer(harness, "childcare near Dallas", channel=PEOPLE)
        outside = await answer(harness, "childcare near Dallas")

    assert ["Dallas Den"] == names_in(inside)
    assert [] == names_in(outside)
    assert "openstreetmap" not in text_of(outside)


async def test_what_a_guest_may_not_see_is_not_told_from_the_threads_memory(harness: Harness) -> None:
    harness.playground.workspace.members[GIL] = Member(id=GIL, name="gil", real_name="Gil", is_guest=True)
    await told(harness, DIRECTORY)
    async with harness.bot(answer_guests=True):
        root = await harness.ask("childcare near Dallas")
        (first,) = await harness.answers(root)
        await harness.playground.person(BEN).invite("C0SUPPORT", GIL)
        await harness.settled()
        second = await answer(harness, "and in Berlin?", root=root, count=2, person=GIL)

    assert ["Dallas Den"] == names_in(first)
    assert [] == names_in(second)


HOSTILE = """\
name,kind,latitude,longitude,address,hours,website
"[Win](https://evil.example/a) <https://evil.example/b|here>",childcare,30.1,-97.6,\
"<!channel> @here **bold** `code","](https://evil.example/c) Mo-Fr","https://www.openstreetmap.org/?mlat=1&mlon=1#map=17/1/1"
"Zwei) [Map](https://www.openstreetmap.org/directions?to=evil)",childcare,30.2,-97.7,\
"javascript:alert(1) data:text/html,x",,"www.evil.example/d"
"""


async def test_nothing_in_a_file_can_be_clicked_or_calls_anybody(harness: Harness) -> None:
    await told(harness, HOSTILE)
    async with harness.bot():
        said = await answer(harness, "childcare near Austin, Texas")

    assert [
        "https://www.openstreetmap.org/?mlat=30.20000&mlon=-97.70000#map=17/30.20000/-97.70000",
        "https://www.openstreetmap.org/?mlat=30.10000&mlon=-97.60000#map=17/30.10000/-97.60000",
    ] == links_in(said)
    assert "<!channel>" not in text_of(said)
    assert "@here" not in text_of(said)


async def test_a_document_cannot_link_to_the_map(harness: Harness, tmp_path: Path) -> None:
    (tmp_path / "picnic.md").write_text(f"# Picnic\n\nThe summer picnic is at the old lido: [Map]({MAP}).\n")
    async with Database.open(harness.app_url, size=2, workspace="default") as database:
        await ingest(database, load_embedding("english"), "default", [tmp_path])
    await told(harness, DIRECTORY)
    async with harness.bot():
        said = await answer(harness, "Where is the summer picnic?")

    assert "old lido" in text_of(said)
    assert [] == [link for link in links_in(said) if "openstreetmap" in link]


async def test_a_bad_file_is_told_by_line_at_the_terminal_beside_a_running_bot(
    answering: Harness, tmp_path: Path
) -> None:
    file = tmp_path / "care.csv"
    file.write_text(DIRECTORY.replace("30.2672", "thirty").replace("River Bend", ""))
    printed = io.StringIO()
    console = Console(file=printed, width=200)
    async with administering(Settings.model_validate(answering.settings), answering.app_url, console) as here:
        assert not await places.import_places(here, file)
        assert await sources.remove_source(here, "places:care.csv", is_sure=True) is True
    gone = await answer(answering, "childcare near Dallas")

    assert "line 2: The latitude “thirty” is no number of degrees." in printed.getvalue()
    assert "line 5: The name is missing." in printed.getvalue()
    assert [] == names_in(gone)
