"""Many questions at once, at the pace that Slack allows."""

from collections.abc import AsyncGenerator

import pytest

from playground import Playground
from tests.journeys.town import Town, is_answer, text_of

CHANNELS = ["C0GENERAL", "C0SUPPORT", "C0PEOPLE", "D0ADA"]


@pytest.fixture
async def strict_town(handbook_url: str) -> AsyncGenerator[Town]:
    """A town whose Slack counts every call."""
    async with Playground.open(limits="slack") as playground:
        yield Town(playground, handbook_url)


async def test_fifty_questions_in_a_minute_are_all_answered_once_at_slacks_true_limits(strict_town: Town) -> None:
    town = strict_town
    async with town.bot(most_waiting_per_person=50):
        places = [CHANNELS[number % len(CHANNELS)] for number in range(50)]
        roots = [(await town.ask("What is the limit for a hotel night?", channel=place), place) for place in places]

        def answered() -> bool:
            return all(any(is_answer(one) for one in town.said(root, place)) for root, place in roots)

        await town.playground.until(answered, timeout=120)
        await town.settled()

    for root, place in roots:
        (answer,) = town.said(root, place)
        assert "145 EUR" in text_of(answer)
