"""Questions back about documents other than the handbook, from a Slack payload to the Slack calls."""

from collections.abc import Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import expect

from bot.knowledge.ingest import ingest
from bot.models.choice import load_embedding
from bot.postgres.pool import Database
from playground import Playground
from tests.journeys.changes.test_changes import answer_holding
from tests.journeys.changes.test_revisions import settled_card
from tests.journeys.harness import ADA, SUPPORT, Harness, labels_of, text_of
from tests.playground.browsing import browsing, chromium, connected
from tests.support.databases import as_app

SHIFTS = {
    f"shift-{number}.md": f"# Shift {number}\n\nThe shift begins at {begins} and ends at {ends}.\n"
    for number, begins, ends in ((1, "6:00", "14:00"), (2, "14:00", "22:00"))
}

GATEWAYS = {
    f"{name}.md": f"---\nproduct: {name.capitalize()}\n---\n# Reset\n\nPress the button of {what} for {n} seconds.\n"
    for name, what, n in (("aster", "the gateway that drives the lights", 8), ("birch", "the door controller", 20))
}


@asynccontextmanager
async def harness_with_knowledge(documents: Mapping[str, str], folder: Path, database_url: str, **given: Any):  # noqa: ANN201
    """Open a harness whose bot has read some documents, by path."""
    for path, text in documents.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    async with Database.open(as_app(database_url), size=4, workspace="default") as database:
        await ingest(database, load_embedding("english"), "default", [folder])
    async with Playground.open(ack_seconds=10.0) as playground:
        harness = Harness(playground, database_url)
        async with harness.bot(**given):
            yield harness


async def test_numbered_things_are_asked_about_and_none_is_called_an_older_version(
    tmp_path: Path, database_url: str
) -> None:
    async with harness_with_knowledge(SHIFTS, tmp_path, database_url) as harness:
        root = await harness.ask("When does the shift begin?")
        card = await harness.card(root)
        await harness.click(root, "Shift 2")
        (answer,) = await harness.answers(root)

    assert {"Shift 1", "Shift 2"} < set(labels_of(card))
    assert "14:00" in text_of(answer)
    assert "version" not in text_of(answer)


async def test_words_that_only_one_options_passages_hold_choose_it(tmp_path: Path, database_url: str) -> None:
    async with harness_with_knowledge(GATEWAYS, tmp_path, database_url) as harness:
        root = await harness.ask("How long do I press the button?")
        await harness.card(root)
        await harness.say("I mean the one for the lights", root)
        await settled_card(harness, root, "chose *Aster*")
        (answer,) = await harness.answers(root)

    assert "8 seconds" in text_of(answer)
    assert "20 seconds" not in text_of(answer)


OFFICES = {
    f"offices/{city}/parking.md": f"# Parking\n\nA parking space costs {price} EUR a month.\n"
    for price, city in enumerate(("porto", "hamburg", "lyon", "gdansk", "turin", "oslo"), start=40)
}


async def test_of_six_options_all_are_in_one_menu_and_the_picked_one_is_answered(
    tmp_path: Path, database_url: str
) -> None:
    async with harness_with_knowledge(OFFICES, tmp_path, database_url) as harness:
        root = await harness.ask("How much does a parking space cost?")
        card = await harness.card(root)
        (menu,) = [one for block in card["blocks"] for one in block.get("elements", []) if "options" in one]
        await harness.click(root, "Turin")
        settled = await settled_card(harness, root, "chose *Turin*")
        (answer,) = await harness.answers(root)
        await harness.settled()
        await harness.playground.person(ADA).click(SUPPORT, settled["ts"], label="Oslo")
        await answer_holding(harness, root, "Revised: *Oslo* instead of *Turin*")

    assert {"Porto", "Hamburg", "Lyon", "Gdansk", "Turin", "Oslo"} == {one["text"]["text"] for one in menu["options"]}
    assert "44 EUR" in text_of(answer)
    assert "45 EUR" not in text_of(answer)


async def test_the_page_shows_the_menu_and_takes_a_pick(tmp_path: Path, database_url: str) -> None:
    with chromium() as url:
        async with (
            harness_with_knowledge(OFFICES, tmp_path, database_url) as harness,
            connected(url) as browser,
            browsing(harness.playground, browser) as windows,
        ):
            root = await harness.ask("How much does a parking space cost?")
            await harness.card(root)
            page = await windows.open(ADA, f"{SUPPORT}/{root}")
            await page.locator("#thread").get_by_label("Choose one of 6").select_option(label="Turin")
            (answer,) = await harness.answers(root)
            await expect(page.locator("#thread").get_by_label("Choose again")).to_be_visible()

    assert "44 EUR" in text_of(answer)


async def test_the_cases_of_a_table_are_options_and_the_chosen_one_is_answered(
    tmp_path: Path, database_url: str
) -> None:
    grades = "# Vacation\n\n| Grade | Vacation days |\n|---|---|\n| Junior | 25 |\n| Senior | 28 |\n| Lead | 30 |\n"
    async with harness_with_knowledge({"vacation.md": grades}, tmp_path, database_url) as harness:
        root = await harness.ask("How many vacation days do I have?")
        card = await harness.card(root)
        await harness.click(root, "Senior")
        (answer,) = await harness.answers(root)

    assert {"Junior", "Senior", "Lead"} < set(labels_of(card))
    assert "28" in text_of(answer)
