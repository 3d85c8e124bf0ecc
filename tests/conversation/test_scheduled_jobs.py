"""A scheduled job acts once, and only if nothing else has acted before."""

import asyncio
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from bot.conversation import store
from bot.conversation.asks import ask_store
from bot.conversation.contents import ChoiceContent
from bot.conversation.inputs import ClickRefused
from bot.conversation.intake import Intake
from bot.conversation.schedule import Cadence, Retention, ScheduledJobs
from bot.conversation.traces import trace_store
from bot.conversation.traces.kept_run import KeptRun
from bot.conversation.workers import claim_store
from bot.postgres.pool import Database
from graph.turn import Choice
from tests.conversation import claiming
from tests.conversation.test_intake import ADA, ask, click, message, waiting
from tests.support.fakes import TurnedClock

THREAD = "T0:C0:100.000001"


@pytest.fixture
async def jobs(database: Database, intake: Intake, clock: TurnedClock) -> ScheduledJobs:
    """The jobs, with an open question whose card is posted."""
    await ask(database, intake, clock)
    async with database.transaction("one") as connection:
        await connection.execute(
            "INSERT INTO messages (workspace, inbox_id, kind, channel, ts, posted_at)"
            " SELECT workspace, id, 'card', 'C0', '100.2', received_at FROM inbox"
        )
    return jobs_of(database, clock)


def jobs_of(database: Database, clock: TurnedClock, **given: Any) -> ScheduledJobs:
    whole = {
        "workspace": "one",
        "surface": "slack",
        "retention": Retention(checkpoints=timedelta(days=7)),
    }
    return ScheduledJobs(database, clock, **{**whole, **given})


async def put(database: Database) -> list[tuple[str, str, str]]:
    """Return the items that jobs have stored."""
    return [
        (row["kind"], row["event_key"].split(":")[0], row["status"])
        for row in await waiting(database)
        if row["kind"] != "turn"
    ]


async def test_nothing_is_done_before_its_time(database: Database, jobs: ScheduledJobs, clock: TurnedClock) -> None:
    clock.turn(hours=3.9)
    await jobs.remind()
    await jobs.expire()

    assert [] == await put(database)


async def test_a_question_is_reminded_of_once(database: Database, jobs: ScheduledJobs, clock: TurnedClock) -> None:
    clock.turn(hours=4)
    await asyncio.gather(*(jobs.remind() for _ in range(4)))
    await done(database)
    await jobs.remind()

    assert [("reminder", "reminder", "finished")] == await put(database)


async def test_a_reminder_takes_nothing_from_a_click(
    database: Database, jobs: ScheduledJobs, intake: Intake, clock: TurnedClock
) -> None:
    clock.turn(hours=4)
    outcomes = await asyncio.gather(jobs.remind(), intake.choose(click()))

    assert outcomes[1] is None


async def test_a_question_whose_card_was_never_shown_is_not_reminded_of(
    database: Database, jobs: ScheduledJobs, clock: TurnedClock
) -> None:
    async with database.transaction("one") as connection:
        await connection.execute("DELETE FROM messages")
    clock.turn(hours=4)
    await jobs.remind()

    assert [] == await put(database)


async def test_an_expired_question_is_answered_once_and_reminded_of_no_more(
    database: Database, jobs: ScheduledJobs, clock: TurnedClock
) -> None:
    clock.turn(hours=24)
    await asyncio.gather(*(jobs.expire() for _ in range(4)), jobs.remind())

    assert [("reply", "expiry", "waiting")] == await put(database)
    (clarification,) = await waiting(database, "asks")
    assert "expired" == clarification["status"]


async def test_the_reply_of_an_expired_question_is_to_just_answer(
    database: Database, jobs: ScheduledJobs, clock: TurnedClock
) -> None:
    clock.turn(hours=24)
    await jobs.expire()
    async with database.transaction() as connection:
        item = await claiming.claimed(connection, clock)

    assert item
    assert isinstance(item.content, ChoiceContent)
    assert (Choice(kind="just_answer"), ADA) == (item.content.choice, item.address.person)


async def test_a_click_after_the_deadline_is_refused_as_expired(
    database: Database, jobs: ScheduledJobs, intake: Intake, clock: TurnedClock
) -> None:
    clock.turn(hours=24)
    await jobs.expire()

    assert ClickRefused(reason="expired", question="How do I reset it?") == await intake.choose(click())
    assert 1 == len(await put(database))


async def test_a_click_before_the_job_counts_though_the_time_is_over(
    database: Database, jobs: ScheduledJobs, intake: Intake, clock: TurnedClock
) -> None:
    clock.turn(hours=24)
    assert await intake.choose(click()) is None
    await done(database)
    await jobs.expire()

    assert [("reply", "k1", "finished")] == await put(database)


async def test_a_message_that_may_be_the_answer_is_waited_for(
    database: Database, jobs: ScheduledJobs, intake: Intake, clock: TurnedClock
) -> None:
    await intake.receive(message("the desk", ts="100.3", root="100.000001"))
    clock.turn(hours=24)
    await jobs.expire()
    assert [] == await put(database)

    await done(database)
    await jobs.expire()
    assert 1 == len(await put(database))


