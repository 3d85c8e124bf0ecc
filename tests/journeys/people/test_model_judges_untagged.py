"""Untagged questions where a model decides: it speaks only if it answers wholly, and else nobody notices it."""

from collections import Counter
from collections.abc import Callable

import pytest

from tests.journeys.conversations.test_groq import LIMIT, Request, form_of
from tests.journeys.harness import Harness, text_of
from tests.journeys.people.test_channel_modes import (
    SOON,
    asked,
    calls_about,
    judged,
    lacks,
    rows_with,
    turned_on,
)
from tests.models.groq_server import Fails, GroqServer, Reply, Says
from tests.models.obliging import oblige

WHOLE = Says(f"EVIDENCE: full\n{LIMIT}")
PART = Says(f"EVIDENCE: part: hotels with breakfast\n{LIMIT}")
NONE = Says("EVIDENCE: none")
FREE = "How much may one spend on a hotel room?"
"""Rules do not know whether the documents answer it, because the documents have other words."""
YES_OR_NO = "Is there a limit for a hotel night in Paris?"
"""Rules quote a limit, but no quotation says yes or no."""
FAR = "What is the capital of Mongolia?"


def answering(reply: Reply) -> Callable[[Request], Reply]:
    """Return a script that writes the reply, and fills in every form well."""
    return lambda request: oblige(request) if form_of(request) else reply


def serving(harness: Harness, server: GroqServer):  # noqa: ANN201
    """Run the bot with the server as its model; it looks at untagged questions soon."""
    return harness.bot(cadence=SOON, untagged_after_seconds=0.3, groq_api_key="gsk_local", groq_base_url=server.url)


def written(requests: list[Request]) -> int:
    """Return how many answers the model wrote."""
    return Counter(map(form_of, requests))[""]


def noticed(harness: Harness, since: int) -> list[str]:
    """Return the calls since a number of calls that people can notice."""
    return [one for one in calls_about(harness, since) if one != "chat.getPermalink"]


async def test_what_a_model_answers_wholly_is_one_post_though_rules_would_not_quote_it(harness: Harness) -> None:
    async with GroqServer.serve(answering(WHOLE)) as groq, serving(harness, groq):
        await turned_on(harness)
        before = len(harness.playground.calls())
        question = await asked(harness, FREE)
        (answer,) = await harness.answers(question)
        await judged(harness)

        assert "145 EUR" in text_of(answer)
        assert ["chat.postMessage"] == noticed(harness, before)
        assert 1 == len(harness.said(question))
    assert 2 == written(groq.requests), "It is judged in a dry run, and then answered."


@pytest.mark.parametrize(
    ("text", "says"),
    [(FREE, PART), (FREE, NONE), (YES_OR_NO, Fails(500))],
    ids=["in part", "not at all", "the model fails"],
)
async def test_what_a_model_does_not_answer_wholly_is_left_to_people(harness: Harness, text: str, says: Reply) -> None:
    async with GroqServer.serve(answering(says)) as groq, serving(harness, groq):
        await turned_on(harness)
        before = len(harness.playground.calls())
        await asked(harness, text)
        await judged(harness)

        assert [] == calls_about(harness, before)
        assert [] == await rows_with(harness, "hotel")
        assert await lacks(harness, "SELECT FROM untagged_questions")
    assert written(groq.requests), "The model was asked."


async def test_a_second_run_that_comes_to_less_shows_nothing(harness: Harness) -> None:
    left = [WHOLE]

    def script(request: Request) -> Reply:
        return oblige(request) if form_of(request) else left.pop() if left else PART

    async with GroqServer.serve(script) as groq, serving(harness, groq):
        await turned_on(harness)
        before = len(harness.playground.calls())
        question = await asked(harness, FREE)
        await judged(harness)

        assert [] == noticed(harness, before)
        assert [] == harness.said(question)


async def test_a_model_is_not_asked_about_what_no_passage_comes_near(harness: Harness) -> None:
    async with GroqServer.serve(answering(WHOLE)) as groq, serving(harness, groq):
        await turned_on(harness)
        before = len(harness.playground.calls())
        await asked(harness, FAR)
        await judged(harness)

        assert [] == calls_about(harness, before)
    assert [] == groq.requests
