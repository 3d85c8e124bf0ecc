"""A removed source answers no question any more, not even one that waits for a click."""

import io

import pytest
from rich.console import Console

from bot.cli.administration import administering
from bot.cli.demo import HANDBOOK
from bot.cli.knowledge import sources
from bot.settings import Settings
from tests.journeys.harness import Harness, text_of


async def remove(harness: Harness) -> str:
    """Remove the handbook beside the running bot, and return the command's output."""
    console = Console(file=io.StringIO(), width=200)
    async with administering(Settings.model_validate(harness.settings), harness.app_url, console) as here:
        assert await sources.remove_source(here, str(HANDBOOK), is_sure=True)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("label", ["Porto", "Just answer"])
async def test_a_click_is_not_answered_from_what_was_removed_while_it_was_waited_for(
    harness: Harness, label: str
) -> None:
    async with harness.bot():
        root = await harness.ask("How many vacation days do I have?")
        await harness.card(root)
        assert "Removed: " in await remove(harness)
        await harness.click(root, label)
        (answer,) = await harness.answers(root)
        await harness.settled()
        again = await harness.ask("What is the limit for a hotel night?")
        (other,) = await harness.answers(again)

    assert "25" not in text_of(answer)
    assert "145 EUR" not in text_of(other)
    assert all("handbook" not in text_of(one).lower() for one in (answer, other))
