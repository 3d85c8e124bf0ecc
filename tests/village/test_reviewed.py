"""What lives in a village with reviewers have found, and what they stand on."""

from collections.abc import AsyncGenerator

import pytest

from bot.database import Database
from tests.journeys.town import labels_of, text_of
from tests.village.host import Ways
from tests.village.promises import broken
from tests.village.village import Village

UNSURE, CLEAR = "What is the limit for u{0}?", "What is the limit for c{0}?"


@pytest.fixture
async def village(database: Database, database_url: str) -> AsyncGenerator[Village]:
    """A village with reviewers."""
    async with Village.open(database, database_url, ways=Ways(has_reviewers=True)) as village:
        yield village


async def test_an_unsure_answer_is_shown_once_it_is_approved(village: Village) -> None:
    await village.say(UNSURE.format(1))
    await village.settle()
    assert [] == await broken(village)
    (card,) = village.desk.values()

    await village.click(card, label="Approve")
    await village.settle()

    assert [] == await broken(village)
    assert ["The answer to u1 is 26 days [1]."] == [one["text"] for one in village.ours]


@pytest.mark.parametrize("does", ["edit", "press"])
async def test_a_card_of_which_nobody_knew_is_settled_with_its_review(village: Village, does: str) -> None:
    asked = await village.say(UNSURE.format(1))
    await village.carry_all(village.hosts[0])
    await village.work(village.hosts[0])
    await village.work(village.hosts[0], pause_at="after chat.postMessage")
    await village.kill(village.hosts[0])

    if does == "edit":
        await village.edit(asked, CLEAR.format(2), mention=True)
    else:
        (card,) = [one for one in village.desk.values() if "Approve" in labels_of(one)]
        await village.click(card, label="Approve")
    await village.settle()

    assert [] == await broken(village)
    (card,) = [one for one in village.desk.values() if "u1" in text_of(one)]
    assert [] == labels_of(card)
