"""Answers that a tool computes, with and without a model, from a Slack payload to the Slack calls."""

import pytest

from tests.journeys.conversations.test_groq import Request, form_of, with_groq
from tests.journeys.harness import BEN, Harness, text_of
from tests.models.groq_server import Fails, GroqServer, Reply, Says
from tests.models.obliging import oblige, reading


def with_a_sum(request: Request) -> Reply:
    """Plan a sum, and write from its result."""
    if form_of(request) == "understand":
        arguments = [{"name": "expression", "value": "3 * 145"}]
        return reading(tools=[{"tool": "calculator", "arguments": arguments}])
    if form_of(request):
        return oblige(request)
    assert "3 × 145 = 435" in request["messages"][-1]["content"]
    return Says("EVIDENCE: full\nThree nights cost **435 EUR** [1].", pause_seconds=0.2)


@pytest.mark.parametrize(
    ("question", "said", "title"),
    [
        ("What is 3 x 145?", "3 × 145 = 435", "Calculator: 3 × 145"),
        ("What is 3 x 145 EUR + 19%?", "= 517.65 EUR", "Calculator: (3 × 145 EUR) × (1 + 19 ÷ 100)"),
        ("3 × 145 EUR + 19%", "= 517.65 EUR", "Calculator: (3 × 145 EUR) × (1 + 19 ÷ 100)"),
        ("What is 5 km in miles?", "5 × 1000 ÷ 1609.344 ≈ 3.1068559612 miles", "Calculator: 5 km in miles"),
        ("68 °F in °C", "(68 − 32) × 5 ÷ 9 = 20 °C", "Calculator: 68 °F in °C"),
        ("How many minutes are 2.5 h?", "2.5 × 3600 ÷ 60 = 150 minutes", "Calculator: 2.5 h in minutes"),
        ("How many working days between 3 March and 14 March 2025?", "10 working days", "Dates"),
        ("How many days from 3 March 2025 to 14 March 2025?", "is 11 days, or 12 if both days count [1].", "Dates"),
    ],
)
async def test_a_tool_answers_without_a_model_and_is_the_source(
    harness: Harness, question: str, said: str, title: str
) -> None:
    async with harness.bot():
        root = await harness.ask(question)
        (answer,) = await harness.answers(root)

    assert said in text_of(answer)
    assert f"[1] {title}" in text_of(answer)
    assert "documents" not in text_of(answer)


async def test_a_sum_in_a_thread_with_the_bot_needs_no_mention_and_among_people_it_does(harness: Harness) -> None:
    async with harness.bot():
        root = await harness.ask("What is the limit for a hotel night?")
        await harness.answers(root)
        await harness.say("What is 12 * 7?", root)
        _, sum_ = await harness.answers(root, 2)
        await harness.say("I would stay three nights.", root, person=BEN)
        await harness.say("What is 3 * 145?", root, person=BEN)
        await harness.settled()

    assert "= 84" in text_of(sum_)
    assert 2 == len(harness.said(root))


async def test_a_model_plans_the_sum_and_writes_from_its_result_with_three_calls(harness: Harness) -> None:
    async with GroqServer.serve(with_a_sum) as groq, with_groq(harness, groq):
        root = await harness.ask("What do three nights at 145 EUR cost together?")
        (answer,) = await harness.answers(root)

    assert "435 EUR" in text_of(answer)
    assert "[1] Calculator: 3 × 145" in text_of(answer)
    assert 3 == len(groq.requests)


async def test_if_the_models_fail_the_tool_still_answers(harness: Harness) -> None:
    async with GroqServer.serve(lambda _: Fails(500)) as groq, with_groq(harness, groq):
        root = await harness.ask("What is 3 x 145?")
        (answer,) = await harness.answers(root)

    assert "3 × 145 = 435" in text_of(answer)


async def test_what_a_tool_does_is_a_card_of_the_streamed_message(harness: Harness) -> None:
    async with GroqServer.serve(with_a_sum) as groq, with_groq(harness, groq):
        root = await harness.ask("What do three nights at 145 EUR cost together?")
        await harness.answers(root)

    calls = [call.arguments for call in harness.playground.calls() if call.method.endswith("Stream")]
    cards = [chunk for call in calls for chunk in call["chunks"] if chunk["type"] == "task_update"]
    assert "complete" in [card["status"] for card in cards if card["title"] == "Calculating 3 × 145"]
    (found,) = [card["details"] for card in cards if card["title"].startswith("Found")]
    assert "Calculator: 3 × 145" == found.splitlines()[0]
