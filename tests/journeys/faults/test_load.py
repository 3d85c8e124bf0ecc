"""Many questions at once, within Slack's rate limits."""

from collections.abc import AsyncGenerator

import pytest

from playground import Playground
from tests.journeys.harness import PATIENCE, Harness, is_answer, text_of

CHANNELS = ["C0GENERAL", "C0SUPPORT", "C0PEOPLE", "D0ADA"]


@pytest.fixture
async def strict_harness(handbook_url: str) -> AsyncGenerator[Harness]:
    """A harness whose Slack counts every call."""
    async with Playground.open(limits="slack", ack_seconds=PATIENCE) as playground:
        yield Harness(playground, handbook_url)


async def test_fifty_questions_in_a_minute_are_all_answered_once_at_slacks_true_limits(strict_harness: Harness) -> None:
    harness = strict_harness
    async with harness.bot(most_waiting_per_person=50):
        places = [CHANNELS[number % len(CHANNELS)] for number in range(50)]
        roots = [(await harness.ask("What is the limit for a hotel night?", channel=place), place) for place in places]

        def answered() -> bool:
            return all(any(is_answer(one) for one in harness.said(root, place)) for root, place in roots)

        await harness.playground.until(answered, timeout=PATIENCE)
        await harness.settled()

    for root, place in roots:
        (answer,) = harness.said(root, place)
        assert "145 EUR" in text_of(answer)
