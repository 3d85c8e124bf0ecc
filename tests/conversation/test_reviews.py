"""Reviews in the inbox: each is requested once, decided once, and closed with its question."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, LiteralString, cast

import psycopg
import pytest

from bot.conversation import message_store
from bot.conversation.address import Address, ChannelId, PersonId, Placed, TeamId, Ts
from bot.conversation.asks import ask_store
from bot.conversation.asks.ask import AskStatus
from bot.conversation.asks.review import Decision, Review, ReviewRefused, review_of
from bot.conversation.asks.review_intake import ReviewIntake
from bot.conversation.handlers.reviews import Reviews
from bot.conversation.inputs import AnswerClicked, Message
from bot.conversation.intake import Intake
from bot.conversation.items import Item
from bot.conversation.schedule import Retention, ScheduledJobs
from bot.conversation.work import Work
from bot.conversation.workers import claim_store
from bot.postgres.pool import Connection, Database
from graph.state import ReviewPacket
from graph.turn import Turn
from tests.conversation import claiming
from tests.conversation.holding import wait_for_locks
from tests.conversation.test_admission import Explained, Watched
from tests.support.fakes import TurnedClock, all_are

SURFACE = "slack:T0"
ANSWER = Ts("200.000000")
QUESTION = Address(
    team=TeamId("T0"),
    channel=ChannelId("C0"),
    thread_ts=Ts("100.000000"),
    message_ts=Ts("100.000000"),
    person=PersonId("U0ADA"),
    person_team=TeamId("T0"),
)
PACKET = ReviewPacket(
    asker="U0ADA", question="How many days?", standalone="How many days?", key="100.000000", mode="conversational",
    outcome="answered", draft="It is 25 days [1].", sources=[], issues=[], scores={}, confidence=0.4,
    is_unsure=True, notes=[], of_writer=[], recalled="",
)  # fmt: skip


@pytest.fixture
def reviews(database: Database, clock: TurnedClock) -> ReviewIntake:
    return ReviewIntake(database, clock, workspace="one", expire_after=timedelta(hours=1), for_everyone=all_are)


async def received(database: Database, clock: TurnedClock) -> None:
    """Store a question."""
    turn = Turn(question="How many days?", asker="U0ADA", addressed=True)
    intake = Intake(database, clock, workspace="one", surface=SURFACE)
    await intake.receive(Message(event_key="Ev1", message_key="C0:100.000000", address=QUESTION, turn=turn))


async def answer(connection: Connection, item: Item, clock: TurnedClock, *, waits: bool = False) -> int:
    """Show an answer and store its review, as a run does. The review is open if the run waits. Return its id."""
    await message_store.record_message(
        connection, item, kind="answer", parts=[Placed(channel=ChannelId("C0"), ts=ANSWER)], now=clock.now()
    )
    due_at = clock.now() + timedelta(hours=1)
    new = replace(review_of(PACKET, interrupt_id="interrupt" if waits else "", due_at=due_at), token="token")
    review = await ask_store.insert(connection, Review, item, new, now=clock.now())
    await claiming.finish(connection, item.id, asking=False, now=clock.now())
    return review.id


async def answered(database: Database, clock: TurnedClock, *, waits: bool = False) -> int:
    """Store a question with its answer and its review; return the review's id."""
    await received(database, clock)
    async with database.transaction("one") as connection:
        item = await claiming.claimed(connection, clock, surface=SURFACE)
        assert item
        return await answer(connection, item, clock, waits=waits)


async def stored(database: Database, review_id: int) -> Review:
    async with database.transaction("one") as connection:
        review = await ask_store.by_id(connection, Review, review_id)
    assert review
    return review


def decision(person: str = "U0BEN", **given: Any) -> Decision:
    usual = {"event_key": f"click:{person}", "token": "token", "kind": "approved", "decided_at": Ts("300.000000")}
    return Decision(**{**usual, "person": PersonId(person), **given})


def asked(person: str = "U0ADA", message_ts: str = ANSWER) -> AnswerClicked:
    address = replace(QUESTION, message_ts=Ts("250.000000"), person=PersonId(person))
    return AnswerClicked(answer=Placed(channel=ChannelId("C0"), ts=Ts(message_ts)), address=address)


def kinds(database_url: str) -> list[str]:
    """Return the kinds of the waiting items, in the order of their thread."""
    with psycopg.connect(database_url) as connection:
        rows = connection.execute("SELECT kind FROM inbox WHERE status = 'waiting' ORDER BY position").fetchall()
    return [kind for (kind,) in rows]


