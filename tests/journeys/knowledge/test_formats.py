"""Answers from PDF and Office files, with citations, from a Slack payload to the Slack calls."""

from pathlib import Path

import pytest

from bot.knowledge.ingest import ingest
from bot.models.choice import load_embedding
from bot.postgres.pool import Database
from playground import Playground
from tests.journeys.harness import Harness, text_of
from tests.knowledge.readers import making
from tests.support.databases import as_app

FILES = {"travel.pdf": making.pdf(), "leave.docx": making.word(), "rates.xlsx": making.sheets()}


@pytest.mark.parametrize(
    ("question", "said", "source"),
    [
        ("What is paid for a kilometre in your own car?", "31 cents", " · 2025-03-12"),
        (
            "How many weeks of parental leave are there in Portugal?",
            "21",
            "Weeks by country · 2025-04-02",
        ),
        ("What is the per day rate of the Porto office?", "28.5", "Rates · 20"),
    ],
    ids=["a sentence of a PDF", "a table in Word", "a row in Excel"],
)
async def test_a_file_answers_with_its_title_and_date(
    tmp_path: Path, database_url: str, question: str, said: str, source: str
) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    async with Database.open(as_app(database_url), size=4, workspace="default") as database:
        await ingest(database, load_embedding("english"), "default", [tmp_path])
    async with Playground.open(ack_seconds=10.0) as playground:
        harness = Harness(playground, database_url)
        async with harness.bot():
            root = await harness.ask(question)
            (answer,) = await harness.answers(root)

    assert said in text_of(answer)
    assert source in text_of(answer)
