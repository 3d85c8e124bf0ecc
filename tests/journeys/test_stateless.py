"""Each message by itself: the same graph without memory, which asks nothing back."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from tests.journeys.test_changes import AMBIGUOUS, delete
from tests.journeys.test_revisions import change, settled_card
from tests.journeys.town import Town, is_open_card, text_of
from tests.models.groq_server import GroqServer
from tests.models.obliging import oblige


@asynccontextmanager
async def forgetful_bot(town: Town) -> AsyncGenerator[list[dict[str, Any]]]:
    """Run the bot without memory; give what its model is asked."""
    async with (
        GroqServer.serve(oblige) as groq,
        town.bot(mode="stateless", groq_api_key="gsk_local", groq_base_url=groq.url),
    ):
        yield groq.requests


async def test_without_memory_an_ambiguous_question_is_answered_with_its_assumption(town: Town) -> None:
    async with town.bot(mode="stateless"):
        root = await town.ask("How many vacation days do I have?")
        (answer,) = await town.answers(root)
        await town.settled()

    assert "I assumed" in text_of(answer)
    assert not [one for one in town.said(root) if is_open_card(one)]


async def test_without_memory_a_follow_up_is_taken_by_itself(town: Town) -> None:
    async with town.bot(mode="stateless"):
        root = await town.ask("How many vacation days do people in Hamburg get?")
        await town.answers(root)
        await town.ask("And in Porto?", root=root)
        answers = await town.answers(root, 2)

    assert "30" in text_of(answers[0])
    assert "25 days" not in text_of(answers[1])


async def test_without_memory_a_choice_for_a_question_of_before_is_answered_without_it(town: Town) -> None:
    async with town.bot():
        root = await town.ask("hello")
        second = await town.ask("thanks, what can you do?", root=root)
        await town.answers(root, 2)
        await town.ask(AMBIGUOUS, root=root)
        await town.card(root)
        await delete(town, second)  # It ends the run that waits.
        await town.settled()

    async with forgetful_bot(town) as requests:
        await town.click(root, "Hamburg")
        await town.answers(root, 2)
        await town.settled()

    assert requests
    assert "hello" not in str(requests)


async def test_without_memory_a_changed_choice_is_answered_without_it(town: Town) -> None:
    async with town.bot():
        root = await town.ask("hello")
        await town.answers(root)
        await town.ask(AMBIGUOUS, root=root)
        await town.click(root, "Hamburg")
        card = await settled_card(town, root, "chose *Hamburg*")
        await town.answers(root, 2)
        await town.settled()

    async with forgetful_bot(town) as requests:
        await change(town, card, "Porto")
        await town.playground.until(lambda: "Revised: *Porto*" in str(town.said(root)))
        await town.settled()

    assert requests
    assert "hello" not in str(requests)
