"""Items are worked on once, in order, whatever breaks."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest
from psycopg.rows import DictRow, dict_row

from bot.conversation import store
from bot.conversation.commands import stop_store
from bot.conversation.intake import Inbox
from bot.conversation.items import Item
from bot.conversation.turns.retry import ATTEMPTS, Attempt
from bot.conversation.worker import Handled, Worker
from bot.postgres.pool import Connection, Database
from tests.conversation.holding import wait_for_locks
from tests.conversation.test_intake import ask_back, message
from tests.fakes import TurnedClock

PROMPTLY = 30.0
"""Seconds that a test waits for what should take milliseconds."""


class Recorder:
    """A handler that does what the test says and remembers what it was given."""

    def __init__(self, act: Callable[[Item, int], Awaitable[Handled]] | None = None) -> None:
        self._act = act
        self.handled: list[str] = []
        self.given_up: list[str] = []
        self.changed = asyncio.Condition()

    async def handle(self, item: Item, connection: Connection, *, attempt: Attempt) -> Handled:
        handled = await self._act(item, attempt.number) if self._act else Handled(asking=False)
        await self._note(self.handled, item)
        return handled

    async def give_up(self, item: Item) -> bool:
        await self._note(self.given_up, item)
        return False

    async def until(self, holds: Callable[["Recorder"], bool]) -> None:
        async with asyncio.timeout(PROMPTLY), self.changed:
            await self.changed.wait_for(lambda: holds(self))

    async def _note(self, where: list[str], item: Item) -> None:
        async with self.changed:
            where.append(item.turn.question)
            self.changed.notify_all()


@pytest.fixture
def clock() -> TurnedClock:
    return TurnedClock()


@pytest.fixture
def inbox(database: Database, clock: TurnedClock) -> Inbox:
    return Inbox(database, clock, workspace="one", surface="slack")


def worker(database: Database, handler: Recorder, clock: TurnedClock, **given: Any) -> Worker:
    return Worker(database, handler, clock, **{"surface": "slack", "slots": 4, "ceiling_seconds": 30, **given})


async def statuses(database: Database) -> dict[str, str]:
    async with database.connection() as connection:
        cursor = await connection.execute("SELECT content ->> 'question' AS question, status FROM inbox")
        return {row["question"]: row["status"] for row in await cursor.fetchall()}


async def test_a_waiting_item_is_taken_up_and_finished(database: Database, inbox: Inbox, clock: TurnedClock) -> None:
    handler = Recorder()
    async with worker(database, handler, clock).running():
        await inbox.receive(message("one"))
        await handler.until(lambda it: it.handled == ["one"])

    assert {"one": "finished"} == await statuses(database)


async def test_messages_of_a_thread_run_one_at_a_time_in_slacks_order(
    database: Database, inbox: Inbox, clock: TurnedClock
) -> None:
    running = 0

    async def act(_item: Item, _attempt: int) -> Handled:
        nonlocal running
        running += 1
        assert running == 1
        await asyncio.sleep(0)
        running -= 1
        return Handled(asking=False)

    for position in (3, 1, 2):
        await inbox.receive(message(str(position), ts=f"100.{position}", root="100.0", person=f"U{position}"))
    handler = Recorder(act)
    async with worker(database, handler, clock).running():
        await handler.until(lambda it: len(it.handled) == 3)

    assert ["1", "2", "3"] == handler.handled


async def test_a_long_run_does_not_hold_up_other_threads(database: Database, inbox: Inbox, clock: TurnedClock) -> None:
    release = asyncio.Event()

    async def act(item: Item, _attempt: int) -> Handled:
        if item.turn.question == "long":
            await release.wait()
        return Handled(asking=False)

    await inbox.receive(message("long", ts="100.1"))
    await inbox.receive(message("behind it", ts="100.2", root="100.1", person="U0BEN"))
    await inbox.receive(message("elsewhere", ts="100.3"))
    handler = Recorder(act)
    async with worker(database, handler, clock).running():
        await handler.until(lambda it: it.handled == ["elsewhere"])
        release.set()
        await handler.until(lambda it: it.handled == ["elsewhere", "long", "behind it"])


async def test_a_run_that_fails_is_tried_again_and_then_given_up(
    database: Database, inbox: Inbox, clock: TurnedClock
) -> None:
    async def act(_item: Item, _attempt: int) -> Handled:
        raise RuntimeError("It always fails.")

    await inbox.receive(message("doomed"))
    handler = Recorder(act)
    one = worker(database, handler, clock)
    for _ in range(3):
        assert await one.work_one()
        assert not await one.work_one()
        clock.turn(seconds=5)

    assert ["doomed"] == handler.given_up
    assert {"doomed": "failed"} == await statuses(database)


async def test_what_asked_back_while_it_was_retried_is_known_to_have_run(
    database: Database, inbox: Inbox, clock: TurnedClock
) -> None:
    await inbox.receive(message("again"))
    async with database.transaction("one") as connection, database.connection() as apart:
        item = await store.claim(connection, surface="slack", now=clock.now())
        assert item
        await store.begin_attempt(apart, item.id)
        retrying = asyncio.create_task(inbox.retry(item.reference, item.thread_id))
        await wait_for_locks(database, 1)
        await ask_back(connection, item, clock, asking=True)
    await retrying

    async with database.connection() as connection:
        attempt = await store.begin_attempt(connection, item.id)
    assert Attempt(number=2, allowed=1 + ATTEMPTS) == attempt


async def test_a_retry_of_what_never_ran_leaves_its_first_attempt_the_first(
    database: Database, inbox: Inbox, clock: TurnedClock
) -> None:
    await inbox.receive(message("again"))
    async with database.connection() as connection:
        item = await store.claim(connection, surface="slack", now=clock.now())
        assert item
    await inbox.retry(item.reference, item.thread_id)

    async with database.connection() as connection:
        attempt = await store.begin_attempt(connection, item.id)
    assert attempt.is_first


async def test_a_given_up_item_runs_again_when_a_person_retries(
    database: Database, inbox: Inbox, clock: TurnedClock
) -> None:
    failing = True

    async def act(_item: Item, _attempt: int) -> Handled:
        if failing:
            raise RuntimeError("It fails for now.")
        return Handled(asking=False)

    await inbox.receive(message("again"))
    handler = Recorder(act)
    one = worker(database, handler, clock)
    for _ in range(3):
        await one.work_one()
        clock.turn(seconds=5)
    failing = False
    async with database.connection() as connection:
        row = await (await connection.execute("SELECT reference, thread_id FROM inbox")).fetchone()
    assert row
    await inbox.retry(row["reference"], row["thread_id"])

    assert await one.work_one()
    assert {"again": "finished"} == await statuses(database)


async def test_a_run_past_the_ceiling_is_stopped(database: Database, inbox: Inbox, clock: TurnedClock) -> None:
    async def act(_item: Item, _attempt: int) -> Handled:
        await asyncio.Event().wait()
        return Handled(asking=False)

    await inbox.receive(message("stuck"))
    one = worker(database, Recorder(act), clock, ceiling_seconds=0.05)

    assert await one.work_one()
    assert {"stuck": "waiting"} == await statuses(database)


async def test_an_item_that_takes_its_process_down_every_time_is_given_up(
    database: Database, inbox: Inbox, clock: TurnedClock
) -> None:
    await inbox.receive(message("poison"))
    async with database.connection() as connection:
        await connection.execute("INSERT INTO attempts (inbox_id, begun) SELECT id, 3 FROM inbox")
    handler = Recorder()

    assert await worker(database, handler, clock).work_one()
    assert (["poison"], []) == (handler.given_up, handler.handled)


async def test_however_often_it_is_restarted_a_long_question_keeps_its_attempts(
    database: Database, inbox: Inbox, clock: TurnedClock
) -> None:
    begun = asyncio.Event()

    async def act(_item: Item, _attempt: int) -> Handled:
        begun.set()
        await asyncio.Event().wait()
        return Handled(asking=False)

    await inbox.receive(message("long"))
    for _ in range(4):
        async with worker(database, Recorder(act), clock, patience_seconds=0.0).running():
            await asyncio.wait_for(begun.wait(), PROMPTLY)
        begun.clear()

    handler = Recorder()
    assert await worker(database, handler, clock).work_one()
    assert (["long"], []) == (handler.handled, handler.given_up)


async def test_last_words_that_hang_end_at_the_ceiling_and_are_said_again(
    database: Database, inbox: Inbox, clock: TurnedClock
) -> None:
    class Hanging(Recorder):
        async def give_up(self, item: Item) -> bool:
            await super().give_up(item)
            return len(self.given_up) > 1 or await asyncio.Event().wait()

    await inbox.receive(message("poison"))
    async with database.connection() as connection:
        await connection.execute("INSERT INTO attempts (inbox_id, begun) SELECT id, 3 FROM inbox")
    handler = Hanging()
    one = worker(database, handler, clock, ceiling_seconds=0.5)

    assert await asyncio.wait_for(one.work_one(), 4 * PROMPTLY)
    clock.turn(seconds=5)
    assert await asyncio.wait_for(one.work_one(), 4 * PROMPTLY)

    assert ["poison", "poison"] == handler.given_up
    assert {"poison": "finished"} == await statuses(database)


async def test_an_order_waits_until_a_run_that_was_cut_off_must_have_noticed(
    database: Database, inbox: Inbox, clock: TurnedClock
) -> None:
    await inbox.receive(message("cut off", ts="100.000001"))
    async with database.transaction("one") as connection:
        await store.begin_attempt(connection, 1)
        await stop_store.insert_stop(connection, 1, by=None, event_key="EvStop", now=clock.now())

    class Orderly(Recorder):
        async def handle(self, item: Item, connection: Connection, *, attempt: Attempt) -> Handled:
            self.handled.append(item.kind)
            return Handled(asking=False)

    handler = Orderly()
    one = worker(database, handler, clock, hesitation_seconds=3600)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(one.work_one(), 1.0)
    assert [] == handler.handled

    async with database.transaction("one") as connection:
        await connection.execute("DELETE FROM attempts")
    assert await asyncio.wait_for(one.work_one(), 4 * PROMPTLY)
    assert ["stop"] == handler.handled


async def test_a_claim_ends_with_its_connection(
    database: Database, inbox: Inbox, clock: TurnedClock, database_url: str
) -> None:
    await inbox.receive(message("taken over"))
    handler = Recorder()
    one = worker(database, handler, clock)
    claimant = await psycopg.AsyncConnection[DictRow].connect(database_url, row_factory=dict_row)
    assert await store.claim(claimant, surface="slack", now=clock.now())
    assert not await one.work_one()

    # What a dead process leaves: a connection that the server ends; the five seconds are the longest it may take.
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute("SELECT pg_terminate_backend(%s, 5000)", (claimant.info.backend_pid,))

    assert await one.work_one()
    assert ["taken over"] == handler.handled
    await claimant.close()


@asynccontextmanager
async def interrupted(database_url: str):  # noqa: ANN201
    """Cut every connection of the bot ten times while the context goes on."""

    async def cut() -> None:
        async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as owner:
            for _ in range(10):
                await owner.execute(
                    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND backend_type = 'client backend'"
                    " AND pid <> pg_backend_pid()"
                )
                await asyncio.sleep(0.1)

    cutting = asyncio.create_task(cut())
    yield
    await cutting


async def test_cut_connections_do_not_stop_the_worker(
    database: Database, inbox: Inbox, clock: TurnedClock, database_url: str
) -> None:
    handler = Recorder()
    async with worker(database, handler, clock).running():
        async with interrupted(database_url):
            pass
        await inbox.receive(message("after the storm"))
        await handler.until(lambda it: "after the storm" in it.handled)
