"""One person asks more than the bot holds: what it takes it answers, and what it does not it says, once, in private."""

from tests.journeys.holding import held_back, waits_for_its_turn
from tests.journeys.town import ADA, BEN, SUPPORT, Town, is_answer, text_of, until

HOTEL = "What is the limit for a hotel night?"


async def test_of_thirty_questions_three_are_answered_and_the_rest_is_refused_in_one_whisper(town: Town) -> None:
    async with town.bot(most_waiting_per_person=3):
        async with held_back(town):
            roots = [await town.ask(HOTEL) for _ in range(30)]
            await until(lambda: waits_for_its_turn(town))
            others = await town.ask(HOTEL, person=BEN)
            await town.playground.until(lambda: all(one.settled for one in town.playground.deliveries()), timeout=60)
        await town.whisper(ADA, "You have 3 questions waiting")
        await town.answers(others)
        await town.settled()

    answered = [root for root in roots if town.said(root)]
    # Not the first three: what is written in the same moment comes through several sockets at once.
    assert 3 == len(answered)
    assert all(is_answer(one) for root in answered for one in town.said(root))
    assert 1 == len(town.playground.person(ADA).ephemerals())
    assert [] == town.playground.person(BEN).ephemerals()


async def test_where_slack_takes_no_whisper_it_is_said_in_the_thread(town: Town) -> None:
    town.playground.faults.fail("chat.postEphemeral", "user_not_in_channel", times=9)
    async with town.bot(most_waiting_per_person=1):
        async with held_back(town):
            await town.ask(HOTEL)
            await until(lambda: waits_for_its_turn(town))
            root = await town.ask(HOTEL)
            await town.playground.until(lambda: all(one.settled for one in town.playground.deliveries()), timeout=60)
        await town.playground.until(lambda: town.said(root), timeout=60)

    (notice,) = town.said(root)
    assert "You have 1 question waiting" in text_of(notice)
    assert [] == [one for one in town.playground.messages(SUPPORT) if "questions waiting" in one.get("text", "")]
