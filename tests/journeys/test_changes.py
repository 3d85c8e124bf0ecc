"""People edit and delete what they asked: the answer follows, once, whatever the bot is doing at that moment."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest

from tests.journeys.holding import held_back, understood, unrecorded, until_held_back, valid
from tests.journeys.town import ADA, BEN, PATIENCE, SUPPORT, Town, is_answer, is_open_card, labels_of, text_of
from tests.models.groq_server import GroqServer, Reply, Says
from tests.models.obliging import oblige, reading

AMBIGUOUS = "How many vacation days do I have?"
HOTEL = "What is the limit for a hotel night?"
PORTO = "How many vacation days do people in Porto get?"
HAMBURG = "How many vacation days do people in Hamburg get?"
MANY = 50
"""Sentences that take a minute, where the first of them is enough."""


@pytest.fixture
async def bot(town: Town):  # noqa: ANN201
    """The bot, in this process."""
    async with town.bot():
        yield


async def edit(town: Town, ts: str, text: str, *, mention: bool = True) -> None:
    """Let Ada edit her message."""
    said = f"<@{town.playground.bot_user_id}> {text}" if mention else text
    await town.playground.person(ADA).edit(SUPPORT, ts, said)


async def delete(town: Town, ts: str) -> None:
    """Let Ada delete her message."""
    await town.playground.person(ADA).delete(SUPPORT, ts)


async def answer_holding(town: Town, root: str, text: str) -> dict[str, Any]:
    """Wait for a finished answer that holds a text."""

    def there() -> list[dict[str, Any]]:
        return [one for one in town.said(root) if is_answer(one) and text in text_of(one)]

    return (await town.playground.until(there, timeout=PATIENCE))[0]


async def acknowledged(town: Town) -> None:
    """Wait until all that happened so far is stored."""
    await town.playground.until(lambda: all(one.settled for one in town.playground.deliveries()))


async def nothing_said(town: Town, root: str) -> None:
    """Wait until nothing of the bot is left in a thread."""
    await town.playground.until(lambda: not town.said(root), timeout=PATIENCE)


@asynccontextmanager
async def slow_bot(town: Town, *, quick: int = 0, answers: int = 1, sentences: int = 3) -> AsyncGenerator[GroqServer]:
    """Run the bot with a model that takes its time over some answers, and is quick with what comes before and after.

    Where a slow answer is to be ended in the middle, it has more sentences than anybody waits for.
    """
    pauses = iter([0.0] * quick + [0.3] * answers)

    def script(request: dict[str, Any]) -> Reply:
        if "response_format" in request:
            return understood(HOTEL) if "route" in str(request["response_format"]) else valid()
        pause = next(pauses, 0.0)
        return Says("The limit for a hotel night is 145 EUR [1]. " * (sentences if pause else 3), pause_seconds=pause)

    async with GroqServer.serve(script) as groq, town.bot(groq_api_key="gsk_local", groq_base_url=groq.url):
        yield groq


@pytest.mark.usefixtures("bot")
async def test_an_edited_question_is_answered_anew_in_the_same_message(town: Town) -> None:
    root = await town.ask(HAMBURG)
    (before,) = await town.answers(root)

    await edit(town, root, PORTO)

    after = await answer_holding(town, root, "25")
    await town.settled()
    assert before["ts"] == after["ts"]
    assert 1 == len(town.said(root))


@pytest.mark.usefixtures("bot")
async def test_an_edit_that_leaves_the_text_as_it_was_does_nothing(town: Town) -> None:
    root = await town.ask(PORTO)
    await town.answers(root)
    await town.settled()
    posts = len(town.playground.calls())

    await edit(town, root, PORTO)
    await town.settled()

    assert posts == len(town.playground.calls())


@pytest.mark.usefixtures("bot")
async def test_follow_ups_know_the_new_question_and_not_the_old_one(town: Town) -> None:
    root = await town.ask(HOTEL)
    await town.answers(root)
    await edit(town, root, PORTO)
    await answer_holding(town, root, "25")

    await town.say("And in Hamburg?", root)

    answers = await town.answers(root, 2)
    assert "30" in text_of(answers[-1])


async def test_a_question_that_is_edited_while_it_waits_is_answered_as_it_reads_then(town: Town) -> None:
    async with town.bot():
        async with held_back(town):
            root = await town.ask(HOTEL)
            await until_held_back(town)
            follow_up = await town.ask(HAMBURG, root=root)
            await edit(town, follow_up, PORTO)
            await acknowledged(town)
        await town.answers(root, 2)
        await town.settled()

    (_, answer) = town.said(root)
    assert "25" in text_of(answer)
    assert not [one for one in town.playground.calls() if "Hamburg get?" in str(one.arguments)]


async def test_a_question_that_is_edited_while_it_is_answered_is_begun_again(town: Town) -> None:
    async with slow_bot(town, sentences=MANY) as groq:
        root = await town.ask(HOTEL)
        await town.playground.until(lambda: [one for one in town.said(root) if "145" in str(one)])

        await edit(town, root, "How much may a night in a hotel cost?")

        await asyncio.wait_for(groq.gone.wait(), PATIENCE)
        await town.answers(root)
        await town.settled()

    assert 1 == len(town.said(root))
    assert "How much may a night" in str([request["messages"] for request in groq.requests[-3:]])


@pytest.mark.usefixtures("bot")
async def test_the_card_of_an_edited_question_says_so_and_the_new_text_is_answered(town: Town) -> None:
    root = await town.ask(AMBIGUOUS)
    card = await town.card(root)

    await edit(town, root, HOTEL)

    await answer_holding(town, root, "145 EUR")
    await town.settled()
    settled = next(one for one in town.said(root) if one["ts"] == card["ts"])
    assert "The question was edited." in text_of(settled)
    assert [] == labels_of(settled)


@pytest.mark.usefixtures("bot")
async def test_an_edit_after_the_choice_leaves_one_answer_to_the_new_text(town: Town) -> None:
    root = await town.ask(AMBIGUOUS)
    await town.click(root, "Porto")
    (before,) = await town.answers(root)

    await edit(town, root, HOTEL)

    after = await answer_holding(town, root, "145 EUR")
    await town.settled()
    assert before["ts"] == after["ts"]
    assert 1 == len(town.said(root))


@pytest.mark.usefixtures("bot")
async def test_an_answered_question_that_is_edited_into_an_ambiguous_one_is_asked_back_in_place(town: Town) -> None:
    root = await town.ask(HOTEL)
    (answer,) = await town.answers(root)

    await edit(town, root, AMBIGUOUS)

    card = await town.card(root)
    assert answer["ts"] == card["ts"]
    await town.click(root, "Porto")
    await answer_holding(town, root, "25")


@pytest.mark.usefixtures("bot")
async def test_a_question_that_is_edited_and_edited_back_is_asked_on_its_card_and_leaves_no_answer(town: Town) -> None:
    root = await town.ask(AMBIGUOUS)
    card = await town.card(root)
    await edit(town, root, HOTEL)
    await answer_holding(town, root, "145 EUR")
    await town.settled()

    await edit(town, root, AMBIGUOUS)

    await town.card(root)
    await town.settled()
    assert [card["ts"]] == [one["ts"] for one in town.said(root)]
    with psycopg.connect(town.database_url) as connection:
        assert [("card", card["ts"])] == connection.execute("SELECT kind, ts FROM messages").fetchall()
    await town.click(root, "Porto")
    await answer_holding(town, root, "25")
    await town.settled()
    assert 2 == len(town.said(root))


@pytest.mark.usefixtures("bot")
async def test_an_edited_reply_to_the_card_is_taken_instead_of_the_first(town: Town) -> None:
    root = await town.ask(AMBIGUOUS)
    await town.card(root)
    reply = await town.say("the Hamburg one", root)
    (before,) = await town.answers(root)

    await edit(town, reply, "the Porto one", mention=False)

    after = await answer_holding(town, root, "25")
    await town.settled()
    assert before["ts"] == after["ts"]
    assert 2 == len(town.said(root))


@pytest.mark.usefixtures("bot")
async def test_a_mention_that_is_added_later_is_answered(town: Town) -> None:
    root = await town.playground.person(ADA).post(SUPPORT, PORTO)
    await town.settled()

    await edit(town, root, PORTO)

    await answer_holding(town, root, "25")


@pytest.mark.usefixtures("bot")
async def test_what_people_said_before_the_bot_was_called_in_may_be_edited_without_an_answer(town: Town) -> None:
    ada = town.playground.person(ADA)
    root = await ada.post(SUPPORT, "How many vacation days do people in Porto get?")
    await town.ask("and in Hamburg?", root=root)
    await town.answers(root)

    await ada.edit(SUPPORT, root, "How many vacation days do people in Porto have?")
    await town.settled()

    assert 1 == len(town.said(root))


@pytest.mark.usefixtures("bot")
async def test_a_deleted_question_takes_its_answer_along(town: Town) -> None:
    root = await town.ask(HOTEL)
    follow_up = await town.ask(PORTO, root=root)
    await town.answers(root, 2)

    await delete(town, follow_up)

    await town.playground.until(lambda: 1 == len(town.said(root)))
    await town.settled()
    assert "145 EUR" in text_of(town.said(root)[0])


@pytest.mark.usefixtures("bot")
async def test_a_deleted_question_leaves_the_memory(town: Town) -> None:
    root = await town.ask(PORTO)
    await town.answers(root)
    second = await town.ask(HOTEL, root=root)
    await town.answers(root, 2)
    await delete(town, second)
    await town.playground.until(lambda: 1 == len(town.said(root)))

    await town.say("And in Hamburg?", root)

    answers = await town.answers(root, 2)
    assert "30" in text_of(answers[-1])


@pytest.mark.usefixtures("bot")
async def test_a_deleted_question_takes_its_card_along_and_waits_for_nobody(town: Town) -> None:
    root = await town.ask(AMBIGUOUS)
    await town.card(root)

    await delete(town, root)

    await nothing_said(town, root)
    await town.settled()
    with psycopg.connect(town.database_url) as connection:
        assert [("superseded",)] == connection.execute("SELECT status FROM asks").fetchall()


@pytest.mark.usefixtures("bot")
async def test_a_question_that_is_deleted_after_the_choice_takes_card_and_answer_along(town: Town) -> None:
    root = await town.ask(AMBIGUOUS)
    await town.click(root, "Porto")
    await town.answers(root)

    await delete(town, root)

    await nothing_said(town, root)


async def test_a_question_that_is_deleted_while_it_waits_is_dropped(town: Town) -> None:
    async with town.bot():
        async with held_back(town):
            root = await town.ask(HOTEL)
            await until_held_back(town)
            follow_up = await town.ask(HAMBURG, root=root)
            await delete(town, follow_up)
            await acknowledged(town)
        await town.answers(root)
        await town.settled()

    assert 1 == len(town.said(root))
    assert [] == town.playground.calls("chat.delete")


async def test_a_question_that_is_deleted_while_it_is_answered_is_cancelled(town: Town) -> None:
    async with slow_bot(town, sentences=MANY) as groq:
        root = await town.ask(HOTEL)
        await town.playground.until(lambda: [one for one in town.said(root) if "145" in str(one)])

        await delete(town, root)

        await asyncio.wait_for(groq.gone.wait(), PATIENCE)
        await nothing_said(town, root)
        await town.settled()

    assert "" == town.playground.status(SUPPORT, root)


async def test_killed_before_a_deletion_comes_into_force_another_removes_the_answer(town: Town) -> None:
    async with town.bot_process() as process:
        root = await town.ask(HOTEL)
        await town.answers(root)
        await town.settled()
        async with held_back(town):
            await delete(town, root)
            await until_held_back(town)
            await process.kill()
        assert 1 == len(town.said(root))
    async with town.bot():
        await nothing_said(town, root)
        await town.settled()


async def test_killed_in_the_middle_of_the_text_the_edited_question_is_answered_once(town: Town) -> None:
    def script(request: dict[str, Any]) -> Reply:
        if "response_format" in request:
            return understood(HOTEL) if "route" in str(request["response_format"]) else valid()
        return Says("The limit for a hotel night is 145 EUR [1]. " * 3, pause_seconds=0.2)

    async with GroqServer.serve(script) as groq:
        async with town.bot_process(GROQ_API_KEY="gsk_local", GROQ_BASE_URL=groq.url) as process:
            root = await town.ask(HOTEL)
            await town.playground.until(lambda: [one for one in town.said(root) if "145" in str(one)])
            await process.kill()
        await edit(town, root, PORTO)
        async with town.bot():
            await answer_holding(town, root, "25")
            await town.settled()

    assert 1 == len(town.said(root))


async def test_events_of_a_change_that_come_several_times_change_once(town: Town) -> None:
    async with town.bot():
        root = await town.ask(HOTEL)
        await town.answers(root)
        town.playground.faults.duplicate(2)
        await edit(town, root, PORTO)
        await answer_holding(town, root, "25")
        await town.settled()

    with psycopg.connect(town.database_url) as connection:
        assert [(1,)] == connection.execute("SELECT count(*) FROM inbox WHERE kind = 'edit'").fetchall()


@pytest.mark.parametrize("change", ["deletion", "edit into small talk"])
async def test_a_card_that_a_question_had_closed_is_open_again_where_that_is_changed_while_it_is_answered(
    town: Town, change: str
) -> None:
    async with town.bot():
        root = await town.ask(AMBIGUOUS)
        card = await town.card(root)
        await town.settled()
        async with unrecorded(town):
            second = await town.ask(HOTEL, root=root)
            await town.playground.until(lambda: not [one for one in town.said(root) if is_open_card(one)])
            if change == "deletion":
                await delete(town, second)
            else:
                await edit(town, second, "ok", mention=False)
            await acknowledged(town)
        await town.settled()

        assert card["ts"] == (await town.card(root))["ts"]
        await town.click(root, "Porto")
        await answer_holding(town, root, "25")
        await town.settled()

    assert 2 == len(town.said(root))


async def test_an_edit_of_an_earlier_question_lets_the_open_one_be_asked_again(town: Town) -> None:
    async with town.bot():
        root = await town.ask("hello")
        await town.answers(root)
        await town.ask(AMBIGUOUS, root=root, person=BEN)
        card = await town.card(root)

        await edit(town, root, "thanks, what can you do?")

        await answer_holding(town, root, "documents")
        again = await town.card(root)
        await town.settled()
        assert card["ts"] == again["ts"]
        await town.click(root, "Hamburg")
        await answer_holding(town, root, "30")
        await town.settled()
        assert not [one for one in town.said(root) if is_open_card(one)]


async def test_a_choice_is_answered_after_its_run_is_gone_also_where_the_question_was_not_said_to_the_bot(
    town: Town,
) -> None:
    def reserved(request: dict[str, Any]) -> Reply:
        if "not addressed to the bot" in str(request["messages"]):
            return reading(route="stay_silent")
        return oblige(request)

    async with town.bot():
        root = await town.ask("hello")
        second = await town.ask("thanks, what can you do?", root=root)
        await town.answers(root, 2)
        await town.say(AMBIGUOUS, root)
        await town.card(root)
        await delete(town, second)  # It ends the run that waits.
        await town.settled()

    async with (
        GroqServer.serve(reserved) as groq,
        town.bot(groq_api_key="gsk_local", groq_base_url=groq.url),
    ):
        await town.click(root, "Hamburg")
        await town.answers(root, 2)
        await town.settled()
