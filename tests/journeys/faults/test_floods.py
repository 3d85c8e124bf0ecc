"""If one person asks too much, the bot answers what it takes, and refuses the rest once, in private."""

import asyncio

from tests.journeys.harness import ADA, BEN, PATIENCE, SUPPORT, Harness, is_answer, text_of
from tests.journeys.holding import held_back, until_held_back

HOTEL = "What is the limit for a hotel night?"


async def taken_in(harness: Harness) -> None:
    """Wait until every delivery so far is stored or refused."""
    await harness.playground.until(
        lambda: all(one.settled for one in harness.playground.deliveries()), timeout=PATIENCE
    )


async def test_of_thirty_questions_three_are_answered_and_the_rest_is_refused_in_one_ephemeral_message(
    harness: Harness,
) -> None:
    async with harness.bot(most_waiting_per_person=3):
        async with held_back(harness):
            roots = [await harness.ask(HOTEL) for _ in range(3)]
            await taken_in(harness)
            await until_held_back(harness)
            refused = await asyncio.gather(*(harness.ask(HOTEL) for _ in range(27)))
            others = await harness.ask(HOTEL, person=BEN)
            await taken_in(harness)
        await harness.ephemeral(ADA, "You have 3 questions waiting")
        await harness.answers(others)
        await harness.settled()

    assert roots == [root for root in (*roots, *refused) if harness.said(root)]
    assert all(is_answer(one) for root in roots for one in harness.said(root))
    # One notice a minute, and a minute may have ended meanwhile.
    assert 1 <= len(harness.playground.person(ADA).ephemerals()) <= 2
    assert [] == harness.playground.person(BEN).ephemerals()


async def test_where_slack_takes_no_ephemeral_message_it_is_said_in_the_thread(harness: Harness) -> None:
    harness.playground.faults.fail("chat.postEphemeral", "user_not_in_channel", times=9)
    async with harness.bot(most_waiting_per_person=1):
        async with held_back(harness):
            await harness.ask(HOTEL)
            await until_held_back(harness)
            root = await harness.ask(HOTEL)
            await taken_in(harness)
        await harness.playground.until(lambda: harness.said(root))

    (notice,) = harness.said(root)
    assert "You have 1 question waiting" in text_of(notice)
    assert [] == [one for one in harness.playground.messages(SUPPORT) if "questions waiting" in one.get("text", "")]
