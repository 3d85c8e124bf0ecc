"""People stop an answer by Slack's button or a reaction: the partial answer stays, and the thread goes on."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from tests.journeys.changes.test_changes import MANY, acknowledged, answer_holding, slow_bot
from tests.journeys.harness import ADA, BEN, PATIENCE, SUPPORT, Harness, is_answer, is_open_card, labels_of, text_of
from tests.journeys.holding import held_back, understood, unrecorded, until_held_back, valid
from tests.journeys.reviewing import DRAFT, reviewed
from tests.models.groq_server import GroqServer, Reply, Says
from tests.models.obliging import judged

AMBIGUOUS = "How many vacation days do I have?"
HOTEL = "What is the limit for a hotel night?"
GUESS = "Each hotel night needs an approval [1]."
PORTO = "How many vacation days do people in Porto get?"


async def press_stop(harness: Harness, root: str, *, person: str = ADA) -> None:
    """Press Slack's Stop in a thread."""
    await harness.playground.person(person).stop(SUPPORT, root)


async def react(harness: Harness, ts: str, name: str = "octagonal_sign", *, person: str = ADA) -> None:
    """Add a reaction to a message."""
    await harness.playground.person(person).react(SUPPORT, ts, name)


async def streaming(harness: Harness, root: str) -> str:
    """Wait until the bot streams the answer, and return its message's ts."""

    def there() -> list[str]:
        return [one["ts"] for one in harness.said(root) if "145 EUR" in text_of(one) and not is_answer(one)]

    return (await harness.playground.until(there))[0]


async def stopped(harness: Harness, root: str, by: str = "Stopped by") -> dict[str, Any]:
    """Wait for the message that the answer was stopped."""

    def there() -> list[dict[str, Any]]:
        return [one for one in harness.said(root) if by in text_of(one)]

    return (await harness.playground.until(there))[0]


async def test_a_native_stop_ends_the_answer_keeps_what_was_said_and_the_next_question_works(harness: Harness) -> None:
    async with slow_bot(harness, sentences=MANY) as groq:
        root = await harness.ask(HOTEL)
        ts = await streaming(harness, root)

        await press_stop(harness, root, person=BEN)
        message = await stopped(harness, root)
        await harness.settled()
        await harness.say("And in Porto?", root)
        await answer_holding(harness, root, "145")
        await harness.settled()

    assert ts == message["ts"]
    assert f"Stopped by <@{BEN}>." in text_of(message)
    assert 1 <= text_of(message).count("145 EUR [1]") < MANY
    assert ["Answer after all"] == labels_of(message)
    assert 2 == len(harness.said(root))
    # The follow-up refers to the stopped exchange.
    assert HOTEL in str(groq.requests[-2]) + str(groq.requests[-3])


@pytest.mark.parametrize("target", ["question", "answer"])
async def test_a_reaction_stops_it_too_on_the_question_and_on_the_answer(harness: Harness, target: str) -> None:
    async with slow_bot(harness, sentences=MANY):
        root = await harness.ask(HOTEL)
        ts = await streaming(harness, root)

        await react(harness, root if target == "question" else ts, "x" if target == "question" else "octagonal_sign")
        message = await stopped(harness, root)
        await harness.settled()

    assert f"Stopped by <@{ADA}>." in text_of(message)
    assert [ts] == [one["ts"] for one in harness.said(root)]


async def test_who_asked_only_the_asker_to_answer_lets_nobody_else_stop_by_reaction(harness: Harness) -> None:
    async with harness.bot(may_answer="asker"):
        root = await harness.ask(AMBIGUOUS)
        card = await harness.card(root)

        await react(harness, card["ts"], person=BEN)
        await acknowledged(harness)
        await harness.settled()
        assert [card["ts"]] == [one["ts"] for one in harness.said(root) if is_open_card(one)]

        await react(harness, card["ts"])
        await stopped(harness, root)


