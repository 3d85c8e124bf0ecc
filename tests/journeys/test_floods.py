"""One person asks more than the bot holds: what it takes it answers, and what it does not it says, once, in private."""

import asyncio

from tests.journeys.holding import held_back, until_held_back
from tests.journeys.town import ADA, BEN, PATIENCE, SUPPORT, Town, is_answer, text_of

HOTEL = "What is the limit for a hotel night?"


async def taken_in(town: Town) -> None:
    """Wait until all that happened so far is taken in, or refused."""
    await town.playground.until(lambda: all(one.settled for one in town.playground.deliveries()), timeout=PATIENCE)


async def test_of_thirty_questions_three_are_answered_and_the_rest_is_refused_in_one_whisper(town: Town) -> None:
    async with town.bot(most_waiting_per_person=3):
        async with held_back(town):
            roots = [await town.ask(HOTEL) for _ in range(3)]
            await taken_in(town)
            await until_held_back(town)
            refused = await asyncio.gather(*(town.ask(HOTEL) for _ in range(27)))
            others = await town.ask(HOTEL, person=BEN)
            await taken_in(town)
        await town.whisper(ADA, "You have 3 questions waiting")
        await town.answers(others)
        await town.settled()

    assert roots == [root for root in (*roots, *refused) if town.said(root)]
    assert all(is_answer(one) for root in roots for one in town.said(root))
    # One a minute, and a minute may have ended meanwhile.
    assert 1 <= len(town.playground.person(ADA).ephemerals()) <= 2
    assert [] == town.playground.person(BEN).ephemerals()


async def test_where_slack_takes_no_whisper_it_is_said_in_the_thread(town: Town) -> None:
    town.playground.faults.fail("chat.postEphemeral", "user_not_in_channel", times=9)
    async with town.bot(most_waiting_per_person=1):
        async with held_back(town):
            await town.ask(HOTEL)
            await until_held_back(town)
            root = await town.ask(HOTEL)
            await taken_in(town)
        await town.playground.until(lambda: town.said(root), timeout=60)

    (notice,) = town.said(root)
    assert "You have 1 question waiting" in text_of(notice)
    assert [] == [one for one in town.playground.messages(SUPPORT) if "questions waiting" in one.get("text", "")]
