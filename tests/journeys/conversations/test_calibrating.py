"""What people think of answers changes how sure Askback must be."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from bot.cli.administration import administering
from bot.cli.calibration import fit_bands
from bot.evals.feedback import TooLittleFeedbackError
from bot.models.bands import read_bands
from bot.settings import Settings
from tests.journeys.harness import ADA, BEN, SUPPORT, Harness, Message, text_of
from tests.support.waiting import PATIENCE

ASKED = "What is the limit for a hotel night?"
QUESTIONS = (
    ASKED,
    "How many vacation days do people in Porto get?",
    "How many vacation days do people in Hamburg get?",
    "How long is the warranty of a Pine Router?",
    "How long is the warranty of a Lumen Hub?",
    "What is the daily allowance for meals?",
    "Who owns the travel policy?",
    "What does parking in Porto cost?",
)


async def rate(harness: Harness, answer: Message, person: str, *, is_good: bool) -> None:
    """Press 👍, or 👎 and close the modal that asks why."""
    who = harness.playground.person(person)
    await who.click(SUPPORT, answer["ts"], label="Good answer" if is_good else "Bad answer")
    if not is_good:
        await who.close_view(await harness.playground.until(lambda: who.open_view, timeout=PATIENCE))


async def test_clicks_on_thumbs_change_the_bands(harness: Harness, tmp_path: Path) -> None:
    said, file = io.StringIO(), tmp_path / "bands.json"
    async with harness.bot():
        answers = [(await harness.answers(await harness.ask(question)))[-1] for question in QUESTIONS]
        await harness.settled()
        for place, answer in enumerate(answers):
            for person in (ADA, BEN):
                await rate(harness, answer, person, is_good=place % 3 == 0)
        await harness.settled()
    settings = Settings(**harness.settings)

    async with administering(settings, harness.app_url, Console(file=said, width=200)) as here:
        with pytest.raises(TooLittleFeedbackError, match="the bands need 40 ratings"):
            await fit_bands(here, file)
        await fit_bands(here, file, least=10)

    assert "before" in (told := said.getvalue())
    assert "sure 0.55 →" in told
    assert read_bands(file).before(0.55) > 0.55
    assert "I am not sure" not in text_of(answers[0])
    async with harness.bot(bands=file):
        (again,) = await harness.answers(await harness.ask(ASKED))
    assert "I am not sure" in text_of(again)
