"""People stop an answer, with Slack's button or with a reaction: what was said stays, and the thread goes on."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from tests.journeys.desk import DRAFT, reviewed
from tests.journeys.holding import held_back, understood, unrecorded, until_held_back, valid
from tests.journeys.test_changes import MANY, acknowledged, answer_holding, slow_bot
from tests.journeys.town import ADA, BEN, SUPPORT, Town, is_answer, is_open_card, labels_of, text_of
from tests.models.groq_server import GroqServer, Reply, Says
from tests.models.obliging import judged

AMBIGUOUS = "How many vacation days do I have?"
HOTEL = "What is the limit for a hotel night?"
GUESS = "Each hotel night needs an approval [1]."
PORTO = "How many vacation days do people in Porto get?"


async def press_stop(town: Town, root: str, *, person: str = ADA) -> None:
    """Press Slack's Stop in a thread."""
    await town.playground.person(person).stop(SUPPORT, root)


async def react(town: Town, ts: str, name: str = "octagonal_sign", *, person: str = ADA) -> None:
    """Put a reaction on a message."""
    await town.playground.person(person).react(SUPPORT, ts, name)


async def streaming(town: Town, root: str) -> str:
    """Wait until the answer is being written, and return its message's ts."""

    def there() -> list[str]:
        return [one["ts"] for one in town.said(root) if "145 EUR" in text_of(one) and not is_answer(one)]

    return (await town.playground.until(there, timeout=60))[0]


async def stopped(town: Town, root: str, by: str = "Stopped by") -> dict[str, Any]:
    """Wait for the message that says that it was stopped."""

    def there() -> list[dict[str, Any]]:
        return [one for one in town.said(root) if by in text_of(one)]

    return (await town.playground.until(there, timeout=60))[0]


async def test_a_native_stop_ends_the_answer_keeps_what_was_said_and_the_next_question_works(town: Town) -> None:
    async with slow_bot(town, sentences=MANY) as groq:
        root = await town.ask(HOTEL)
        ts = await streaming(town, root)

        await press_stop(town, root, person=BEN)
        message = await stopped(town, root)
        await town.settled()
        await town.say("And in Porto?", root)
        await answer_holding(town, root, "145")
        await town.settled()

    assert ts == message["ts"]
    assert f"Stopped by <@{BEN}>." in text_of(message)
    assert 1 <= text_of(message).count("145 EUR [1]") < MANY
    assert ["Answer after all"] == labels_of(message)
    assert 2 == len(town.said(root))
    # The stopped exchange is what the follow-up follows.
    assert HOTEL in str(groq.requests[-2]) + str(groq.requests[-3])


@pytest.mark.parametrize("target", ["question", "answer"])
async def test_a_reaction_stops_it_too_on_the_question_and_on_the_answer(town: Town, target: str) -> None:
    async with slow_bot(town, sentences=MANY):
        root = await town.ask(HOTEL)
        ts = await streaming(town, root)

        await react(town, root if target == "question" else ts, "x" if target == "question" else "octagonal_sign")
        message = await stopped(town, root)
        await town.settled()

    assert f"Stopped by <@{ADA}>." in text_of(message)
    assert [ts] == [one["ts"] for one in town.said(root)]


async def test_who_asked_only_the_asker_to_answer_lets_nobody_else_stop_by_reaction(town: Town) -> None:
    async with town.bot(may_answer="asker"):
        root = await town.ask(AMBIGUOUS)
        card = await town.card(root)

        await react(town, card["ts"], person=BEN)
        await acknowledged(town)
        await town.settled()
        assert [card["ts"]] == [one["ts"] for one in town.said(root) if is_open_card(one)]

        await react(town, card["ts"])
        await stopped(town, root)


async def test_a_stop_while_a_question_waits_closes_its_card(town: Town) -> None:
    async with town.bot():
        root = await town.ask(AMBIGUOUS)
        await town.card(root)

        await press_stop(town, root)
        card = await stopped(town, root)
        await town.settled()
        await town.say("How many vacation days do people in Porto get?", root)
        (answer,) = await town.answers(root)

    assert ["Ask this again"] == labels_of(card)
    assert "25" in text_of(answer)
    assert 2 == len(town.said(root))


async def test_a_stop_of_the_answer_to_a_choice_ends_that_answer(town: Town) -> None:
    async with town.bot():
        root = await town.ask(AMBIGUOUS)
        await town.card(root)
        async with held_back(town):
            await town.click(root, "Porto")
            await until_held_back(town)
            await press_stop(town, root)
            await acknowledged(town)
        message = await stopped(town, root)
        await town.settled()

    assert not [one for one in town.said(root) if "25 days" in text_of(one)]
    assert "chose *Porto*" in str(town.said(root)[0])
    assert message["ts"] == town.said(root)[-1]["ts"]