async def test_a_stop_while_a_question_waits_closes_its_card(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(AMBIGUOUS)
        await harness.card(root)

        await press_stop(harness, root)
        card = await stopped(harness, root)
        await harness.settled()
        await harness.say("How many vacation days do people in Porto get?", root)
        (answer,) = await harness.answers(root)

    assert ["Ask this again"] == labels_of(card)
    assert "25" in text_of(answer)
    assert 2 == len(harness.said(root))


async def test_a_stop_of_the_answer_to_a_choice_ends_that_answer(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(AMBIGUOUS)
        await harness.card(root)
        async with held_back(harness):
            await harness.click(root, "Porto")
            await until_held_back(harness)
            await press_stop(harness, root)
            await acknowledged(harness)
        message = await stopped(harness, root)
        await harness.settled()

    assert not [one for one in harness.said(root) if "25 days" in text_of(one)]
    assert "chose *Porto*" in str(harness.said(root)[0])
    assert message["ts"] == harness.said(root)[-1]["ts"]


async def test_a_stop_of_what_is_answered_does_nothing(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(HOTEL)
        (answer,) = await harness.answers(root)
        await harness.settled()
        calls = len(harness.playground.calls())

        await press_stop(harness, root)
        await react(harness, answer["ts"])
        await react(harness, root, "thumbsup")
        await harness.settled()

    assert calls == len(harness.playground.calls())


async def test_only_the_running_turn_is_stopped_and_twice_is_once(harness: Harness) -> None:
    async with harness.bot():
        async with held_back(harness):
            root = await harness.ask(HOTEL)
            await until_held_back(harness)
            await harness.ask(PORTO, root=root, person=BEN)
            await acknowledged(harness)
            harness.playground.faults.duplicate(1)
            await react(harness, root)
            await react(harness, root, "x")
            await acknowledged(harness)
        await answer_holding(harness, root, "25")
        await harness.settled()

    first, second = harness.said(root)
    assert "Stopped by" in text_of(first)
    assert "25" in text_of(second)


async def test_a_stop_of_an_earlier_question_leaves_the_card_of_a_later_one_open(harness: Harness) -> None:
    async with harness.bot():
        async with held_back(harness):
            root = await harness.ask("hello")
            await until_held_back(harness)
            await react(harness, root)
            await acknowledged(harness)
        message = await stopped(harness, root)
        await harness.ask(AMBIGUOUS, root=root, person=BEN)
        card = await harness.card(root)
        await harness.settled()
        async with unrecorded(harness):
            await harness.playground.person(ADA).click(SUPPORT, message["ts"], label="Answer after all")
            # The new run closes the card. After the run is stopped, the card must be open again.
            await harness.playground.until(lambda: not [one for one in harness.said(root) if is_open_card(one)])
            await react(harness, root, "x")
            await acknowledged(harness)
        await stopped(harness, root)
        await harness.settled()

        assert card["ts"] == (await harness.card(root))["ts"]
        await harness.click(root, "Porto", person=BEN)
        await answer_holding(harness, root, "25")


async def test_a_stop_of_words_that_answered_a_card_unseen_closes_it(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask(AMBIGUOUS)
        await harness.card(root)
        async with held_back(harness):
            words = await harness.say("the Porto one", root)
            await until_held_back(harness)
            await react(harness, words)
            await acknowledged(harness)
        card = await stopped(harness, root)
        await harness.settled()

    assert ["Ask this again"] == labels_of(card)
    assert not [one for one in harness.said(root) if is_open_card(one)]


async def test_answer_after_all_writes_the_answer_in_the_same_message(harness: Harness) -> None:
    async with slow_bot(harness, sentences=MANY):
        root = await harness.ask(HOTEL)
        await streaming(harness, root)
        await press_stop(harness, root)
        message = await stopped(harness, root)
        await harness.settled()

        await harness.playground.person(ADA).click(SUPPORT, message["ts"], label="Answer after all")
        await harness.playground.until(lambda: "Stopped by" not in str(harness.said(root)))
        await harness.settled()

    (answer,) = harness.said(root)
    assert 3 <= text_of(answer).count("145 EUR [1]")
    assert "Stopped" not in text_of(answer)


async def test_answer_after_all_counts_however_soon_it_is_pressed(harness: Harness) -> None:
    async with harness.bot():
        async with AsyncExitStack() as uncommitted:
            async with held_back(harness):
                root = await harness.ask(HOTEL)
                await until_held_back(harness)
                await react(harness, root)
                await acknowledged(harness)
                await uncommitted.enter_async_context(unrecorded(harness))
            # A person may press the button before the stop is committed.
            message = await stopped(harness, root)
            await harness.playground.person(ADA).click(SUPPORT, message["ts"], label="Answer after all")
            await asyncio.sleep(0.3)
        await answer_holding(harness, root, "145 EUR")
        await harness.settled()

    assert 1 == len(harness.said(root))


async def test_a_stop_that_slack_tells_by_refusing_the_stream_only_is_a_stop_too(harness: Harness) -> None:
    async with slow_bot(harness, sentences=MANY):
        root = await harness.ask(HOTEL)
        await streaming(harness, root)

        harness.playground.faults.drop_deliveries(100)
        await press_stop(harness, root)
        message = await stopped(harness, root, "Stopped.")
        harness.playground.faults.clear()

    assert "145 EUR" in text_of(message)
    assert 1 == len(harness.said(root))


async def test_a_stop_shows_nothing_of_a_text_that_a_reviewer_had_to_see_first(harness: Harness) -> None:
    validating = asyncio.Event()

    def script(request: dict[str, Any]) -> Reply:
        if "validate" not in str(request.get("response_format")):
            return understood(HOTEL) if "response_format" in request else Says(DRAFT)
        validating.set()
        return replace(valid(), pause_seconds=300.0)

    async with GroqServer.serve(script) as groq, reviewed(harness, groq):
        root = await harness.ask(HOTEL)
        await asyncio.wait_for(validating.wait(), PATIENCE)

        await press_stop(harness, root)
        message = await stopped(harness, root)
        await harness.settled()

    assert f"Stopped by <@{ADA}>." in text_of(message)
    assert 1 == len(harness.said(root))
    assert "999 EUR" not in str([call.arguments for call in harness.playground.calls()])


async def test_a_stop_shows_nothing_of_a_draft_that_was_taken_back_even_where_people_still_see_it(
    harness: Harness,
) -> None:
    seen, writing_again = asyncio.Event(), asyncio.Event()

    def script(request: dict[str, Any]) -> Reply:
        if "response_format" not in request:
            if GUESS not in str(request["messages"]):
                return Says(GUESS)
            harness.playground.faults.fail("chat.update", "ratelimited", status=429, times=3)
            writing_again.set()
            return Says("It is 145 EUR [1].", pause_seconds=2.0)
        if "validate" not in str(request["response_format"]):
            return understood(HOTEL)
        return replace(judged("unsupported"), held_until=seen)

    async with GroqServer.serve(script) as groq, harness.bot(groq_api_key="gsk_local", groq_base_url=groq.url):
        root = await harness.ask(HOTEL)
        await harness.playground.until(lambda: "needs an approval" in str(harness.said(root)))
        seen.set()
        await asyncio.wait_for(writing_again.wait(), PATIENCE)

        await press_stop(harness, root)
        message = await stopped(harness, root)
        await harness.settled()

    assert "needs an approval" not in text_of(message)
    assert 1 == len(harness.said(root))


@asynccontextmanager
async def endless_model() -> AsyncGenerator[dict[str, str]]:
    """A model whose first answer has no end."""

    def script(request: dict[str, Any]) -> Reply:
        if "response_format" in request:
            return understood(HOTEL) if "route" in str(request["response_format"]) else valid()
        return Says("The limit for a hotel night is 145 EUR [1]. " * MANY, pause_seconds=0.3)

    async with GroqServer.serve(script) as groq:
        yield {"GROQ_API_KEY": "gsk_local", "GROQ_BASE_URL": groq.url}


def refuse_second_reading(harness: Harness) -> None:
    """Let Slack return a thread once, for the search for an unrecorded message, and refuse the next read."""
    left = iter([True])

    def watcher(method: str, side: str) -> bool:
        if (method, side) == ("conversations.replies", "after") and next(left, False):
            harness.playground.faults.fail(method, "org_login_required")
        return False

    harness.playground.faults.watch(watcher)


async def test_killed_while_stopping_another_process_stops_it(harness: Harness) -> None:
    async with endless_model() as settings, harness.bot_process(**settings) as process:
        root = await harness.ask(HOTEL)
        await streaming(harness, root)
        async with held_back(harness):
            await press_stop(harness, root)
            await until_held_back(harness)
            await process.kill()
        async with harness.bot():
            message = await stopped(harness, root)
            await harness.settled()

    assert "145 EUR [1]" in text_of(message)
    assert 1 == len(harness.said(root))


async def test_a_stop_that_cannot_read_what_was_said_is_tried_again(harness: Harness) -> None:
    async with endless_model() as settings, harness.bot_process(**settings) as process:
        root = await harness.ask(HOTEL)
        await streaming(harness, root)
        async with held_back(harness):
            await press_stop(harness, root)
            await until_held_back(harness)
            await process.kill()
        refuse_second_reading(harness)
        async with harness.bot():
            message = await stopped(harness, root)
            await harness.settled()

    assert "145 EUR [1]" in text_of(message)
    assert 1 == len(harness.said(root))


async def test_a_stop_that_one_process_takes_in_ends_the_run_of_another(harness: Harness) -> None:
    async with endless_model() as settings, harness.bot_process("receive"), harness.bot_process("work", **settings):
        root = await harness.ask(HOTEL)
        await streaming(harness, root)

        await react(harness, root)
        message = await stopped(harness, root)
        await harness.settled()

    assert "145 EUR [1]" in text_of(message)
    assert 1 == len(harness.said(root))
