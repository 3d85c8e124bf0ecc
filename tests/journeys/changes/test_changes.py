"""After an edit or a deletion at any moment, the thread shows one answer to the current words."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest

from tests.journeys.harness import ADA, BEN, PATIENCE, SUPPORT, Harness, is_answer, is_open_card, labels_of, text_of
from tests.journeys.holding import held_back, understood, unrecorded, until_held_back, valid
from tests.models.groq_server import GroqServer, Reply, Says
from tests.models.obliging import oblige, reading

AMBIGUOUS = "How many vacation days do I have?"
HOTEL = "What is the limit for a hotel night?"
PORTO = "How many vacation days do people in Porto get?"
HAMBURG = "How many vacation days do people in Hamburg get?"
MANY = 50
"""Sentences that would take a minute; the tests need only the first one."""


@pytest.fixture
async def bot(harness: Harness):  # noqa: ANN201
    """The bot, in this process."""
    async with harness.bot():
        yield


async def edit(harness: Harness, ts: str, text: str, *, mention: bool = True) -> None:
    """Let Ada edit her message."""
    said = f"<@{harness.playground.bot_user_id}> {text}" if mention else text
    await harness.playground.person(ADA).edit(SUPPORT, ts, said)


async def delete(harness: Harness, ts: str) -> None:
    """Let Ada delete her message."""
    await harness.playground.person(ADA).delete(SUPPORT, ts)


async def answer_holding(harness: Harness, root: str, text: str) -> dict[str, Any]:
    """Wait for a finished answer with this text."""

    def there() -> list[dict[str, Any]]:
        return [one for one in harness.said(root) if is_answer(one) and text in text_of(one)]

    return (await harness.playground.until(there, timeout=PATIENCE))[0]


async def acknowledged(harness: Harness) -> None:
    """Wait until all deliveries so far are acknowledged."""
    await harness.playground.until(lambda: all(one.settled for one in harness.playground.deliveries()))


async def nothing_said(harness: Harness, root: str) -> None:
    """Wait until the thread has no message of the bot."""
    await harness.playground.until(lambda: not harness.said(root), timeout=PATIENCE)


@asynccontextmanager
async def slow_bot(
    harness: Harness, *, quick: int = 0, answers: int = 1, sentences: int = 3
) -> AsyncGenerator[GroqServer]:
    """Run the bot with a model that answers some questions slowly.

    A slow answer that the test ends early has more sentences than any test waits for.
    """
    pauses = iter([0.0] * quick + [0.3] * answers)

    def script(request: dict[str, Any]) -> Reply:
        if "response_format" in request:
            return understood(HOTEL) if "route" in str(request["response_format"]) else valid()
        pause = next(pauses, 0.0)
        return Says("The limit for a hotel night is 145 EUR [1]. " * (sentences if pause else 3), pause_seconds=pause)

    async with GroqServer.serve(script) as groq, harness.bot(groq_api_key="gsk_local", groq_base_url=groq.url):
        yield groq


@pytest.mark.usefixtures("bot")
async def test_an_edited_question_is_answered_anew_in_the_same_message(harness: Harness) -> None:
    root = await harness.ask(HAMBURG)
    (before,) = await harness.answers(root)

    await edit(harness, root, PORTO)

    after = await answer_holding(harness, root, "25")
    await harness.settled()
    assert before["ts"] == after["ts"]
    assert 1 == len(harness.said(root))


@pytest.mark.usefixtures("bot")
async def test_an_edit_that_leaves_the_text_as_it_was_does_nothing(harness: Harness) -> None:
    root = await harness.ask(PORTO)
    await harness.answers(root)
    await harness.settled()
    posts = len(harness.playground.calls())

    await edit(harness, root, PORTO)
    await harness.settled()

    assert posts == len(harness.playground.calls())


@pytest.mark.usefixtures("bot")
async def test_follow_ups_know_the_new_question_and_not_the_old_one(harness: Harness) -> None:
    root = await harness.ask(HOTEL)
    await harness.answers(root)
    await edit(harness, root, PORTO)
    await answer_holding(harness, root, "25")

    await harness.say("And in Hamburg?", root)

    answers = await harness.answers(root, 2)
    assert "30" in text_of(answers[-1])


async def test_a_question_that_is_edited_while_it_waits_is_answered_as_it_reads_then(harness: Harness) -> None:
    async with harness.bot():
        async with held_back(harness):
            root = await harness.ask(HOTEL)
            await until_held_back(harness)
            follow_up = await harness.ask(HAMBURG, root=root)
            await edit(harness, follow_up, PORTO)
            await acknowledged(harness)
        await harness.answers(root, 2)
        await harness.settled()

    (_, answer) = harness.said(root)
    assert "25" in text_of(answer)
    assert not [one for one in harness.playground.calls() if "Hamburg get?" in str(one.arguments)]


async def test_a_question_that_is_edited_while_it_is_answered_is_begun_again(harness: Harness) -> None:
    async with slow_bot(harness, sentences=MANY) as groq:
        root = await harness.ask(HOTEL)
        await harness.playground.until(lambda: [one for one in harness.said(root) if "145" in text_of(one)])

        await edit(harness, root, "How much may a night in a hotel cost?")

        await asyncio.wait_for(groq.gone.wait(), PATIENCE)
        await harness.answers(root)
        await harness.settled()

    assert 1 == len(harness.said(root))
    assert "How much may a night" in str([request["messages"] for request in groq.requests[-3:]])


@pytest.mark.usefixtures("bot")
async def test_the_card_of_an_edited_question_says_so_and_the_new_text_is_answered(harness: Harness) -> None:
    root = await harness.ask(AMBIGUOUS)
    card = await harness.card(root)

    await edit(harness, root, HOTEL)

    await answer_holding(harness, root, "145 EUR")
    await harness.settled()
    settled = next(one for one in harness.said(root) if one["ts"] == card["ts"])
    assert "The question was edited." in text_of(settled)
    assert [] == labels_of(settled)


@pytest.mark.usefixtures("bot")
async def test_an_edit_after_the_choice_leaves_one_answer_to_the_new_text(harness: Harness) -> None:
    root = await harness.ask(AMBIGUOUS)
    await harness.click(root, "Porto")
    (before,) = await harness.answers(root)

    await edit(harness, root, HOTEL)

    after = await answer_holding(harness, root, "145 EUR")
    await harness.settled()
    assert before["ts"] == after["ts"]
    assert 1 == len(harness.said(root))


@pytest.mark.usefixtures("bot")
async def test_an_answered_question_that_is_edited_into_an_ambiguous_one_is_asked_back_in_place(
    harness: Harness,
) -> None:
    root = await harness.ask(HOTEL)
    (answer,) = await harness.answers(root)

    await edit(harness, root, AMBIGUOUS)

    card = await harness.card(root)
    assert answer["ts"] == card["ts"]
    await harness.click(root, "Porto")
    await answer_holding(harness, root, "25")


@pytest.mark.usefixtures("bot")
async def test_a_question_that_is_edited_and_edited_back_is_asked_on_its_card_and_leaves_no_answer(
    harness: Harness,
) -> None:
    root = await harness.ask(AMBIGUOUS)
    card = await harness.card(root)
    await edit(harness, root, HOTEL)
    await answer_holding(harness, root, "145 EUR")
    await harness.settled()

    await edit(harness, root, AMBIGUOUS)

    await harness.card(root)
    await harness.settled()
    assert [card["ts"]] == [one["ts"] for one in harness.said(root)]
    with psycopg.connect(harness.database_url) as connection:
        assert [("card", card["ts"])] == connection.execute("SELECT kind, ts FROM messages").fetchall()
    await harness.click(root, "Porto")
    await answer_holding(harness, root, "25")
    await harness.settled()
    assert 2 == len(harness.said(root))


@pytest.mark.usefixtures("bot")
async def test_an_edited_reply_to_the_card_is_taken_instead_of_the_first(harness: Harness) -> None:
    root = await harness.ask(AMBIGUOUS)
    await harness.card(root)
    reply = await harness.say("the Hamburg one", root)
    (before,) = await harness.answers(root)

    await edit(harness, reply, "the Porto one", mention=False)

    after = await answer_holding(harness, root, "25")
    await harness.settled()
    assert before["ts"] == after["ts"]
    assert 2 == len(harness.said(root))


@pytest.mark.usefixtures("bot")
async def test_a_mention_that_is_added_later_is_answered(harness: Harness) -> None:
    root = await harness.playground.person(ADA).post(SUPPORT, PORTO)
    await harness.settled()

    await edit(harness, root, PORTO)

    await answer_holding(harness, root, "25")


@pytest.mark.usefixtures("bot")
async def test_what_people_said_before_the_bot_was_called_in_may_be_edited_without_an_answer(harness: Harness) -> None:
    ada = harness.playground.person(ADA)
    root = await ada.post(SUPPORT, "How many vacation days do people in Porto get?")
    await harness.ask("and in Hamburg?", root=root)
    await harness.answers(root)

    await ada.edit(SUPPORT, root, "How many vacation days do people in Porto have?")
    await harness.settled()

    assert 1 == len(harness.said(root))


@pytest.mark.usefixtures("bot")
async def test_a_deleted_question_takes_its_answer_along(harness: Harness) -> None:
    root = await harness.ask(HOTEL)
    follow_up = await harness.ask(PORTO, root=root)
    await harness.answers(root, 2)

    await delete(harness, follow_up)

    await harness.playground.until(lambda: 1 == len(harness.said(root)))
    await harness.settled()
    assert "145 EUR" in text_of(harness.said(root)[0])


@pytest.mark.usefixtures("bot")
async def test_a_deleted_question_leaves_the_memory(harness: Harness) -> None:
    root = await harness.ask(PORTO)
    await harness.answers(root)
    second = await harness.ask(HOTEL, root=root)
    await harness.answers(root, 2)
    await delete(harness, second)
    await harness.playground.until(lambda: 1 == len(harness.said(root)))

    await harness.say("And in Hamburg?", root)

    answers = await harness.answers(root, 2)
    assert "30" in text_of(answers[-1])


@pytest.mark.usefixtures("bot")
async def test_a_deleted_question_takes_its_card_along_and_waits_for_nobody(harness: Harness) -> None:
    root = await harness.ask(AMBIGUOUS)
    await harness.card(root)

    await delete(harness, root)

    await nothing_said(harness, root)
    await harness.settled()
    with psycopg.connect(harness.database_url) as connection:
        assert [("superseded",)] == connection.execute("SELECT status FROM asks").fetchall()


@pytest.mark.usefixtures("bot")
async def test_a_question_that_is_deleted_after_the_choice_takes_card_and_answer_along(harness: Harness) -> None:
    root = await harness.ask(AMBIGUOUS)
    await harness.click(root, "Porto")
    await harness.answers(root)

    await delete(harness, root)

    await nothing_said(harness, root)


async def test_a_question_that_is_deleted_while_it_waits_is_dropped(harness: Harness) -> None:
    async with harness.bot():
        async with held_back(harness):
            root = await harness.ask(HOTEL)
            await until_held_back(harness)
            follow_up = await harness.ask(HAMBURG, root=root)
            await delete(harness, follow_up)
            await acknowledged(harness)
        await harness.answers(root)
        await harness.settled()

    assert 1 == len(harness.said(root))
    assert [] == harness.playground.calls("chat.delete")


async def test_a_question_that_is_deleted_while_it_is_answered_is_cancelled(harness: Harness) -> None:
    async with slow_bot(harness, sentences=MANY) as groq:
        root = await harness.ask(HOTEL)
        await harness.playground.until(lambda: [one for one in harness.said(root) if "145" in text_of(one)])

        await delete(harness, root)

        await asyncio.wait_for(groq.gone.wait(), PATIENCE)
        await nothing_said(harness, root)
        await harness.settled()

    assert "" == harness.playground.status(SUPPORT, root)


async def test_killed_before_a_deletion_comes_into_force_another_removes_the_answer(harness: Harness) -> None:
    async with harness.bot_process() as process:
        root = await harness.ask(HOTEL)
        await harness.answers(root)
        await harness.settled()
        async with held_back(harness):
            await delete(harness, root)
            await until_held_back(harness)
            await process.kill()
        assert 1 == len(harness.said(root))
    async with harness.bot():
        await nothing_said(harness, root)
        await harness.settled()


async def test_killed_in_the_middle_of_the_text_the_edited_question_is_answered_once(harness: Harness) -> None:
    def script(request: dict[str, Any]) -> Reply:
        if "response_format" in request:
            return understood(HOTEL) if "route" in str(request["response_format"]) else valid()
        return Says("The limit for a hotel night is 145 EUR [1]. " * 3, pause_seconds=0.2)

    async with GroqServer.serve(script) as groq:
        async with harness.bot_process(GROQ_API_KEY="gsk_local", GROQ_BASE_URL=groq.url) as process:
            root = await harness.ask(HOTEL)
            await harness.playground.until(lambda: [one for one in harness.said(root) if "145" in text_of(one)])
            await process.kill()
        await edit(harness, root, PORTO)
        async with harness.bot():
            await answer_holding(harness, root, "25")
            await harness.settled()

    assert 1 == len(harness.said(root))


async def test_events_of_a_change_that_come_several_times_change_once(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(HOTEL)
        await harness.answers(root)
        harness.playground.faults.duplicate(2)
        await edit(harness, root, PORTO)
        await answer_holding(harness, root, "25")
        await harness.settled()

    with psycopg.connect(harness.database_url) as connection:
        assert [(1,)] == connection.execute("SELECT count(*) FROM inbox WHERE kind = 'edit'").fetchall()


@pytest.mark.parametrize("change", ["deletion", "edit into small talk"])
async def test_a_card_that_a_question_had_closed_is_open_again_where_that_is_changed_while_it_is_answered(
    harness: Harness, change: str
) -> None:
    async with harness.bot():
        root = await harness.ask(AMBIGUOUS)
        card = await harness.card(root)
        await harness.settled()
        async with unrecorded(harness):
            second = await harness.ask(HOTEL, root=root)
            await harness.playground.until(lambda: not [one for one in harness.said(root) if is_open_card(one)])
            if change == "deletion":
                await delete(harness, second)
            else:
                await edit(harness, second, "ok", mention=False)
            await acknowledged(harness)
        await harness.settled()

        assert card["ts"] == (await harness.card(root))["ts"]
        await harness.click(root, "Porto")
        await answer_holding(harness, root, "25")
        await harness.settled()

    assert 2 == len(harness.said(root))


async def test_an_edit_of_an_earlier_question_lets_the_open_one_be_asked_again(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask("hello")
        await harness.answers(root)
        await harness.ask(AMBIGUOUS, root=root, person=BEN)
        card = await harness.card(root)

        await edit(harness, root, "thanks, what can you do?")

        await answer_holding(harness, root, "documents")
        again = await harness.card(root)
        await harness.settled()
        assert card["ts"] == again["ts"]
        await harness.click(root, "Hamburg")
        await answer_holding(harness, root, "30")
        await harness.settled()
        assert not [one for one in harness.said(root) if is_open_card(one)]


async def test_a_choice_is_answered_after_its_run_is_gone_also_where_the_question_was_not_said_to_the_bot(
    harness: Harness,
) -> None:
    def reserved(request: dict[str, Any]) -> Reply:
        if "not addressed to the bot" in str(request["messages"]):
            return reading(route="stay_silent")
        return oblige(request)

    async with harness.bot():
        root = await harness.ask("hello")
        second = await harness.ask("thanks, what can you do?", root=root)
        await harness.answers(root, 2)
        await harness.say(AMBIGUOUS, root)
        await harness.card(root)
        await delete(harness, second)  # The edit ends the waiting run.
        await harness.settled()

    async with (
        GroqServer.serve(reserved) as groq,
        harness.bot(groq_api_key="gsk_local", groq_base_url=groq.url),
    ):
        await harness.click(root, "Hamburg")
        await harness.answers(root, 2)
        await harness.settled()
