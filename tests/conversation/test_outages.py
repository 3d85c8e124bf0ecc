"""A run ends with its claim, and an outage of the database costs its item no attempt."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import psycopg
import pytest
from psycopg import errors
from psycopg_pool import PoolTimeout

from bot.conversation import store, transitions
from bot.conversation.intake import Intake
from bot.conversation.items import MOST_ALLOWED, Item
from bot.conversation.workers import permit
from bot.conversation.workers.outages import is_outage
from bot.conversation.workers.runs import Claimed, Runs
from bot.errors import ClaimLostError, RunOvertakenError
from bot.postgres.pool import Database
from tests.conversation.test_intake import message
from tests.conversation.test_worker import Recorder, lone, statuses, worker
from tests.support.fakes import TurnedClock

PATIENCE = 180.0


def cut_all(database_url: str) -> None:
    """End every connection to the database."""
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )


async def until(holds: Callable[[], bool]) -> None:
    """Wait until a condition holds that nothing announces."""
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110 - Nobody tells.
            await asyncio.sleep(0.01)


async def test_a_run_goes_on_that_nobody_has_claimed_while_its_process_had_no_session(
    database: Database, intake: Intake, clock: TurnedClock, database_url: str
) -> None:
    begun, release = asyncio.Event(), asyncio.Event()
    attempts: list[int] = []

    async def act(_item: Item, attempt: int) -> None:
        attempts.append(attempt)
        begun.set()
        await release.wait()
        await permit.require()

    await intake.receive(message("long"))
    handler = Recorder(act)
    working = worker(database, handler, clock, slots=2, ceiling_seconds=300)
    async with working.running():
        await asyncio.wait_for(begun.wait(), PATIENCE)
        for _ in range(3):
            number = working.life.number
            await asyncio.to_thread(cut_all, database_url)
            await until(lambda: working.life.number is None)
            await until(lambda: working.life.number is not None)
            assert number == working.life.number
        release.set()
        await handler.until(lambda it: it.handled == ["long"])

    assert [1] == attempts
    assert {"long": "finished"} == await statuses(database)


async def test_a_run_whose_claim_is_lost_says_nothing_more_not_even_what_it_has_begun(
    database: Database, intake: Intake, clock: TurnedClock, database_url: str
) -> None:
    said: list[int] = []
    begun, release = asyncio.Event(), asyncio.Event()

    async def say(attempt: int) -> None:
        # Like a call that waits for Slack's rate limit: it goes on to its end, even if the run is cancelled.
        await release.wait()
        await permit.require()
        said.append(attempt)

    async def act(_item: Item, attempt: int) -> None:
        saying = asyncio.create_task(say(attempt))
        begun.set()
        try:
            await asyncio.shield(saying)
        finally:
            await asyncio.gather(saying, return_exceptions=True)

    await intake.receive(message("long"))
    handler = Recorder(act)
    async with worker(database, handler, clock, slots=1, ceiling_seconds=300).running():
        await asyncio.wait_for(begun.wait(), PATIENCE)
        async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as owner:
            # The process that claimed it has died, too.
            await owner.execute("UPDATE claims SET process = 0")
        await asyncio.to_thread(cut_all, database_url)
        release.set()
        await handler.until(lambda it: it.handled == ["long"])

    assert [2] == said


async def test_what_a_process_claims_and_does_not_run_is_free_with_its_next_session(
    database: Database, intake: Intake, clock: TurnedClock, database_url: str
) -> None:
    await intake.receive(message("first"))
    handler = Recorder()
    working = worker(database, handler, clock, slots=1)
    async with working.running():
        await handler.until(lambda it: it.handled == ["first"])
        async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as owner:
            await owner.execute(
                "INSERT INTO claims (workspace, thread_id, inbox_id, process) VALUES ('one', %s, 0, %s)",
                ("T0:C0:100.000002", working.life.number),
            )
        await intake.receive(message("second", ts="100.000002"))
        await working.life.hang_up()
        await handler.until(lambda it: it.handled == ["first", "second"])


async def test_an_outage_costs_no_attempt_however_often_it_comes(
    database: Database, intake: Intake, clock: TurnedClock, database_url: str
) -> None:
    async def act(_item: Item, _attempt: int) -> None:
        async with database.connection() as connection:
            await asyncio.to_thread(cut_all, database_url)
            await connection.execute("SELECT")

    await intake.receive(message("unlucky"))
    one = lone(database, Recorder(act), clock)
    for _ in range(5):
        with pytest.raises((psycopg.OperationalError, ClaimLostError)):
            await one.work_one()

    handler = Recorder()
    last = lone(database, handler, clock)
    async with asyncio.timeout(PATIENCE):
        while not (handler.handled or handler.given_up):
            # The pool may lend a cut connection once more, which is one more outage.
            with suppress(psycopg.OperationalError, ClaimLostError):
                await last.work_one()
    assert (["unlucky"], []) == (handler.handled, handler.given_up)


async def test_an_attempt_that_is_being_given_back_counts_as_given_back(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await intake.receive(message("unlucky"))
    async with database.connection() as connection:
        await connection.execute("UPDATE inbox SET attempts = 3")
    handler = Recorder()
    running = asyncio.create_task(lone(database, handler, clock).work_one())
    async with asyncio.timeout(PATIENCE), database.connection() as connection:
        while (await store.item_by_id(connection, 1)).attempts < 4:  # noqa: ASYNC110 - Nobody tells.
            await asyncio.sleep(0.02)
        await store.change(connection, [1], transitions.given_back)
    await running

    assert (["unlucky"], []) == (handler.handled, handler.given_up)


async def test_an_item_that_causes_outages_does_not_go_on_for_ever(
    database: Database, intake: Intake, clock: TurnedClock
) -> None:
    await intake.receive(message("poison"))
    async with database.connection() as connection:
        await connection.execute("UPDATE inbox SET attempts = 1")
        for _ in range(2 * MOST_ALLOWED):
            await store.change(connection, [1], transitions.given_back)
        row = await (await connection.execute("SELECT attempts_allowed FROM inbox")).fetchone()

    assert row
    assert MOST_ALLOWED == row["attempts_allowed"]


async def test_a_second_run_of_an_item_ends_the_first() -> None:
    runs, begun = Runs(), asyncio.Event()

    async def first() -> None:
        with runs.held(1) as claimed:
            async with runs.bounded(claimed, PATIENCE):
                begun.set()
                await asyncio.Event().wait()

    running = asyncio.create_task(first())
    await asyncio.wait_for(begun.wait(), PATIENCE)
    with runs.held(1) as claimed:
        async with runs.bounded(claimed, PATIENCE):
            pass
    with pytest.raises(ClaimLostError):
        await running


@pytest.mark.parametrize(
    ("comes", "ends_by"),
    [(lambda runs: runs.overtake(1), RunOvertakenError), (lambda runs: runs.lose_claims(), ClaimLostError)],
    ids=["change", "loss"],
)
async def test_what_comes_while_a_run_waits_for_the_one_before_it_ends_it_too(
    comes: Callable[[Runs], None], ends_by: type[Exception]
) -> None:
    runs, begun, ending, may_end = Runs(), asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def first() -> None:
        with runs.held(1) as claimed:
            async with runs.bounded(claimed, PATIENCE):
                try:
                    begun.set()
                    await asyncio.Event().wait()
                finally:
                    ending.set()
                    await may_end.wait()

    async def second() -> None:
        with runs.held(1) as claimed:
            async with runs.bounded(claimed, PATIENCE):
                pass

    earlier = asyncio.create_task(first())
    await asyncio.wait_for(begun.wait(), PATIENCE)
    later = asyncio.create_task(second())
    await asyncio.wait_for(ending.wait(), PATIENCE)
    comes(runs)
    may_end.set()

    with pytest.raises(ends_by):
        await later
    await asyncio.gather(earlier, return_exceptions=True)


async def test_a_lost_claim_ends_no_other_run_and_takes_nothing_that_is_meant_for_one() -> None:
    runs = Runs()
    with runs.held(1) as lost:
        runs.lose_claims()
        with runs.held(1) as claimed:
            async with runs.bounded(claimed, PATIENCE):
                with pytest.raises(ClaimLostError):
                    await _begun(runs, lost)
                assert not claimed.permit.is_lost
        runs.overtake(1)
        with pytest.raises(ClaimLostError):
            await _begun(runs, lost)
        with runs.held(1) as claimed, pytest.raises(RunOvertakenError):
            await _begun(runs, claimed)


async def _begun(runs: Runs, claimed: Claimed) -> None:
    async with runs.bounded(claimed, PATIENCE):
        pass


async def test_a_change_that_has_ended_a_run_ends_no_later_one() -> None:
    runs = Runs()
    with runs.held(1):
        runs.lose_claims()
        with pytest.raises(RunOvertakenError):
            await _overtaken(runs)
    with runs.held(1) as claimed:
        async with runs.bounded(claimed, PATIENCE):
            pass


async def test_an_overtaken_run_ends_at_once() -> None:
    with pytest.raises(RunOvertakenError):
        await _overtaken(Runs())


async def _overtaken(runs: Runs) -> None:
    with runs.held(1) as claimed:
        async with runs.bounded(claimed, PATIENCE):
            runs.overtake(1)
            await asyncio.Event().wait()


@pytest.mark.parametrize(
    ("error", "is_one"),
    [
        (errors.AdminShutdown(), True),
        (errors.CannotConnectNow(), True),
        (psycopg.OperationalError("server closed the connection unexpectedly"), True),
        (psycopg.InterfaceError("the connection is closed"), True),
        (PoolTimeout(), True),
        (ClaimLostError(), True),
        (errors.QueryCanceled(), False),
        (errors.LockNotAvailable(), False),
        (errors.UndefinedTable(), False),
        (RuntimeError("It fails."), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_outage_is_told_from_what_a_query_did(error: Exception, is_one: bool) -> None:
    assert is_one == is_outage(error)


def test_an_outage_is_known_behind_another_error() -> None:
    error = RuntimeError("The search broke.")
    error.__cause__ = errors.AdminShutdown()

    assert is_outage(error)
