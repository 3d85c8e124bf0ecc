"""Two copies of one text are one source: from Slack to Slack."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from bot.knowledge.ingest import ingest
from bot.models.choice import load_embedding
from bot.postgres.pool import Database
from playground import Playground
from tests.journeys.conversations.test_groq import Request, form_of, with_groq
from tests.journeys.harness import Harness, text_of
from tests.models.groq_server import GroqServer, Reply
from tests.models.obliging import oblige, reading
from tests.support.databases import as_app

TEXT = """\
Laptops are replaced every four years. The service desk writes to you two months before yours is due, and you choose
a model from its list. Bring the old laptop with its charger, its bag and the key of its lock to the {place}, where
somebody copies your files while you wait; this takes an hour or so. Stickers may stay on. What breaks earlier is
repaired or replaced at once, and nobody asks whose fault it was.
"""
QUESTION = "How often are laptops replaced?"


@pytest.fixture
async def copies(tmp_path: Path, database_url: str) -> AsyncGenerator[Harness]:
    """A bot whose documents hold one page twice, with one word of difference."""
    for place in ("counter", "reception"):
        (tmp_path / f"{place}.md").write_text(f"# Laptops\n\n{TEXT.format(place=place)}")
    async with Database.open(as_app(database_url), size=4, workspace="default") as database:
        await ingest(database, load_embedding("english"), "default", [tmp_path])
    async with Playground.open(ack_seconds=10.0) as playground:
        yield Harness(playground, database_url)


async def test_two_copies_are_one_source(copies: Harness) -> None:
    async with copies.bot():
        root = await copies.ask(QUESTION)
        (answer,) = await copies.answers(root)

    assert "four years" in text_of(answer)
    assert "[1] Laptops" in text_of(answer)
    assert "[2]" not in text_of(answer)


async def test_two_queries_that_find_one_copy_each_are_answered_from_one(copies: Harness) -> None:
    queries = ["old laptop to the counter", "old laptop to the reception"]

    def script(request: Request) -> Reply:
        return reading(queries=queries) if form_of(request) == "understand" else oblige(request)

    async with GroqServer.serve(script) as groq, with_groq(copies, groq):
        root = await copies.ask("Where do I take my old laptop?")
        await copies.answers(root)

    (prompt,) = [one["messages"][-1]["content"] for one in groq.requests if not form_of(one)]
    assert 1 == prompt.count("Laptops are replaced every four years.")
