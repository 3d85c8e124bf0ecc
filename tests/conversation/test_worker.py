"""A worker handles each item once, in order, whatever breaks."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest
from psycopg.rows import DictRow, dict_row

from bot.conversation import command_store
from bot.conversation.contents import StopContent
from bot.conversation.intake import Intake
from bot.conversation.items import ATTEMPTS, ClaimedItem, Item
from bot.conversation.workers import claim_store
from bot.conversation.workers.worker import Worker, WorkerLimits
from bot.errors import ClaimLostError, RunOvertakenError
from bot.postgres.pool import Database
from tests.conversation import claiming
from tests.conversation.claiming import dead_process
from tests.conversation.test_intake import ask, message, waiting
from tests.support.fakes import TurnedClock

PROMPTLY = 30.0
"""Timeout in seconds of waits that should take milliseconds."""


class Recorder:
    """A handler that follows the test's script and records its items."""

    def __init__(self, act: Callable[[Item, int], Awaitable[None]] | None = None) -> None:
        self._act = act
        self.database: Database | None = None
        self.handled: list[str] = []
        self.given_up: list[str] = []
        self.changed = asyncio.Condition()

    async def handle(self, claim: ClaimedItem) -> None:
        if self._act:
            await self._act(claim.item, claim.item.attempt.number)
        assert self.database
        async with self.database.transaction() as connection:
            await claim_store.end(connection, claim, now=TurnedClock().now())
        await self._note(self.handled, claim.item)

    async def give_up(self, claim: ClaimedItem) -> bool:
        await self._note(self.given_up, claim.item)
        return False

    async def until(self, holds: Callable[["Recorder"], bool]) -> None:
        async with asyncio.timeout(PROMPTLY), self.changed:
            await self.changed.wait_for(lambda: holds(self))

    async def _note(self, where: list[str], item: Item) -> None:
        async with self.changed:
            where.append(item.turn.question)
            self.changed.notify_all()


def worker(database: Database, handler: Recorder, clock: TurnedClock, **given: Any) -> Worker:
    handler.database = database
    limits = WorkerLimits(**{"slots": 4, "ceiling_seconds": 30, **given})
    return Worker(database, handler, clock, surface="slack", limits=limits)


def lone(database: Database, handler: Recorder, clock: TurnedClock, **given: Any) -> Worker:
    """Return a worker that the test runs one item at a time."""
    one = worker(database, handler, clock, **given)
    one.life.begin(dead_process())
    return one


async def until_it_waits(database: Database) -> None:
    """Wait until somebody waits for a connection."""
    async with asyncio.timeout(PROMPTLY):
        while not database._pool.get_stats().get("requests_waiting"):  # noqa: ASYNC110 - Nobody tells.
            await asyncio.sleep(0)


async def statuses(database: Database) -> dict[str, str]:
    async with database.connection() as connection:
        cursor = await connection.execute("SELECT content ->> 'question' AS question, status FROM inbox")
        return {row["question"]: row["status"] for row in await cursor.fetchall()}


async def test_a_waiting_item_is_taken_up_and_finished(database: Database, intake: Intake, clock: TurnedClock) -> None:
    handler = Recorder()
    async with worker(database, handler, clock).running():
        await intake.receive(message("one"))
        await handler.until(lambda it: it.handled == ["one"])

    assert {"one": "finished"} == await statuses(database)


