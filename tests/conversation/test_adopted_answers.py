"""A changed choice takes the earlier answer over, while its claim holds, and nothing else counts for that answer."""

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import cast

import pytest

from bot.conversation import message_store
from bot.conversation.address import ChannelId, Placed, Ts
from bot.conversation.asks import ask_store
from bot.conversation.asks.review import Review, ReviewRefused, review_of
from bot.conversation.asks.review_intake import ReviewIntake
from bot.conversation.inputs import AnswerClicked, Click
from bot.conversation.intake import Intake
from bot.conversation.items import ClaimedItem
from bot.conversation.work import Engine, Work
from bot.errors import ClaimLostError
from bot.postgres.checkpoints import KeptCheckpoints
from bot.postgres.pool import Connection, Database
from graph.turn import Choice
from tests.conversation import claiming
from tests.conversation.test_intake import ADA, ask, click
from tests.conversation.test_reviews import PACKET
from tests.support.fakes import TurnedClock, all_are

ANSWER = Placed(channel=ChannelId("C0"), ts=Ts("300.1"))
OTHERWISE = Choice(kind="option", value="b", label="Pine")


async def claimed(database: Database, clock: TurnedClock) -> ClaimedItem:
    async with database.transaction("one") as connection:
        claim = await claiming.claim(connection, clock)
    assert claim
    return claim


@pytest.fixture
async def revision(database: Database, intake: Intake, clock: TurnedClock) -> ClaimedItem:
    """A claimed changed choice: the first one was answered, and the answer has an offer to ask a human."""
    await ask(database, intake, clock)
    assert await intake.choose(click()) is None
    reply = (await claimed(database, clock)).item
    async with database.transaction("one") as connection:
        await message_store.record_message(connection, reply, kind="answer", parts=[ANSWER], now=clock.now())
        new = review_of(PACKET, interrupt_id="", due_at=clock.now() + timedelta(hours=1))
        await ask_store.insert(connection, Review, reply, new, now=clock.now())
        await claiming.finish(connection, reply.id, now=clock.now())
    changed: Click = replace(click(), event_key="changed", choice=OTHERWISE, clicked_at=Ts("400.000000"), revision=0)
    assert await intake.choose(changed) is None
    claim = await claimed(database, clock)
    assert "revision" == claim.item.kind
    return claim


def working(database: Database, connection: Connection, claim: ClaimedItem) -> Work:
    engine = cast("Engine", SimpleNamespace(database=database))
    return Work(claim=claim, connection=connection, engine=engine, saver=KeptCheckpoints(database))


async def test_while_its_claim_holds_a_changed_choice_takes_the_answer_over(
    database: Database, revision: ClaimedItem
) -> None:
    async with database.transaction("one") as connection:
        posted = await working(database, connection, revision).posted(revision.item)

        assert {"answer": (ANSWER,)} == posted == await message_store.messages_of(connection, revision.item.id)


async def test_a_run_whose_claim_another_process_has_taken_over_takes_no_answer_over(
    database: Database, clock: TurnedClock, revision: ClaimedItem
) -> None:
    later = await claimed(database, clock)
    assert (revision.item.id, True) == (later.item.id, later.is_takeover)
    async with database.transaction("one") as connection:
        with pytest.raises(ClaimLostError):
            await working(database, connection, revision).posted(revision.item)

        assert {} == await message_store.messages_of(connection, revision.item.id)


async def test_who_asks_a_human_about_an_answer_that_is_being_replaced_is_told_so(
    database: Database, clock: TurnedClock, revision: ClaimedItem
) -> None:
    reviews = ReviewIntake(database, clock, workspace="one", expire_after=timedelta(hours=1), for_everyone=all_are)
    address = replace(revision.item.address, message_ts=Ts("500.000000"), person=ADA)
    asked = AnswerClicked(answer=ANSWER, address=address)
    assert ReviewRefused(reason="superseded") == await reviews.ask_human(asked)
    async with database.transaction("one") as connection:
        await working(database, connection, revision).posted(revision.item)

    assert ReviewRefused(reason="superseded") == await reviews.ask_human(asked)
    nowhere = replace(asked, answer=replace(ANSWER, ts=Ts("1.1")))
    assert ReviewRefused(reason="unknown") == await reviews.ask_human(nowhere)