async def test_a_stop_of_what_is_answered_does_nothing(town: Town) -> None:
    async with town.bot():
        root = await town.ask(HOTEL)
        (answer,) = await town.answers(root)
        await town.settled()
        calls = len(town.playground.calls())

        await press_stop(town, root)
        await react(town, answer["ts"])
        await react(town, root, "thumbsup")
        await town.settled()

    assert calls == len(town.playground.calls())


async def test_only_the_running_turn_is_stopped_and_twice_is_once(town: Town) -> None:
    async with town.bot():
        async with held_back(town):
            root = await town.ask(HOTEL)
            await until_held_back(town)
            await town.ask(PORTO, root=root, person=BEN)
            await acknowledged(town)
            town.playground.faults.duplicate(1)
            await react(town, root)
            await react(town, root, "x")
            await acknowledged(town)
        await answer_holding(town, root, "25")
        await town.settled()

    first, second = town.said(root)
    assert "Stopped by" in text_of(first)
    assert "25" in text_of(second)


async def test_a_stop_of_an_earlier_question_leaves_the_card_of_a_later_one_open(town: Town) -> None:
    async with town.bot():
        async with held_back(town):
            root = await town.ask("hello")
            await until_held_back(town)
            await react(town, root)
            await acknowledged(town)
        message = await stopped(town, root)
        await town.ask(AMBIGUOUS, root=root, person=BEN)
        card = await town.card(root)
        await town.settled()
        async with unrecorded(town):
            await town.playground.person(ADA).click(SUPPORT, message["ts"], label="Answer after all")
            # The run closes the card, which is to be asked again after it, and is taken back.
            await town.playground.until(lambda: not [one for one in town.said(root) if is_open_card(one)])
            await react(town, root, "x")
            await acknowledged(town)
        await stopped(town, root)
        await town.settled()

        assert card["ts"] == (await town.card(root))["ts"]
        await town.click(root, "Porto", person=BEN)
        await answer_holding(town, root, "25")


async def test_a_stop_of_words_that_answered_a_card_unseen_closes_it(town: Town) -> None:
    async with town.bot():
        root = await town.ask(AMBIGUOUS)
        await town.card(root)
        async with held_back(town):
            words = await town.say("the Porto one", root)
            await until_held_back(town)
            await react(town, words)
            await acknowledged(town)
        card = await stopped(town, root)
        await town.settled()

    assert ["Ask this again"] == labels_of(card)
    assert not [one for one in town.said(root) if is_open_card(one)]


async def test_answer_after_all_writes_the_answer_in_the_same_message(town: Town) -> None:
    async with slow_bot(town, sentences=MANY):
        root = await town.ask(HOTEL)
        await streaming(town, root)
        await press_stop(town, root)
        message = await stopped(town, root)
        await town.settled()

        await town.playground.person(ADA).click(SUPPORT, message["ts"], label="Answer after all")
        await town.playground.until(lambda: "Stopped by" not in str(town.said(root)), timeout=60)
        await town.settled()

    (answer,) = town.said(root)
    assert 3 <= text_of(answer).count("145 EUR [1]")
    assert "Stopped" not in text_of(answer)


async def test_answer_after_all_counts_however_soon_it_is_pressed(town: Town) -> None:
    async with town.bot():
        async with AsyncExitStack() as uncommitted:
            async with held_back(town):
                root = await town.ask(HOTEL)
                await until_held_back(town)
                await react(town, root)
                await acknowledged(town)
                await uncommitted.enter_async_context(unrecorded(town))
            # Whoever sees that it was stopped may press before that is committed.
            message = await stopped(town, root)
            await town.playground.person(ADA).click(SUPPORT, message["ts"], label="Answer after all")
            await asyncio.sleep(0.3)
        await answer_holding(town, root, "145 EUR")
        await town.settled()

    assert 1 == len(town.said(root))


async def test_a_stop_that_slack_tells_by_refusing_the_stream_only_is_a_stop_too(town: Town) -> None:
    async with slow_bot(town, sentences=MANY):
        root = await town.ask(HOTEL)
        await streaming(town, root)

        town.playground.faults.drop_deliveries(100)
        await press_stop(town, root)
        message = await stopped(town, root, "Stopped.")
        town.playground.faults.clear()

    assert "145 EUR" in text_of(message)
    assert 1 == len(town.said(root))


