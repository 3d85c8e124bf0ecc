"""A provider's embedding model serves, fails, is taken and given up, from a Slack payload to the Slack calls."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from bot.conversation.schedule import Cadence
from bot.knowledge.ingest import ingest
from bot.models.choice import load_embedding
from bot.postgres.pool import Database
from playground import Playground
from tests.journeys.faults.test_failing_retrievers import BY_WORDS
from tests.journeys.harness import Harness, text_of, until
from tests.models.embedding_server import KEY, EmbeddingServer
from tests.models.groq_server import Fails
from tests.support.databases import as_app
from tests.support.fork_server import ForkServer

pytest.importorskip("langchain_openai", reason="The extra is not installed.")
OFTEN = Cadence(sources_seconds=0.1, sources_niceness=0)
BUILT_IN, REMOTE = "all-minilm-l6-v2-int8", "openai:bge-m3@1024"
ASKED = "How long may I go on vacation?"
DOCUMENTS = {
    "leave": "# Leave\n\nEverybody gets 28 days of paid vacation a year.\n",
    "parking": "# Parking\n\nParking in the yard is free on Sundays.\n",
    "doors": "# Doors\n\nThe door of the cellar opens at seven.\n",
}


@pytest.fixture
async def here(database_url: str, fork_server: ForkServer, tmp_path: Path) -> AsyncGenerator[Harness]:
    """A harness whose documents are embedded with the built-in model."""
    for name, text in DOCUMENTS.items():
        (tmp_path / f"{name}.md").write_text(text)
    async with Database.open(as_app(database_url), size=4, workspace="default") as database:
        await ingest(database, load_embedding("english"), "default", [tmp_path])
    async with Playground.open(ack_seconds=10.0) as playground:
        yield Harness(playground, database_url, fork_server)


async def serves(harness: Harness, model: str) -> None:
    """Wait until all passages have vectors of one model only, which serves."""
    async with harness.owning() as owner:

        async def changed() -> bool:
            cursor = await owner.execute("SELECT model FROM serving_models UNION SELECT model FROM embeddings")
            return [(model,)] == await cursor.fetchall()

        await until(changed)


async def answer_to(harness: Harness, question: str) -> str:
    """Ask and return the answer."""
    (answer,) = await harness.answers(await harness.ask(question))
    return text_of(answer)


async def test_the_bot_changes_to_a_providers_model_answers_with_it_and_changes_back(
    here: Harness, capfd: pytest.CaptureFixture[str]
) -> None:
    async with EmbeddingServer.serve() as server:
        async with here.bot(cadence=OFTEN, **server.settings):
            await serves(here, REMOTE)
            embedded = len(server.texts)
            answered = await answer_to(here, ASKED)
        asked = server.texts[embedded:]
        before = len(server.texts)
        async with here.bot(cadence=OFTEN, embedding="english"):
            await serves(here, BUILT_IN)
            again = await answer_to(here, "When does the cellar door open?")

    assert "28 days" in answered
    assert BY_WORDS not in answered
    assert embedded == len(DOCUMENTS)
    assert ASKED in asked
    assert not [text for text in asked if "28 days" in text]
    assert "seven" in again
    assert before == len(server.texts)
    assert KEY not in "".join(capfd.readouterr())


async def test_while_the_server_is_away_words_find_the_answer_and_it_says_so(here: Harness) -> None:
    async with EmbeddingServer.serve() as server:
        async with here.bot(cadence=OFTEN, **server.settings):
            await serves(here, REMOTE)
        server.always = Fails(503)
        async with here.bot(**server.settings):
            by_words = await answer_to(here, ASKED)

    assert "28 days" in by_words
    assert BY_WORDS in by_words


async def test_until_a_change_is_done_the_old_model_serves_however_often_the_provider_fails(here: Harness) -> None:
    async with EmbeddingServer.serve(always=Fails(503)) as server, here.bot(cadence=OFTEN, **server.settings):

        async def has_failed() -> bool:
            return server.failed > 0

        await until(has_failed)
        answered = await answer_to(here, ASKED)
        server.always = None
        await serves(here, REMOTE)

    assert "28 days" in answered
    assert BY_WORDS not in answered
