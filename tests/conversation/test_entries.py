"""Administrators see waiting, running, asking and failed items, with people's words only on request."""

import asyncio
import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from bot.cli.administration import Administration
from bot.cli.inbox.entries import State
from bot.cli.inbox.inspection import drop_entry, list_entries, retry_entry, show_entry
from bot.conversation.intake import Intake
from bot.conversation.items import ClaimedItem, Item
from bot.postgres.pool import Database
from bot.settings import Settings
from tests.conversation.test_changes import claimed
from tests.conversation.test_intake import ask, message
from tests.conversation.test_worker import Recorder, lone, statuses, worker
from tests.support.fakes import TurnedClock

SECRET = "My salary is a zebracorn."


class Terminal(Console):
    """A terminal with the test's input."""

    def __init__(self, *typed: str) -> None:
        self.said = io.StringIO()
        super().__init__(file=self.said, width=80)
        self._typed = iter(typed)

    def input(self, *_prompt: object, **_how: object) -> str:
        return next(self._typed)


@pytest.fixture
def terminal() -> Terminal:
    return Terminal()


@pytest.fixture
def here(database: Database, clock: TurnedClock, terminal: Terminal) -> Administration:
    return Administration(database=database, settings=Settings(workspace="one"), console=terminal, clock=clock)


async def listed(here: Administration, state: State | None = None) -> dict[str, str]:
    """Return the states of the listed items, by reference."""
    console = Terminal()
    await list_entries(replace(here, console=console), state=state, is_json=True)
    return {entry["reference"]: entry["state"] for entry in json.loads(console.said.getvalue())}


async def references(database: Database) -> list[str]:
    async with database.connection() as connection:
        cursor = await connection.execute("SELECT reference FROM inbox ORDER BY id")
        return [row["reference"] for row in await cursor.fetchall()]


async def fails(_item: Item, _attempt: int) -> None:
    raise RuntimeError(f"Cannot answer: {SECRET}")


async def failed(database: Database, intake: Intake, clock: TurnedClock) -> str:
    """Let an item fail for good; return its reference."""
    await intake.receive(message(SECRET))
    one = lone(database, Recorder(fails), clock)
    for _ in range(3):
        await one.work_one()
        clock.turn(seconds=5)
    (reference,) = await references(database)
    return reference


async def test_what_waits_and_what_runs_are_told_apart_without_getting_in_the_way(
    database: Database, intake: Intake, clock: TurnedClock, here: Administration
) -> None:
    release, begun = asyncio.Event(), asyncio.Event()

    async def act(item: Item, _attempt: int) -> None:
        begun.set()
        await release.wait()

    await intake.receive(message("runs", ts="100.1"))
    await intake.receive(message("behind it", ts="100.2", root="100.1", person="U0BEN"))
    await intake.receive(message("elsewhere", ts="100.3"))
    handler = Recorder(act)
    async with worker(database, handler, clock, slots=1).running():
        await asyncio.wait_for(begun.wait(), 60)
        assert ["running", "waiting", "waiting"] == list((await listed(here)).values())
        assert 1 == len(await listed(here, "running"))
        release.set()
        await handler.until(lambda it: len(it.handled) == 3)

    assert {} == await listed(here)


async def test_a_question_that_waits_for_a_person_is_asking(
    database: Database, intake: Intake, clock: TurnedClock, here: Administration
) -> None:
    await ask(database, intake, clock)
    async with database.connection() as connection:
        await connection.execute("UPDATE inbox SET status = 'finished'")

    assert ["asking"] == list((await listed(here)).values())


async def test_a_failed_item_tells_its_last_error_and_no_words_but_on_demand(
    database: Database, intake: Intake, clock: TurnedClock, here: Administration, terminal: Terminal
) -> None:
    reference = await failed(database, intake, clock)

    assert await show_entry(here, reference, with_text=False, is_json=False)
    shown = terminal.said.getvalue()
    assert f"{reference}: turn, failed" in shown
    assert "3 of 3 attempts" in shown
    assert "last error RuntimeError at bot/conversation/workers/worker.py:" in shown
    assert "zebracorn" not in shown

    assert await show_entry(here, reference, with_text=True, is_json=True)
    entry = json.loads(terminal.said.getvalue().removeprefix(shown))["entry"]
    assert (SECRET, f"Cannot answer: {SECRET}") == (entry["text"], entry["reason"])


