"""What one person writes while the bot is busy in the thread is answered together, once."""

import json

from tests.journeys.holding import held_back, waits_for_its_turn
from tests.journeys.test_changes import HAMBURG, HOTEL, PORTO, acknowledged, delete, edit, slow_bot
from tests.journeys.town import BEN, Town, text_of, until


async def three_behind_a_run(town: Town) -> tuple[str, list[str]]:
    """Ask, and while that runs write three more messages; return the root and theirs."""
    async with held_back(town):
        root = await town.ask(HOTEL)
        await until(lambda: waits_for_its_turn(town))
        quick = [await town.say(text, root) for text in (PORTO, HAMBURG, "Please compare.")]
        await acknowledged(town)
    return root, quick


async def test_three_messages_behind_a_long_run_are_answered_once_and_all_count(town: Town) -> None:
    async with slow_bot(town) as groq:
        root = await town.ask(HOTEL)
        await town.playground.until(lambda: [one for one in town.said(root) if "145" in str(one)])
        for text in ("And in Porto?", "And in Hamburg?", "And per week?"):
            await town.say(text, root)
        await town.answers(root, 2)
        await town.settled()

    assert 2 == len(town.said(root))
    assert "And in Porto?\\nAnd in Hamburg?\\nAnd per week?" in json.dumps(groq.requests[-1]["messages"])


async def test_messages_of_two_people_are_answered_apart(town: Town) -> None:
    async with town.bot():
        async with held_back(town):
            root = await town.ask(HOTEL)
            await until(lambda: waits_for_its_turn(town))
            await town.ask(PORTO, root=root)
            await town.ask(HAMBURG, root=root, person=BEN)
            await acknowledged(town)
        answers = await town.answers(root, 3)
        await town.settled()

    assert 3 == len(answers)


async def test_a_part_of_a_burst_that_is_edited_changes_the_one_answer(town: Town) -> None:
    async with town.bot():
        root, (_, hamburg, _) = await three_behind_a_run(town)
        await town.answers(root, 2)
        await town.settled()

        await edit(town, hamburg, "How many vacation days do people in Porto have?", mention=False)
        await town.settled()

    _, second = town.said(root)
    assert "30 days" not in text_of(second)
    assert "25" in text_of(second)


async def test_where_the_first_of_a_burst_is_deleted_the_others_are_answered(town: Town) -> None:
    async with town.bot():
        root, (porto, _, _) = await three_behind_a_run(town)
        await town.answers(root, 2)
        await town.settled()

        await delete(town, porto)
        await town.settled()

    _, second = town.said(root)
    assert "30" in text_of(second)
