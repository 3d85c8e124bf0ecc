"""Without memory, each message is on its own, and the bot asks nothing back."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from tests.journeys.changes.test_changes import AMBIGUOUS, delete
from tests.journeys.changes.test_revisions import change, settled_card
from tests.journeys.harness import Harness, is_open_card, text_of
from tests.models.groq_server import GroqServer
from tests.models.obliging import oblige


@asynccontextmanager
async def forgetful_bot(harness: Harness) -> AsyncGenerator[list[dict[str, Any]]]:
    """Run the bot without memory; yield the questions that its model gets."""
    async with (
        GroqServer.serve(oblige) as groq,
        harness.bot(mode="stateless", groq_api_key="gsk_local", groq_base_url=groq.url),
    ):
        yield groq.requests


async def test_without_memory_an_ambiguous_question_is_answered_with_its_assumption(harness: Harness) -> None:
    async with harness.bot(mode="stateless"):
        root = await harness.ask("How many vacation days do I have?")
        (answer,) = await harness.answers(root)
        await harness.settled()

    assert "I assumed" in text_of(answer)
    assert not [one for one in harness.said(root) if is_open_card(one)]


async def test_without_memory_a_follow_up_is_taken_by_itself(harness: Harness) -> None:
    async with harness.bot(mode="stateless"):
        root = await harness.ask("How many vacation days do people in Hamburg get?")
        await harness.answers(root)
        await harness.ask("And in Porto?", root=root)
        answers = await harness.answers(root, 2)

    assert "30" in text_of(answers[0])
    assert "25 days" not in text_of(answers[1])


async def test_without_memory_a_choice_for_a_question_of_before_is_answered_without_it(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask("hello")
        second = await harness.ask("thanks, what can you do?", root=root)
        await harness.answers(root, 2)
        await harness.ask(AMBIGUOUS, root=root)
        await harness.card(root)
        await delete(harness, second)  # The edit ends the waiting run.
        await harness.settled()

    async with forgetful_bot(harness) as requests:
        await harness.click(root, "Hamburg")
        await harness.answers(root, 2)
        await harness.settled()

    assert requests
    assert "hello" not in str(requests)


async def test_without_memory_a_changed_choice_is_answered_without_it(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask("hello")
        await harness.answers(root)
        await harness.ask(AMBIGUOUS, root=root)
        await harness.click(root, "Hamburg")
        card = await settled_card(harness, root, "chose *Hamburg*")
        await harness.answers(root, 2)
        await harness.settled()

    async with forgetful_bot(harness) as requests:
        await change(harness, card, "Porto")
        await harness.playground.until(lambda: "Revised: *Porto*" in str(harness.said(root)))
        await harness.settled()

    assert requests
    assert "hello" not in str(requests)
