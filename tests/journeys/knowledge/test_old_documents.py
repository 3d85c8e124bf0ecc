"""The source line says that a document is older than its source allows, with and without a model."""

from datetime import date, timedelta
from pathlib import Path

import pytest
from rich.console import Console

from bot.cli.administration import administering
from bot.cli.knowledge import sources
from bot.knowledge.ingest import ingest
from bot.models.choice import load_embedding
from bot.postgres.pool import Database
from bot.settings import Settings
from tests.journeys.conversations.test_groq import with_groq, writing
from tests.journeys.harness import Harness, text_of
from tests.models.groq_server import GroqServer, Says

ASKED = "How much does a parking space cost in Munich?"
DATED = date.today() - timedelta(days=100)  # noqa: DTZ011 - The database's day may be another; the test is not near it.
LINE = f"Parking in Munich · {DATED} · older than 90 days"


@pytest.fixture
async def folder(harness: Harness, tmp_path: Path) -> Path:
    """A folder with a dated document, whose documents are old after ninety days."""
    page = f"---\nupdated: {DATED}\n---\n# Parking in Munich\n\nA parking space in Munich costs 80 EUR a month.\n"
    (tmp_path / "parking.md").write_text(page)
    async with Database.open(harness.app_url, size=2, workspace="default") as database:
        await ingest(database, load_embedding("english"), "default", [tmp_path])
    await let_age(harness, tmp_path, 90)
    return tmp_path


async def let_age(harness: Harness, folder: Path, days: int) -> None:
    """Set after how many days the folder's documents are old."""
    settings = Settings.model_validate(harness.settings)
    async with administering(settings, harness.app_url, Console(quiet=True)) as here:
        assert await sources.set_source(here, str(folder), upkeep=sources.UpkeepChange(days=days))


async def test_an_old_document_is_quoted_and_its_source_line_says_that_it_is_old(
    harness: Harness, folder: Path
) -> None:
    async with harness.bot():
        root = await harness.ask(ASKED)
        (answer,) = await harness.answers(root)
        await let_age(harness, folder, 101)
        again = await harness.ask(ASKED)
        (younger,) = await harness.answers(again)

    assert "80 EUR" in text_of(answer)
    assert LINE in text_of(answer)
    assert "80 EUR" in text_of(younger)
    assert "older than" not in text_of(younger)


@pytest.mark.parametrize(
    ("until", "question", "said"),
    [
        (date.today() - timedelta(days=3), ASKED, "“Parking in Munich” was valid until "),  # noqa: DTZ011 - As above.
        (date.today() - timedelta(days=3), "Was kostet ein Parkplatz in Munich?", "“ galt bis "),  # noqa: DTZ011
        (date.today() + timedelta(days=3), ASKED, ""),  # noqa: DTZ011
    ],
)
async def test_of_a_document_whose_own_time_is_over_the_answer_says_so(
    harness: Harness, tmp_path: Path, until: date, question: str, said: str
) -> None:
    page = f"# Parking in Munich\n\nValid until {until}\n\nA parking space in Munich costs 80 EUR a month.\n"
    (tmp_path / "parking.md").write_text(page)
    async with Database.open(harness.app_url, size=2, workspace="default") as database:
        await ingest(database, load_embedding("english"), "default", [tmp_path])

    async with harness.bot():
        root = await harness.ask(question)
        (answer,) = await harness.answers(root)

    assert "80 EUR" in text_of(answer)
    assert said in text_of(answer)
    assert said or "was valid until" not in text_of(answer)


@pytest.mark.usefixtures("folder")
async def test_a_models_answer_says_so_too(harness: Harness) -> None:
    script = writing(Says("A parking space in Munich costs 80 EUR a month [1]."))
    async with GroqServer.serve(script) as groq, with_groq(harness, groq):
        root = await harness.ask(ASKED)
        (answer,) = await harness.answers(root)

    assert LINE in text_of(answer)