async def test_of_many_decisions_one_counts_and_the_others_hear_of_it(
    database: Database, database_url: str, reviews: ReviewIntake, clock: TurnedClock
) -> None:
    review_id = await answered(database, clock, waits=True)

    outcomes = await asyncio.gather(*(reviews.decide(decision(f"U{number}")) for number in range(8)))

    review = await stored(database, review_id)
    assert 1 == outcomes.count(None)
    assert 7 == outcomes.count(ReviewRefused(reason="approved", by=review.decided_by))
    assert ["decision"] == kinds(database_url)


async def test_an_edit_carries_the_reviewers_words(
    database: Database, reviews: ReviewIntake, clock: TurnedClock
) -> None:
    review_id = await answered(database, clock, waits=True)

    assert await reviews.decide(decision(kind="edited", words="It is 26 days.")) is None

    decided = (await stored(database, review_id)).review_decision
    assert decided
    assert ("edited", "It is 26 days.", "U0BEN") == (decided["kind"], decided["text"], decided["by"])


async def test_what_nobody_asked_for_and_what_is_forged_cannot_be_decided(
    database: Database, database_url: str, reviews: ReviewIntake, clock: TurnedClock
) -> None:
    await answered(database, clock)

    assert ReviewRefused(reason="unknown") == await reviews.decide(decision())
    assert ReviewRefused(reason="unknown") == await reviews.decide(decision(token="forged"))
    assert ReviewRefused(reason="unknown") == await reviews.look("forged")
    assert [] == kinds(database_url)


async def test_a_review_of_another_workspace_is_unknown(database: Database, clock: TurnedClock) -> None:
    await answered(database, clock, waits=True)
    stranger = ReviewIntake(database, clock, workspace="other", expire_after=timedelta(hours=1), for_everyone=all_are)

    assert ReviewRefused(reason="unknown") == await stranger.decide(decision())
    assert ReviewRefused(reason="unknown") == await stranger.ask_human(asked())


async def test_a_person_is_asked_about_an_answer_once(
    database: Database, database_url: str, reviews: ReviewIntake, clock: TurnedClock
) -> None:
    review_id = await answered(database, clock)

    async with database.transaction("one") as connection:
        await connection.execute("SELECT FROM asks FOR UPDATE")
        # Each of them has seen that nobody has asked yet.
        asking = [asyncio.create_task(reviews.ask_human(asked(f"U{number}"))) for number in range(8)]
        await wait_for_locks(database, 8)
    outcomes = await asyncio.gather(*asking)

    review = await stored(database, review_id)
    assert 1 == outcomes.count(None)
    assert 7 == outcomes.count(ReviewRefused(reason="open", by=review.requester))
    assert ["review"] == kinds(database_url)


async def test_nobody_is_asked_about_what_is_no_answer(reviews: ReviewIntake) -> None:
    assert ReviewRefused(reason="unknown") == await reviews.ask_human(asked(message_ts="1.000000"))


async def test_who_asks_before_the_run_is_stored_waits_for_it(
    database: Database, reviews: ReviewIntake, clock: TurnedClock
) -> None:
    await received(database, clock)
    async with claiming.living(database) as process:
        async with database.transaction("one") as connection:
            claim = await claiming.claim(connection, clock, surface=SURFACE, process=process)
        assert claim
        asking = asyncio.create_task(reviews.ask_human(asked()))
        await asyncio.sleep(0.3)
        assert not asking.done()
        async with database.transaction("one") as connection:
            await answer(connection, claim.item, clock)
            await claim_store.release(connection, claim)

        assert await asking is None


async def test_what_nobody_decides_in_time_expires_once(
    database: Database, database_url: str, reviews: ReviewIntake, clock: TurnedClock
) -> None:
    review_id = await answered(database, clock, waits=True)
    jobs = ScheduledJobs(
        database,
        clock,
        workspace="one",
        surface=SURFACE,
        retention=Retention(checkpoints=timedelta(days=1)),
    )
    await jobs.expire()
    assert [] == kinds(database_url)
    clock.turn(hours=2)

    await asyncio.gather(jobs.expire(), jobs.expire())

    assert "expired" == (await stored(database, review_id)).status
    assert ReviewRefused(reason="expired") == await reviews.decide(decision())
    assert ["decision"] == kinds(database_url)