async def test_a_list_is_a_line_for_each_and_says_no_words(
    database: Database, intake: Intake, clock: TurnedClock, here: Administration, terminal: Terminal
) -> None:
    reference = await failed(database, intake, clock)

    await list_entries(here, limit=10)

    heads, line = terminal.said.getvalue().splitlines()
    assert heads.startswith("reference")
    assert [reference, "failed", "turn"] == line.split()[:3]
    assert "zebracorn" not in line


async def test_a_failed_item_is_retried_and_done(
    database: Database, intake: Intake, clock: TurnedClock, here: Administration
) -> None:
    reference = await failed(database, intake, clock)

    assert await retry_entry(here, reference)
    await lone(database, Recorder(), clock).work_one()

    assert {SECRET: "finished"} == await statuses(database)
    assert not await retry_entry(here, reference)


async def test_what_runs_is_not_retried(
    database: Database, intake: Intake, clock: TurnedClock, here: Administration, terminal: Terminal
) -> None:
    release, begun = asyncio.Event(), asyncio.Event()

    async def act(_item: Item, _attempt: int) -> None:
        begun.set()
        await release.wait()

    await intake.receive(message("runs"))
    handler = Recorder(act)
    async with worker(database, handler, clock).running():
        await asyncio.wait_for(begun.wait(), 60)
        (reference,) = await references(database)
        await retry_entry(here, reference)
        release.set()

    assert "It is running." in terminal.said.getvalue()
    assert ["runs"] == handler.handled


async def test_what_is_retried_after_an_order_to_drop_it_runs(
    database: Database, intake: Intake, clock: TurnedClock, here: Administration
) -> None:
    reference = await failed(database, intake, clock)
    assert await drop_entry(here, reference, is_sure=True)

    assert await retry_entry(here, reference)

    item = await claimed(database, clock)
    assert item
    assert "turn" == item.kind


async def test_a_drop_is_asked_about_and_comes_just_before_what_it_drops(
    database: Database, intake: Intake, clock: TurnedClock, here: Administration
) -> None:
    reference = await failed(database, intake, clock)
    await intake.receive(message("later", ts="100.000002", root="100.000001"))

    assert not await drop_entry(replace(here, console=Terminal("n")), reference, is_sure=False)
    assert await drop_entry(here, reference, is_sure=True)

    item = await claimed(database, clock)
    assert item
    assert "drop" == item.kind


async def test_what_is_done_is_not_dropped(
    database: Database, intake: Intake, clock: TurnedClock, here: Administration
) -> None:
    await intake.receive(message("done"))
    await lone(database, Recorder(), clock).work_one()
    (reference,) = await references(database)

    assert not await drop_entry(here, reference, is_sure=True)


@pytest.mark.parametrize("act", ["show", "retry", "drop"])
async def test_an_unknown_reference_is_said_to_be_unknown(here: Administration, terminal: Terminal, act: str) -> None:
    acts = {
        "show": lambda: show_entry(here, "ABCD2345", with_text=False, is_json=False),
        "retry": lambda: retry_entry(here, "ABCD2345"),
        "drop": lambda: drop_entry(here, "ABCD2345", is_sure=True),
    }

    assert not await acts[act]()
    assert "no item ABCD2345" in terminal.said.getvalue()


async def test_another_workspaces_items_are_not_there(database: Database, intake: Intake, clock: TurnedClock) -> None:
    await intake.receive(message("ours"))

    other = Administration(database=database, settings=Settings(workspace="two"), console=Terminal(), clock=clock)

    assert {} == await listed(other)


async def test_a_failure_that_cannot_be_shown_is_told_again_and_then_left_at_that(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    class Mute(Recorder):
        async def give_up(self, claim: ClaimedItem) -> bool:
            await super().give_up(claim)
            raise ConnectionError("Slack is away.")

    await intake.receive(message("doomed"))
    handler = Mute(fails)
    one = lone(database, handler, clock)
    for _ in range(8):
        assert await one.work_one()
        assert not await one.work_one()
        clock.turn(seconds=60)

    assert 6 == len(handler.given_up)
    assert {"doomed": "failed"} == await statuses(database)
