"""What one person writes while the bot is busy in the thread is answered together, once."""

import asyncio
import json

import pytest

from tests.journeys.holding import held_back, until_held_back
from tests.journeys.test_changes import HAMBURG, HOTEL, MANY, PORTO, acknowledged, delete, edit, slow_bot
from tests.journeys.town import ADA, BEN, PATIENCE, SUPPORT, Town, labels_of, text_of
from tests.models.groq_server import GroqServer

COMPARED = (PORTO, HAMBURG, "Please compare.")
NIGHTS = (HOTEL, "What may a night in a hotel cost?", "How much may a night in a hotel cost, please?")


async def three_behind_a_run(town: Town, *texts: str) -> tuple[str, list[str]]:
    """Ask, and while that runs write three more messages; return the root and theirs."""
    async with held_back(town):
        root = await town.ask(HOTEL)
        await until_held_back(town)
        quick = [await town.say(text, root) for text in texts or COMPARED]
        await acknowledged(town)
    return root, quick


async def second_is_written(town: Town, groq: GroqServer) -> None:
    """Wait until the model writes the second answer."""

    def written() -> bool:
        return 2 == len([request for request in groq.requests if "response_format" not in request])

    await town.playground.until(written)


async def test_three_messages_behind_a_long_run_are_answered_once_and_all_count(town: Town) -> None:
    async with slow_bot(town) as groq:
        root = await town.ask(HOTEL)
        await town.playground.until(lambda: [one for one in town.said(root) if "145" in str(one)])
        for text in ("And in Porto?", "And in Hamburg?", "And per week?"):
            await town.say(text, root)
        await town.answers(root, 2)
        await town.settled()

    assert 2 == len(town.said(root))
    assert "And in Porto?\\nAnd in Hamburg?\\nAnd per week?" in json.dumps(
        [request["messages"] for request in groq.requests]
    )


async def test_messages_of_two_people_are_answered_apart(town: Town) -> None:
    async with town.bot():
        async with held_back(town):
            root = await town.ask(HOTEL)
            await until_held_back(town)
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


async def test_a_part_that_was_emptied_is_part_of_the_answer_again_when_it_is_edited_again(town: Town) -> None:
    async with town.bot():
        root, (_, hamburg, _) = await three_behind_a_run(town)
        await town.answers(root, 2)
        await edit(town, hamburg, "", mention=False)
        await town.settled()
        _, second = town.said(root)
        assert "Hamburg" not in text_of(second)

        await edit(town, hamburg, HAMBURG, mention=False)
        await town.settled()

    _, second = town.said(root)
    assert "Hamburg" in text_of(second)


@pytest.mark.parametrize("change", ["edit", "deletion"])
async def test_a_part_that_is_changed_while_the_burst_is_answered_ends_that_answer(town: Town, change: str) -> None:
    async with slow_bot(town, quick=1, sentences=MANY) as groq:
        root, (_, second, _) = await three_behind_a_run(town, *NIGHTS)
        await second_is_written(town, groq)

        if change == "edit":
            await edit(town, second, "Is it more in Porto?", mention=False)
        else:
            await delete(town, second)

        await asyncio.wait_for(groq.gone.wait(), PATIENCE)
        await town.answers(root, 2)
        await town.settled()

    asked = json.dumps([request["messages"] for request in groq.requests[-3:]])
    assert 2 == len(town.said(root))
    assert ("Is it more in Porto?" in asked, NIGHTS[1] in asked) == (change == "edit", False)


async def test_a_stop_of_one_part_ends_the_one_answer_and_the_thread_goes_on(town: Town) -> None:
    async with slow_bot(town, quick=1, sentences=MANY) as groq:
        root, (_, second, _) = await three_behind_a_run(town, *NIGHTS)
        await town.playground.until(lambda: "145 EUR" in str(town.said(root)[1:]))

        await town.playground.person(ADA).react(SUPPORT, second, "octagonal_sign")

        await asyncio.wait_for(groq.gone.wait(), PATIENCE)
        await town.playground.until(lambda: "Stopped by" in str(town.said(root)))
        await town.settled()
        assert 2 == len(town.said(root))
        await town.say(HOTEL, root)
        await town.answers(root, 3)
        await town.settled()

    _, stopped, answer = town.said(root)
    assert f"Stopped by <@{ADA}>." in text_of(stopped)
    assert ["Answer after all"] == labels_of(stopped)
    assert "145 EUR" in text_of(answer)
    # The three are what the follow-up follows.
    assert NIGHTS[1] in json.dumps(groq.requests[-3]["messages"])


async def test_what_is_left_of_a_stopped_burst_is_not_answered_where_a_part_of_it_is_deleted(town: Town) -> None:
    async with slow_bot(town, quick=1, sentences=MANY) as groq:
        root, (_, second, _) = await three_behind_a_run(town, *NIGHTS)
        await town.playground.until(lambda: "145 EUR" in str(town.said(root)[1:]))
        await town.playground.person(ADA).react(SUPPORT, second, "octagonal_sign")
        await asyncio.wait_for(groq.gone.wait(), PATIENCE)
        await town.playground.until(lambda: "Stopped by" in str(town.said(root)))
        await town.settled()

        await delete(town, second)
        await town.settled()

    _, stopped = town.said(root)
    assert f"Stopped by <@{ADA}>." in text_of(stopped)
    assert ["Answer after all"] == labels_of(stopped)


async def test_where_the_first_of_a_burst_is_deleted_the_others_are_answered(town: Town) -> None:
    async with town.bot():
        root, (porto, _, _) = await three_behind_a_run(town)
        await town.answers(root, 2)
        await town.settled()

        await delete(town, porto)
        await town.settled()

    _, second = town.said(root)
    assert "30" in text_of(second)