async def test_a_decision_that_is_not_in_force_yet_goes_with_its_question(
    database: Database, reviews: ReviewIntake, clock: TurnedClock
) -> None:
    review_id = await answered(database, clock, waits=True)
    await reviews.decide(decision())
    inbox_id = (await stored(database, review_id)).inbox_id

    async with database.transaction("one") as connection:
        await ask_store.supersede_all(connection, Review, [inbox_id])

    assert (await stored(database, review_id)).review_decision is None


async def test_a_decision_that_is_in_force_stays(database: Database, reviews: ReviewIntake, clock: TurnedClock) -> None:
    review_id = await answered(database, clock, waits=True)
    await reviews.decide(decision())
    async with database.transaction("one") as connection:
        await ask_store.change(connection, review_id, was=None, concluded_at=clock.now())
        assert [] == await ask_store.supersede_reviews(connection, thread_id="T0:C0:100.000000", key="100.000000")

    assert "approved" == (await stored(database, review_id)).outcome


async def test_while_a_change_closes_a_review_a_decision_does_not_wait_for_ever(
    database: Database, reviews: ReviewIntake, clock: TurnedClock
) -> None:
    review_id = await answered(database, clock, waits=True)
    async with database.transaction("one") as connection:
        await ask_store.supersede_all(connection, Review, [(await stored(database, review_id)).inbox_id])

        assert ReviewRefused(reason="superseded") == await reviews.decide(decision())


async def many_reviews(connection: Connection) -> None:
    """Store an answer of each of five thousand threads, with its review, however it stands."""
    await connection.execute(
        """
        WITH answered AS (
            INSERT INTO inbox (surface, workspace, thread_id, position, kind, event_key, address, content, status,
                               due_at, reference, received_at)
            SELECT 'slack:T0', 'one', 'T0:C0:' || n, n, 'turn', 'Ev' || n, '{}', '{}', 'finished',
                   now(), 'R' || n, now()
            FROM generate_series(1, 5000) AS n
            RETURNING *
        )
        INSERT INTO asks (workspace, kind, token, inbox_id, thread_id, channel, interrupt_id, payload, status, asked_at,
                          due_at)
        SELECT workspace, 'review', 'token' || id, id, thread_id, 'C0', '', '{"key": "1"}',
               (ARRAY['offered', 'open', 'decided', 'expired', 'superseded'])[1 + position::integer % 5], now(), now()
        FROM answered
        """
    )


@pytest.mark.parametrize("analyze", ["", "ANALYZE inbox, asks"])
async def test_among_five_thousand_reviews_those_to_close_are_found_by_indexes(
    database: Database, database_url: str, analyze: LiteralString
) -> None:
    async with database.connection() as connection:
        await many_reviews(connection)
        with psycopg.connect(database_url) as owner:
            owner.execute(analyze)
        for_items, for_message = Explained(connection), Explained(connection)

        await ask_store.supersede_all(cast("Connection", for_items), Review, [1, 2])
        await ask_store.supersede_reviews(cast("Connection", for_message), thread_id="T0:C0:2", key="1")

    assert "Seq Scan" not in for_items.plan
    assert "asks_by_item" in for_items.plan
    assert "Seq Scan" not in for_message.plan
    assert "asks_under_review" in for_message.plan
    assert "asks_to_conclude" in for_message.plan


@pytest.mark.parametrize("status", ["offered", "open", "decided", "expired"])
async def test_a_new_answer_closes_the_reviews_of_earlier_ones_to_the_same_message(
    database: Database, clock: TurnedClock, status: AskStatus
) -> None:
    review_id = await answered(database, clock)
    async with database.transaction("one") as connection:
        await ask_store.change(connection, review_id, was=None, status=status)
        assert [] == await ask_store.supersede_reviews(connection, thread_id="T0:C0:100.000000", key="1")
        (closed,) = await ask_store.supersede_reviews(connection, thread_id="T0:C0:100.000000", key="100.000000")

    assert (review_id, status) == (closed.id, closed.status)
    assert "superseded" == (await stored(database, review_id)).status


async def test_an_answer_that_replaces_no_other_looks_for_no_reviews(database: Database, clock: TurnedClock) -> None:
    await received(database, clock)
    async with database.transaction("one") as connection:
        item = await claiming.claimed(connection, clock, surface=SURFACE)
        assert item
        watched = Watched(connection)

        await Reviews(cast("Work", SimpleNamespace(connection=watched))).close_earlier(item)

    assert [] == watched.statements