async def test_messages_of_a_thread_run_one_at_a_time_in_slacks_order(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    running = 0

    async def act(_item: Item, _attempt: int) -> None:
        nonlocal running
        running += 1
        assert running == 1
        await asyncio.sleep(0)
        running -= 1

    for position in (3, 1, 2):
        await intake.receive(message(str(position), ts=f"100.{position}", root="100.0", person=f"U{position}"))
    handler = Recorder(act)
    async with worker(database, handler, clock).running():
        await handler.until(lambda it: len(it.handled) == 3)

    assert ["1", "2", "3"] == handler.handled


async def test_a_long_run_does_not_hold_up_other_threads(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    release = asyncio.Event()

    async def act(item: Item, _attempt: int) -> None:
        if item.turn.question == "long":
            await release.wait()

    await intake.receive(message("long", ts="100.1"))
    await intake.receive(message("behind it", ts="100.2", root="100.1", person="U0BEN"))
    await intake.receive(message("elsewhere", ts="100.3"))
    handler = Recorder(act)
    async with worker(database, handler, clock).running():
        await handler.until(lambda it: it.handled == ["elsewhere"])
        release.set()
        await handler.until(lambda it: it.handled == ["elsewhere", "long", "behind it"])


async def test_a_run_that_fails_is_tried_again_and_then_given_up(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    async def act(_item: Item, _attempt: int) -> None:
        raise RuntimeError("It always fails.")

    await intake.receive(message("doomed"))
    handler = Recorder(act)
    one = lone(database, handler, clock)
    for _ in range(3):
        assert await one.work_one()
        assert not await one.work_one()
        clock.turn(seconds=5)

    assert ["doomed"] == handler.given_up
    assert {"doomed": "failed"} == await statuses(database)


async def test_a_retry_waits_for_the_end_of_a_run_that_is_about_to_fail(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await intake.receive(message("again"))
    begun, fails = asyncio.Event(), asyncio.Event()

    async def act(_item: Item, attempt: int) -> None:
        if attempt == ATTEMPTS:
            begun.set()
            await fails.wait()
        if attempt <= ATTEMPTS:
            raise RuntimeError("It fails.")

    handler = Recorder(act)
    async with worker(database, handler, clock).running():
        async with asyncio.timeout(PROMPTLY):
            while not begun.is_set():
                clock.turn(seconds=5)
                await asyncio.sleep(0.05)
        (row,) = await waiting(database)
        retrying = asyncio.create_task(intake.retry(row["reference"], row["thread_id"]))
        await asyncio.sleep(0.2)
        assert not retrying.done()
        fails.set()
        await retrying
        await handler.until(lambda it: it.handled == ["again"])

    assert ["again"] == handler.given_up


async def test_a_retry_of_what_never_ran_leaves_its_first_attempt_the_first(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await intake.receive(message("again"))
    (row,) = await waiting(database)
    await intake.retry(row["reference"], row["thread_id"])

    async with database.transaction() as connection:
        claim = await claiming.claim(connection, clock)
    assert claim
    assert claim.item.attempt.is_first


async def test_a_given_up_item_runs_again_when_a_person_retries(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    failing = True

    async def act(_item: Item, _attempt: int) -> None:
        if failing:
            raise RuntimeError("It fails for now.")

    await intake.receive(message("again"))
    handler = Recorder(act)
    one = lone(database, handler, clock)
    for _ in range(3):
        await one.work_one()
        clock.turn(seconds=5)
    failing = False
    async with database.connection() as connection:
        row = await (await connection.execute("SELECT reference, thread_id FROM inbox")).fetchone()
    assert row
    await intake.retry(row["reference"], row["thread_id"])

    assert await one.work_one()
    assert {"again": "finished"} == await statuses(database)


async def test_a_run_past_the_ceiling_is_stopped(database: Database, intake: Intake, clock: TurnedClock) -> None:
    async def act(_item: Item, _attempt: int) -> None:
        await asyncio.Event().wait()

    await intake.receive(message("stuck"))
    one = lone(database, Recorder(act), clock, ceiling_seconds=0.05)

    assert await one.work_one()
    assert {"stuck": "waiting"} == await statuses(database)


async def test_an_item_that_takes_its_process_down_every_time_is_given_up(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await intake.receive(message("poison"))
    async with database.connection() as connection:
        await connection.execute("UPDATE inbox SET attempts = 3")
    handler = Recorder()

    assert await lone(database, handler, clock).work_one()
    assert (["poison"], []) == (handler.given_up, handler.handled)


async def test_however_often_it_is_restarted_a_long_question_keeps_its_attempts(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    begun = asyncio.Event()

    async def act(_item: Item, _attempt: int) -> None:
        begun.set()
        await asyncio.Event().wait()

    await intake.receive(message("long"))
    for _ in range(4):
        async with worker(database, Recorder(act), clock, patience_seconds=0.0).running():
            await asyncio.wait_for(begun.wait(), PROMPTLY)
        begun.clear()

    handler = Recorder()
    assert await lone(database, handler, clock).work_one()
    assert (["long"], []) == (handler.handled, handler.given_up)


async def test_last_words_that_hang_end_at_the_ceiling_and_are_said_again(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    class Hanging(Recorder):
        async def give_up(self, claim: ClaimedItem) -> bool:
            await super().give_up(claim)
            return len(self.given_up) <= 1 and await asyncio.Event().wait()

    await intake.receive(message("poison"))
    async with database.connection() as connection:
        await connection.execute("UPDATE inbox SET attempts = 3")
    handler = Hanging()
    hasty, patient = (lone(database, handler, clock, ceiling_seconds=seconds) for seconds in (0.5, 4 * PROMPTLY))

    assert await asyncio.wait_for(hasty.work_one(), 4 * PROMPTLY)
    clock.turn(seconds=5)
    assert await asyncio.wait_for(patient.work_one(), 4 * PROMPTLY)

    assert ["poison", "poison"] == handler.given_up
    assert {"poison": "failed"} == await statuses(database)


async def test_what_takes_a_claim_over_waits_until_the_run_that_lost_it_must_have_noticed(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await intake.receive(message("cut off", ts="100.000001"))
    async with database.transaction("one") as connection:
        assert await claiming.claim(connection, clock)
        await command_store.insert(connection, StopContent(target=1, by=None), event_key="EvStop", now=clock.now())

    class Orderly(Recorder):
        async def handle(self, claim: ClaimedItem) -> None:
            self.handled.append(claim.item.kind)

    handler = Orderly()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(lone(database, handler, clock, hesitation_seconds=3600).work_one(), 1.0)
    assert [] == handler.handled

    async with database.transaction("one") as connection:
        await connection.execute("DELETE FROM claims")
    assert await asyncio.wait_for(lone(database, handler, clock, hesitation_seconds=3600).work_one(), 4 * PROMPTLY)
    assert ["stop"] == handler.handled


async def test_a_claim_holds_as_long_as_the_session_of_its_process(
    database: Database, intake: Intake, clock: TurnedClock, app_url: str
) -> None:
    await intake.receive(message("taken over"))
    handler = Recorder()
    one = lone(database, handler, clock)
    async with await psycopg.AsyncConnection[DictRow].connect(app_url, row_factory=dict_row, autocommit=True) as other:
        await other.execute("SELECT set_config('askback.workspace', 'one', false)")
        number = await claim_store.begin_life(other)
        assert await claim_store.claim(other, surface="slack", process=number, now=clock.now())
        assert not await one.work_one()

    async with asyncio.timeout(PROMPTLY):
        while not await one.work_one():  # noqa: ASYNC110 - Nobody tells.
            await asyncio.sleep(0.05)
    assert ["taken over"] == handler.handled


async def test_who_waited_for_a_connection_claims_as_the_process_that_lives_by_then(
    app_url: str, clock: TurnedClock
) -> None:
    class Noting(Recorder):
        async def handle(self, claim: ClaimedItem) -> None:
            processes.append(claim.process)
            await super().handle(claim)

    processes, reborn = list[int](), dead_process()
    async with Database.open(app_url, size=1, workspace="one") as database:
        await Intake(database, clock, workspace="one", surface="slack").receive(message("late"))
        one = lone(database, Noting(), clock)
        async with database.connection():
            working = asyncio.create_task(one.work_one())
            await until_it_waits(database)
            one.life.doubt()
        assert not await working

        one.life.begin(dead_process())
        async with database.connection():
            working = asyncio.create_task(one.work_one())
            await until_it_waits(database)
            one.life.doubt()
            one.life.begin(reborn)
        assert await working

    assert [reborn] == processes


async def test_a_run_whose_claim_was_taken_over_stores_nothing(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await intake.receive(message("slow"))
    async with database.transaction() as connection:
        slow = await claiming.claim(connection, clock)
    assert slow
    handler = Recorder()
    assert await lone(database, handler, clock, hesitation_seconds=0).work_one()

    with pytest.raises((ClaimLostError, RunOvertakenError)):
        async with database.transaction() as connection:
            await claim_store.end(connection, slow, now=clock.now())
    assert {"slow": "finished"} == await statuses(database)


async def test_what_an_item_superseded_may_open_again_until_the_item_is_done(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await ask(database, intake, clock)
    await intake.receive(message("another question", ts="100.000002", root="100.000001"))

    async def claimed(*, and_done: bool) -> int | None:
        async with database.transaction() as connection:
            claim = await claiming.claim(connection, clock)
            assert claim
            given = {"id": claim.item.id}
            await connection.execute("UPDATE asks SET status = 'superseded', superseded_by = %(id)s", given)
            await (
                claim_store.end(connection, claim, now=clock.now())
                if and_done
                else claim_store.release(connection, claim)
            )
        (asked,) = await waiting(database, "asks")
        return asked["superseded_by"]

    assert await claimed(and_done=False)
    assert await claimed(and_done=True) is None


async def test_of_many_who_claim_one_thread_at_once_one_gets_it(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await intake.receive(message("one"))

    async def attempt() -> bool:
        async with database.connection() as session:
            number = await claim_store.begin_life(session)
            try:
                async with database.transaction() as connection:
                    await asyncio.sleep(0.01)
                    return (
                        await claim_store.claim(connection, surface="slack", process=number, now=clock.now())
                        is not None
                    )
            except ClaimLostError:
                return False
            finally:
                # The claim is free again once its process's session ends, so each process lives until all have tried.
                await have_tried.wait()
                await session.close()

    have_tried = asyncio.Barrier(4)
    async with asyncio.timeout(PROMPTLY):
        assert 1 == sum(await asyncio.gather(*(attempt() for _ in range(4))))


@asynccontextmanager
async def interrupted(database_url: str):  # noqa: ANN201
    """Cut all connections of the bot ten times while the context is open."""

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
    database: Database, intake: Intake, clock: TurnedClock, database_url: str
) -> None:
    handler = Recorder()
    async with worker(database, handler, clock).running():
        async with interrupted(database_url):
            pass
        await intake.receive(message("after the storm"))
        await handler.until(lambda it: "after the storm" in it.handled)


async def test_a_worker_that_stops_warns_of_nothing(
    database: Database, intake: Intake, clock: TurnedClock, caplog: pytest.LogCaptureFixture
) -> None:
    handler = Recorder()
    async with worker(database, handler, clock).running():
        await intake.receive(message("one"))
        await handler.until(lambda it: it.handled == ["one"])

    assert [] == [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]


async def test_to_count_an_attempt_touches_no_index(database: Database, intake: Intake, clock: TurnedClock) -> None:
    await intake.receive(message())
    async with database.transaction() as connection:
        assert await claiming.claim(connection, clock)
        cursor = await connection.execute(
            """
            SELECT pg_stat_get_xact_tuples_updated('inbox'::regclass) AS updated,
                   pg_stat_get_xact_tuples_hot_updated('inbox'::regclass) AS in_its_page
            """
        )

        assert {"updated": 1, "in_its_page": 1} == await cursor.fetchone()