async def test_a_stop_shows_nothing_of_a_text_that_a_reviewer_had_to_see_first(town: Town) -> None:
    validating = asyncio.Event()

    def script(request: dict[str, Any]) -> Reply:
        if "validate" not in str(request.get("response_format")):
            return understood(HOTEL) if "response_format" in request else Says(DRAFT)
        validating.set()
        return replace(valid(), pause_seconds=300.0)

    async with GroqServer.serve(script) as groq, reviewed(town, groq):
        root = await town.ask(HOTEL)
        await asyncio.wait_for(validating.wait(), 60)

        await press_stop(town, root)
        message = await stopped(town, root)
        await town.settled()

    assert f"Stopped by <@{ADA}>." in text_of(message)
    assert 1 == len(town.said(root))
    assert "999" not in str([call.arguments for call in town.playground.calls()])


async def test_a_stop_shows_nothing_of_a_draft_that_was_taken_back_even_where_people_still_see_it(town: Town) -> None:
    seen, writing_again = asyncio.Event(), asyncio.Event()

    def script(request: dict[str, Any]) -> Reply:
        if "response_format" not in request:
            if GUESS not in str(request["messages"]):
                return Says(GUESS)
            town.playground.faults.fail("chat.update", "ratelimited", status=429, times=3)
            writing_again.set()
            return Says("It is 145 EUR [1].", pause_seconds=2.0)
        if "validate" not in str(request["response_format"]):
            return understood(HOTEL)
        return replace(judged("unsupported"), held_until=seen)

    async with GroqServer.serve(script) as groq, town.bot(groq_api_key="gsk_local", groq_base_url=groq.url):
        root = await town.ask(HOTEL)
        await town.playground.until(lambda: "needs an approval" in str(town.said(root)), timeout=60)
        seen.set()
        await asyncio.wait_for(writing_again.wait(), 60)

        await press_stop(town, root)
        message = await stopped(town, root)
        await town.settled()

    assert "needs an approval" not in text_of(message)
    assert 1 == len(town.said(root))


@asynccontextmanager
async def endless_model() -> AsyncGenerator[dict[str, str]]:
    """A model that never comes to an end, but for what is asked after its first answer."""

    def script(request: dict[str, Any]) -> Reply:
        if "response_format" in request:
            return understood(HOTEL) if "route" in str(request["response_format"]) else valid()
        return Says("The limit for a hotel night is 145 EUR [1]. " * MANY, pause_seconds=0.3)

    async with GroqServer.serve(script) as groq:
        yield {"GROQ_API_KEY": "gsk_local", "GROQ_BASE_URL": groq.url}


def refuse_second_reading(town: Town) -> None:
    """Let Slack show a thread once, to who looks for what nobody recorded, and not to who then reads what was said."""
    left = iter([True])

    def watcher(method: str, side: str) -> bool:
        if (method, side) == ("conversations.replies", "after") and next(left, False):
            town.playground.faults.fail(method, "org_login_required")
        return False

    town.playground.faults.watch(watcher)


async def test_killed_while_stopping_another_process_stops_it(town: Town) -> None:
    async with endless_model() as settings, town.bot_process(**settings) as process:
        root = await town.ask(HOTEL)
        await streaming(town, root)
        async with held_back(town):
            await press_stop(town, root)
            await until_held_back(town)
            await process.kill()
        async with town.bot():
            message = await stopped(town, root)
            await town.settled()

    assert "145 EUR [1]" in text_of(message)
    assert 1 == len(town.said(root))


async def test_a_stop_that_cannot_read_what_was_said_is_tried_again(town: Town) -> None:
    async with endless_model() as settings, town.bot_process(**settings) as process:
        root = await town.ask(HOTEL)
        await streaming(town, root)
        async with held_back(town):
            await press_stop(town, root)
            await until_held_back(town)
            await process.kill()
        refuse_second_reading(town)
        async with town.bot():
            message = await stopped(town, root)
            await town.settled()

    assert "145 EUR [1]" in text_of(message)
    assert 1 == len(town.said(root))


async def test_a_stop_that_one_process_takes_in_ends_the_run_of_another(town: Town) -> None:
    async with endless_model() as settings, town.bot_process("receive"), town.bot_process("work", **settings):
        root = await town.ask(HOTEL)
        await streaming(town, root)

        await react(town, root)
        message = await stopped(town, root)
        await town.settled()

    assert "145 EUR [1]" in text_of(message)
    assert 1 == len(town.said(root))
