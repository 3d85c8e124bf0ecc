"""An item that keeps failing or waits for ever can be dropped; the person is told, and the thread goes on."""

import io
import re

from rich.console import Console

from bot.cli.administration import Administration, administering
from bot.cli.inbox.inspection import drop_entry, list_entries, show_entry
from bot.settings import Settings
from tests.journeys.faults.test_faults import failure_in
from tests.journeys.harness import PATIENCE, Harness, Message, is_open_card, labels_of, text_of
from tests.journeys.holding import unrecorded

AMBIGUOUS = "How many vacation days do I have?"
PLAIN = "What is the limit for a hotel night?"


async def test_what_keeps_failing_is_dropped_and_says_so_where_it_had_failed(harness: Harness) -> None:
    async with harness.bot(), harness.owning() as owner:
        await owner.execute("ALTER TABLE passages RENAME TO lost_passages")
        root = await harness.ask(PLAIN)
        failure = await failure_in(harness, root)
        reference = re.findall(r"\b[2-9A-Z]{8}\b", text_of(failure))[0]
        await harness.settled()
        assert "last error psycopg.errors.UndefinedTable at bot/knowledge/" in await said(harness, "show", reference)

        await said(harness, "drop", reference)
        dropped = await notice(harness, root)
        await owner.execute("ALTER TABLE lost_passages RENAME TO passages")
        await harness.ask(PLAIN, root=root)
        (answer,) = await harness.answers(root)

    assert failure["ts"] == dropped["ts"]
    assert "It is broken for good." in text_of(dropped)
    assert [] == labels_of(dropped)
    assert "145 EUR" in text_of(answer)


async def test_a_question_that_waits_for_a_person_is_dropped_with_its_card(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(AMBIGUOUS)
        card = await harness.card(root)
        await harness.settled()
        reference = (await said(harness, "list")).splitlines()[1].split()[0]

        await said(harness, "drop", reference)
        await notice(harness, root)
        await harness.settled()
        await harness.playground.until(
            lambda: "Ask this again" in labels_of(next(one for one in harness.said(root) if one["ts"] == card["ts"]))
        )

        assert "Nothing is" in await said(harness, "list")


async def test_a_card_that_a_dropped_question_had_closed_is_open_again(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(AMBIGUOUS)
        card = await harness.card(root)
        await harness.settled()
        async with unrecorded(harness):
            await harness.ask(PLAIN, root=root)
            await harness.playground.until(lambda: not [one for one in harness.said(root) if is_open_card(one)])
            (reference,) = [line.split()[0] for line in (await said(harness, "list")).splitlines() if "running" in line]
            await said(harness, "drop", reference)
        await notice(harness, root)
        await harness.settled()

        assert card["ts"] == (await harness.card(root))["ts"]
        await harness.click(root, "Porto")
        (answer,) = await harness.answers(root)

    assert "25" in text_of(answer)


async def notice(harness: Harness, root: str) -> Message:
    """Wait for the message that a question was dropped."""
    return (
        await harness.playground.until(
            lambda: [one for one in harness.said(root) if "An administrator has dropped" in text_of(one)],
            timeout=PATIENCE,
        )
    )[0]


async def said(harness: Harness, command: str, reference: str = "") -> str:
    """Return the output of an inbox command."""
    terminal = Console(file=io.StringIO(), width=80)
    settings = Settings(**harness.settings)
    async with administering(settings, harness.app_url, terminal) as here:
        await act(here, command, reference)
    assert isinstance(terminal.file, io.StringIO)
    return terminal.file.getvalue()


async def act(here: Administration, command: str, reference: str) -> None:
    match command:
        case "show":
            assert await show_entry(here, reference, with_text=False, is_json=False)
        case "drop":
            assert await drop_entry(here, reference, why="It is broken for good.", is_sure=True)
        case _:
            await list_entries(here, limit=10)
