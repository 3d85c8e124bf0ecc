"""A person's waiting messages are one turn; those of others, and answers to an open question, are not."""

import pytest

from bot.database import Database
from bot.inbox import store
from bot.inbox.intake import Inbox
from tests.fakes import TurnedClock
from tests.inbox.test_intake import message
from tests.inbox.test_worker import Recorder, statuses, worker


@pytest.fixture
def clock() -> TurnedClock:
    return TurnedClock()


@pytest.fixture
def inbox(database: Database, clock: TurnedClock) -> Inbox:
    return Inbox(database, clock, workspace="one", surface="slack")


async def write(inbox: Inbox, *texts: str, **given: bool) -> None:
    """Let Ada write messages in one thread."""
    for number, text in enumerate(texts, 1):
        await inbox.receive(message(text, ts=f"100.{number:06}", root="100.000001", **given))


async def test_what_waits_is_one_turn_and_done_with_it(database: Database, inbox: Inbox, clock: TurnedClock) -> None:
    await write(inbox, "one", "two", "three")
    handler = Recorder()

    assert await worker(database, handler, clock).work_one()

    assert ["one\ntwo\nthree"] == handler.handled
    assert {"finished"} == set((await statuses(database)).values())


async def test_what_is_said_to_the_bot_is_not_joined_with_what_is_not(
    database: Database, inbox: Inbox, clock: TurnedClock
) -> None:
    await write(inbox, "one", "two")
    await inbox.receive(message("aside", ts="100.000003", root="100.000001", addressed=False))
    handler = Recorder()
    one = worker(database, handler, clock)

    while await one.work_one():
        pass

    assert ["one\ntwo", "aside"] == handler.handled


async def test_a_burst_whose_run_fails_is_tried_again_as_a_whole(
    database: Database, inbox: Inbox, clock: TurnedClock
) -> None:
    await write(inbox, "one", "two")

    async def act(_item: object, attempt: int):  # noqa: ANN202
        if attempt == 1:
            raise RuntimeError("It fails at first.")
        return await Recorder().handle(_item, None, attempt=2)  # pyright: ignore[reportArgumentType]

    handler = Recorder(act)
    one = worker(database, handler, clock)
    await one.work_one()
    clock.turn(seconds=5)
    await write(inbox, "one", "two", "three")
    await one.work_one()

    assert ["one\ntwo\nthree"] == handler.handled


async def test_a_burst_ends_where_a_claim_dies(database: Database, inbox: Inbox, clock: TurnedClock) -> None:
    await write(inbox, "one", "two")
    async with database.transaction() as connection:
        assert await store.claim(connection, surface="slack", now=clock.now())

    assert {"one": "waiting", "two": "waiting"} == await statuses(database)
