"""A person's waiting messages are one turn. Messages of others, and answers to an open question, are not part of it."""

import asyncio
from typing import Any, Literal

import pytest
from psycopg.errors import LockNotAvailable

from bot.conversation import command_store
from bot.conversation.contents import ChangeContent, DropContent, StopContent
from bot.conversation.intake import Intake
from bot.conversation.items import Item
from bot.conversation.workers import burst_store
from bot.postgres.pool import Database
from tests.conversation import claiming
from tests.conversation.holding import wait_for_locks
from tests.conversation.test_changes import claimed
from tests.conversation.test_intake import ask, message, waiting
from tests.conversation.test_worker import Recorder, lone, statuses
from tests.support.fakes import TurnedClock


async def write(intake: Intake, *texts: str, **given: Any) -> None:
    """Let Ada write messages in one thread."""
    for number, text in enumerate(texts, 1):
        await intake.receive(message(text, ts=f"100.{number:06}", root="100.000001", **given))


async def joined(database: Database, intake: Intake, clock: TurnedClock) -> tuple[int, int]:
    """Join two messages; return the ids of the turn and of the message that became part of it."""
    await write(intake, "zero", "one", "two")
    one = lone(database, Recorder(), clock)
    await one.work_one()
    await one.work_one()
    _, head, part = [row["id"] for row in await waiting(database)]
    return head, part


async def test_what_waits_is_one_turn_and_done_with_it(database: Database, intake: Intake, clock: TurnedClock) -> None:
    await write(intake, "zero", "one", "two", "three")
    handler = Recorder()
    one = lone(database, handler, clock)

    assert await one.work_one()
    assert await one.work_one()

    assert ["zero", "one\ntwo\nthree"] == handler.handled
    assert {"finished"} == set((await statuses(database)).values())


async def test_what_is_answered_together_is_known_so_while_it_runs(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await write(intake, "zero", "one", "two")
    seen: list[dict[str, str]] = []

    async def act(_item: Item, _attempt: int) -> None:
        seen.append(await statuses(database))

    one = lone(database, Recorder(act), clock)
    await one.work_one()
    await one.work_one()

    assert {"zero": "finished", "one": "waiting", "two": "finished"} == seen[-1]


async def test_a_message_that_somebody_holds_keeps_a_burst_waiting_not_for_ever(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await write(intake, "zero", "one", "two")
    handler = Recorder()
    one = lone(database, handler, clock)
    await one.work_one()
    async with database.transaction() as holding:
        await holding.execute("SELECT FROM inbox WHERE content ->> 'question' = 'two' FOR UPDATE")
        with pytest.raises(LockNotAvailable):
            await one.work_one()
    await one.work_one()

    assert ["zero", "one\ntwo"] == handler.handled


async def test_what_is_said_to_the_bot_is_not_joined_with_what_is_not(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await write(intake, "zero", "one", "two")
    await intake.receive(message("aside", ts="100.000004", root="100.000001", addressed=False))
    handler = Recorder()
    one = lone(database, handler, clock)

    while await one.work_one():
        pass

    assert ["zero", "one\ntwo", "aside"] == handler.handled


async def test_a_burst_whose_run_fails_is_tried_again_as_a_whole(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await write(intake, "zero", "one", "two")

    async def act(item: Item, attempt: int) -> None:
        if attempt == 1 and item.turn.question != "zero":
            raise RuntimeError("It fails at first.")

    handler = Recorder(act)
    one = lone(database, handler, clock)
    await one.work_one()
    await one.work_one()
    clock.turn(seconds=5)
    await one.work_one()

    assert ["zero", "one\ntwo"] == handler.handled


async def test_what_nothing_ran_before_is_not_held_together(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await write(intake, "one", "two")
    handler = Recorder()

    assert await lone(database, handler, clock).work_one()

    assert ["one"] == handler.handled


async def test_a_burst_ends_where_a_claim_dies(database: Database, intake: Intake, clock: TurnedClock) -> None:
    await write(intake, "one", "two")
    async with database.transaction() as connection:
        assert await claiming.claimed(connection, clock)

    assert {"one": "waiting", "two": "waiting"} == await statuses(database)


async def test_while_a_question_is_open_each_message_is_read_by_itself(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await ask(database, intake, clock)
    await intake.receive(message("the second", ts="100.000002", root="100.000001"))
    await intake.receive(message("How long?", ts="100.000003", root="100.000001"))
    handler = Recorder()

    assert await lone(database, handler, clock).work_one()

    assert ["the second"] == handler.handled


@pytest.mark.parametrize("kind", ["edit", "stop"])
async def test_a_message_that_is_changed_or_stopped_in_this_moment_ends_the_burst_before_it(
    database: Database, intake: Intake, clock: TurnedClock, kind: Literal["edit", "stop"]
) -> None:
    await write(intake, "zero", "one", "two")
    handler = Recorder()
    one = lone(database, handler, clock)
    await one.work_one()
    (two,) = [row["id"] for row in await waiting(database) if row["content"]["question"] == "two"]
    async with database.transaction("one") as coming:
        assert two == await burst_store.hold_whole(coming, two)
        edit = ChangeContent(target=two, changed_at="300.5", turn=message("three").turn)
        command = StopContent(target=two, by=None) if kind == "stop" else edit
        await command_store.insert(coming, command, event_key="EvCommand", now=clock.now())
        working = asyncio.create_task(one.work_one())
        await wait_for_locks(database, 1)
    await working

    assert ["zero", "one"] == handler.handled
    order = await claimed(database, clock)
    assert order
    assert kind == order.kind


async def test_what_has_become_part_of_a_turn_is_changed_and_stopped_with_it(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    head, part = await joined(database, intake, clock)

    async with database.transaction("one") as connection:
        assert [head, head] == [await burst_store.hold_whole(connection, id_) for id_ in (head, part)]


async def test_what_has_become_part_of_a_turn_is_dropped_with_it(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    head, part = await joined(database, intake, clock)

    async with database.transaction("one") as connection:
        await command_store.insert(connection, DropContent(target=part, why=""), event_key="EvDrop", now=clock.now())

    order = await claimed(database, clock)
    assert order
    assert DropContent(target=head, why="") == order.content
