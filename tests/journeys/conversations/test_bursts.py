"""Messages that one person writes during a run in the thread are answered together, once."""

import asyncio
import json

import pytest

from tests.journeys.changes.test_changes import HAMBURG, HOTEL, MANY, PORTO, acknowledged, delete, edit, slow_bot
from tests.journeys.harness import ADA, BEN, PATIENCE, SUPPORT, Harness, labels_of, text_of
from tests.journeys.holding import held_back, slow_writer, until_held_back
from tests.models.groq_server import GroqServer

COMPARED = (PORTO, HAMBURG, "Please compare.")
NIGHTS = (HOTEL, "What may a night in a hotel cost?", "How much may a night in a hotel cost, please?")


async def three_behind_a_run(harness: Harness, *texts: str) -> tuple[str, list[str]]:
    """Ask, and write three more messages during the run; return the root and the three."""
    async with held_back(harness):
        root = await harness.ask(HOTEL)
        await until_held_back(harness)
        quick = [await harness.say(text, root) for text in texts or COMPARED]
        await acknowledged(harness)
    return root, quick


async def second_is_written(harness: Harness, groq: GroqServer) -> None:
    """Wait until the model writes the second answer."""

    def written() -> bool:
        return 2 == len([request for request in groq.requests if "response_format" not in request])

    await harness.playground.until(written)


async def test_three_messages_behind_a_long_run_are_answered_once_and_all_count(harness: Harness) -> None:
    hurries = asyncio.Event()
    async with (
        GroqServer.serve(slow_writer(HOTEL, hurries)) as groq,
        harness.bot(groq_api_key="gsk_local", groq_base_url=groq.url),
    ):
        root = await harness.ask(HOTEL)
        await harness.playground.until(lambda: [one for one in harness.said(root) if "145" in text_of(one)])
        for text in ("And in Porto?", "And in Hamburg?", "And per week?"):
            await harness.say(text, root)
        await acknowledged(harness)
        hurries.set()
        await harness.answers(root, 2)
        await harness.settled()

    assert 2 == len(harness.said(root))
    assert "And in Porto?\\nAnd in Hamburg?\\nAnd per week?" in json.dumps(
        [request["messages"] for request in groq.requests]
    )


async def test_messages_of_two_people_are_answered_apart(harness: Harness) -> None:
    async with harness.bot():
        async with held_back(harness):
            root = await harness.ask(HOTEL)
            await until_held_back(harness)
            await harness.ask(PORTO, root=root)
            await harness.ask(HAMBURG, root=root, person=BEN)
            await acknowledged(harness)
        answers = await harness.answers(root, 3)
        await harness.settled()

    assert 3 == len(answers)


async def test_a_part_of_a_burst_that_is_edited_changes_the_one_answer(harness: Harness) -> None:
    async with harness.bot():
        root, (_, hamburg, _) = await three_behind_a_run(harness)
        await harness.answers(root, 2)
        await harness.settled()

        await edit(harness, hamburg, "How many vacation days do people in Porto have?", mention=False)
        await harness.settled()

    _, second = harness.said(root)
    assert "30 days" not in text_of(second)
    assert "25" in text_of(second)


async def test_a_part_that_was_emptied_is_part_of_the_answer_again_when_it_is_edited_again(harness: Harness) -> None:
    async with harness.bot():
        root, (_, hamburg, _) = await three_behind_a_run(harness)
        await harness.answers(root, 2)
        await edit(harness, hamburg, "", mention=False)
        await harness.settled()
        _, second = harness.said(root)
        assert "Hamburg" not in text_of(second)

        await edit(harness, hamburg, HAMBURG, mention=False)
        await harness.settled()

    _, second = harness.said(root)
    assert "Hamburg" in text_of(second)


@pytest.mark.parametrize("change", ["edit", "deletion"])
async def test_a_part_that_is_changed_while_the_burst_is_answered_ends_that_answer(
    harness: Harness, change: str
) -> None:
    async with slow_bot(harness, quick=1, sentences=MANY) as groq:
        root, (_, second, _) = await three_behind_a_run(harness, *NIGHTS)
        await second_is_written(harness, groq)

        if change == "edit":
            await edit(harness, second, "Is it more in Porto?", mention=False)
        else:
            await delete(harness, second)

        await asyncio.wait_for(groq.gone.wait(), PATIENCE)
        await harness.answers(root, 2)
        await harness.settled()

    asked = json.dumps([request["messages"] for request in groq.requests[-3:]])
    assert 2 == len(harness.said(root))
    assert ("Is it more in Porto?" in asked, NIGHTS[1] in asked) == (change == "edit", False)


async def test_a_stop_of_one_part_ends_the_one_answer_and_the_thread_goes_on(harness: Harness) -> None:
    async with slow_bot(harness, quick=1, sentences=MANY) as groq:
        root, (_, second, _) = await three_behind_a_run(harness, *NIGHTS)
        await harness.playground.until(lambda: "145 EUR" in str(harness.said(root)[1:]))

        await harness.playground.person(ADA).react(SUPPORT, second, "octagonal_sign")

        await asyncio.wait_for(groq.gone.wait(), PATIENCE)
        await harness.playground.until(lambda: "Stopped by" in str(harness.said(root)))
        await harness.settled()
        assert 2 == len(harness.said(root))
        await harness.say(HOTEL, root)
        await harness.answers(root, 3)
        await harness.settled()

    _, stopped, answer = harness.said(root)
    assert f"Stopped by <@{ADA}>." in text_of(stopped)
    assert ["Answer after all"] == labels_of(stopped)
    assert "145 EUR" in text_of(answer)
    # The follow-up refers to the three messages.
    assert NIGHTS[1] in json.dumps(groq.requests[-3]["messages"])


async def test_what_is_left_of_a_stopped_burst_is_not_answered_where_a_part_of_it_is_deleted(harness: Harness) -> None:
    async with slow_bot(harness, quick=1, sentences=MANY) as groq:
        root, (_, second, _) = await three_behind_a_run(harness, *NIGHTS)
        await harness.playground.until(lambda: "145 EUR" in str(harness.said(root)[1:]))
        await harness.playground.person(ADA).react(SUPPORT, second, "octagonal_sign")
        await asyncio.wait_for(groq.gone.wait(), PATIENCE)
        await harness.playground.until(lambda: "Stopped by" in str(harness.said(root)))
        await harness.settled()

        await delete(harness, second)
        await harness.settled()

    _, stopped = harness.said(root)
    assert f"Stopped by <@{ADA}>." in text_of(stopped)
    assert ["Answer after all"] == labels_of(stopped)


async def test_where_the_first_of_a_burst_is_deleted_the_others_are_answered(harness: Harness) -> None:
    async with harness.bot():
        root, (porto, _, _) = await three_behind_a_run(harness)
        await harness.answers(root, 2)
        await harness.settled()

        await delete(harness, porto)
        await harness.settled()

    _, second = harness.said(root)
    assert "30" in text_of(second)