async def test_an_answer_that_is_being_typed_in_is_not_waited_on(
    database: Database, jobs: ScheduledJobs, clock: TurnedClock
) -> None:
    clock.turn(hours=24)
    async with database.transaction("one") as answering:
        assert await ask_store.lock_waiting(answering, THREAD)
        async with asyncio.timeout(60):
            await jobs.expire()

    assert [] == await put(database)


async def test_a_terminals_question_waits_for_its_person(
    database: Database, jobs: ScheduledJobs, clock: TurnedClock
) -> None:
    async with database.connection() as connection:
        await connection.execute("UPDATE inbox SET surface = 'terminal:t'")
    clock.turn(days=2)
    await jobs.remind()
    await jobs.expire()

    assert [] == await put(database)


@pytest.mark.parametrize(
    "busy",
    [
        pytest.param("UPDATE inbox SET finished_at = finished_at + interval '1 day'", id="something happened lately"),
        pytest.param("UPDATE inbox SET status = 'waiting'", id="something waits"),
        pytest.param("UPDATE asks SET status = 'open'", id="a question is open"),
        pytest.param("DELETE FROM checkpoints WHERE checkpoint_id = '2'", id="there is nothing to spare"),
    ],
)
async def test_a_thread_is_not_pruned_where(
    database: Database, jobs: ScheduledJobs, clock: TurnedClock, database_url: str, busy: str
) -> None:
    await grown_old(database)
    clock.turn(days=7.5)
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute(busy)  # pyright: ignore[reportArgumentType, reportCallIssue]

    async with database.transaction("one") as connection:
        before = clock.now() - timedelta(days=7)
        assert [] == await claim_store.threads_to_prune(connection, before=before)


async def test_a_quiet_thread_is_pruned_and_a_run_that_ends_meanwhile_keeps_what_it_stores(
    database: Database, jobs: ScheduledJobs, clock: TurnedClock
) -> None:
    await grown_old(database)
    clock.turn(days=7.5)
    async with database.transaction("one") as ending:
        await ending.execute(
            """
            INSERT INTO checkpoints (thread_id, checkpoint_id, parent_checkpoint_id, checkpoint)
            SELECT thread_id, '3', checkpoint_id, checkpoint FROM checkpoints WHERE checkpoint_id = '2'
            """
        )
        await asyncio.gather(*(jobs.prune() for _ in range(5)))
        assert ["2"] == await checkpoints(database)

    assert ["2", "3"] == await checkpoints(database)


async def checkpoints(database: Database) -> list[str]:
    """Return the ids of the stored checkpoints."""
    async with database.transaction("one") as connection:
        cursor = await connection.execute("SELECT checkpoint_id FROM checkpoints ORDER BY checkpoint_id")
        return [row["checkpoint_id"] for row in await cursor.fetchall()]


async def grown_old(database: Database) -> None:
    """Answer the question, and give the thread two checkpoints."""
    async with database.transaction("one") as connection:
        await connection.execute("UPDATE asks SET status = 'decided'")
        await connection.execute(
            "INSERT INTO checkpoints (thread_id, checkpoint_id, checkpoint)"
            " SELECT %(thread_id)s, id, '{}' FROM unnest(ARRAY['1', '2']) AS id",
            {"thread_id": THREAD},
        )


async def done(database: Database) -> None:
    """Finish all waiting items, as a worker would."""
    async with database.connection() as connection:
        await connection.execute("UPDATE inbox SET status = 'finished'")


async def test_what_a_run_did_is_forgotten_in_time(database: Database, intake: Intake, clock: TurnedClock) -> None:
    await ask(database, intake, clock)
    async with database.transaction() as connection:
        item = await store.item_by_id(connection, 1)
        await trace_store.insert(connection, item, [], outcome="asked", now=clock.now())
    kept_for = {"retention": Retention(checkpoints=timedelta(days=7), runs=timedelta(days=3))}

    clock.turn(days=2.9)
    await jobs_of(database, clock, **kept_for).prune()
    assert 1 == len(await runs(database))

    clock.turn(days=0.2)
    await jobs_of(database, clock, **kept_for).prune()
    assert [] == await runs(database)


async def runs(database: Database) -> list[KeptRun]:
    async with database.transaction() as connection:
        return await trace_store.runs(connection, limit=9)


class Pruning(ScheduledJobs):
    """Jobs that tell when they have pruned."""

    pruned: asyncio.Event

    async def prune(self) -> None:
        await super().prune()
        self.pruned.set()


async def test_a_process_prunes_soon_after_its_start(database: Database, clock: TurnedClock) -> None:
    jobs = Pruning(
        database, clock, workspace="one", surface="slack", retention=Retention(checkpoints=timedelta(days=7))
    )
    jobs.pruned = asyncio.Event()

    async with asyncio.timeout(30), jobs.running(Cadence(first_pruning_seconds=0)):
        await jobs.pruned.wait()
