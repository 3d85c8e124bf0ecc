"""What fails costs only its own results: the embedding, the search of documents, the directory; from Slack to Slack."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from threading import Event
from typing import Any

import psycopg

from bot.app import open_bot, serving_slack
from bot.models.choice import ServingEmbedding
from bot.models.embedding import MiniLm
from bot.models.opened import offline_models
from bot.settings import Settings
from tests.journeys.conversations.test_groq import with_groq
from tests.journeys.faults.test_faults import failure_in
from tests.journeys.harness import Harness, labels_of, text_of
from tests.journeys.knowledge.test_places import DIRECTORY
from tests.journeys.knowledge.test_places import told as told_places
from tests.journeys.tracing.test_runs import HOTEL, listed, shown
from tests.models.groq_server import GroqServer, Reply, Says
from tests.models.obliging import oblige, reading

BY_WORDS = "Only words were compared"
SUM, NEAR = "What is 3 x 145?", "Childcare near 78701?"


class Faulty(MiniLm):
    """The embedding, while it is out of order."""

    is_broken = True

    def _embed(self, text: str, *, is_query: bool) -> Any:
        if self.is_broken:
            raise ConnectionError("The provider is away.")
        return super()._embed(text, is_query=is_query)


class Hanging(MiniLm):
    """The embedding, while it computes for ever."""

    query_seconds = passage_seconds = 2.0
    rest_seconds = 3600.0

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.goes_on = Event()
        self.begun = 0

    def _embed(self, text: str, *, is_query: bool) -> Any:
        self.begun += 1
        self.goes_on.wait()
        return super()._embed(text, is_query=is_query)


class Resuming(Hanging):
    """The same, and it is tried again at once."""

    rest_seconds = 0.0


@asynccontextmanager
async def with_embedding(harness: Harness, embedding: MiniLm, **given: Any) -> AsyncGenerator[None]:
    """Run the bot with an embedding of the test's own."""
    async with AsyncExitStack() as stack:
        settings = Settings(**{**harness.settings, **given})
        bot = await stack.enter_async_context(open_bot(settings, harness.app_url))
        mine = replace(bot, serving=ServingEmbedding(embedding), models=offline_models(embedding))
        await stack.enter_async_context(serving_slack(mine))
        yield


async def answer_to(harness: Harness, question: str) -> str:
    """Ask and return the answer."""
    root = await harness.ask(question)
    (answer,) = await harness.answers(root)
    await harness.settled()
    return text_of(answer)


def documents_out_of_order(harness: Harness) -> None:
    """Break the statement that searches documents, and nothing else."""
    with psycopg.connect(harness.database_url, autocommit=True) as owner:
        owner.execute("ALTER FUNCTION passages_by_text RENAME TO passages_by_text_gone")


async def test_without_embeddings_words_find_the_answer_and_it_says_so_until_they_are_back(harness: Harness) -> None:
    embedding = Faulty.load()
    async with with_embedding(harness, embedding):
        broken = await answer_to(harness, HOTEL)
        told = await shown(harness, str((await listed(harness))[0]["id"]), with_text=False)
        embedding.is_broken = False
        mended = await answer_to(harness, HOTEL)
        searched_again = await shown(harness, str((await listed(harness))[0]["id"]), with_text=False)

    assert "145 EUR" in broken
    assert BY_WORDS in broken
    assert "by_words" in told.replace(" ", "_")
    assert "145 EUR" in mended
    assert BY_WORDS not in mended
    # What words alone found is not kept for the same question.
    assert "searches 1, reused 0" in searched_again


async def test_while_the_embedding_hangs_words_find_the_answer_and_it_is_left_alone(harness: Harness) -> None:
    embedding = Hanging.load()
    async with with_embedding(harness, embedding):
        first = await answer_to(harness, HOTEL)
        begun = embedding.begun
        second = await answer_to(harness, "What is the limit for a taxi?")
        total = [await answer_to(harness, SUM), await answer_to(harness, HOTEL)]

    assert "145 EUR" in first
    assert BY_WORDS in first
    assert BY_WORDS in second
    assert "435" in total[0]
    assert "145 EUR" in total[1]
    assert begun == embedding.begun
    embedding.goes_on.set()


async def test_an_embedding_that_hung_is_used_again(harness: Harness) -> None:
    embedding = Resuming.load()
    async with with_embedding(harness, embedding):
        hung = await answer_to(harness, HOTEL)
        embedding.goes_on.set()
        mended = await answer_to(harness, HOTEL)

    assert BY_WORDS in hung
    assert "145 EUR" in mended
    assert BY_WORDS not in mended


async def test_without_embeddings_what_words_do_not_find_is_not_called_missing_without_saying_so(
    harness: Harness,
) -> None:
    async with with_embedding(harness, Faulty.load()):
        told = await answer_to(harness, "May my parrot join me?")

    assert "I found nothing" in told
    assert BY_WORDS in told


async def test_without_embeddings_sums_and_places_are_answered_as_ever(harness: Harness) -> None:
    await told_places(harness, DIRECTORY)
    async with with_embedding(harness, Faulty.load()):
        told = [await answer_to(harness, SUM), await answer_to(harness, NEAR)]

    assert "435" in told[0]
    assert "Little Oaks" in told[1]
    assert BY_WORDS not in "".join(told)


async def test_without_a_search_of_documents_sums_and_places_are_answered(harness: Harness) -> None:
    await told_places(harness, DIRECTORY)
    documents_out_of_order(harness)
    async with harness.bot():
        told = [await answer_to(harness, SUM), await answer_to(harness, NEAR)]
        run = await shown(harness, str((await listed(harness))[0]["id"]), with_text=False)

    assert "435" in told[0]
    assert "Little Oaks" in told[1]
    assert "documents failed 1" in run.replace("_", " ")


async def test_without_a_search_of_documents_a_question_for_them_ends_with_a_word_and_retry(harness: Harness) -> None:
    documents_out_of_order(harness)
    async with harness.bot():
        root = await harness.ask(HOTEL)
        failure = await failure_in(harness, root)

    assert "something went wrong on my side" in text_of(failure)
    assert "I found nothing" not in text_of(failure)
    assert "Retry" in labels_of(failure)


async def test_without_the_directory_documents_are_asked(harness: Harness) -> None:
    await told_places(harness, DIRECTORY)
    with psycopg.connect(harness.database_url, autocommit=True) as owner:
        owner.execute("ALTER TABLE places RENAME COLUMN latitude TO gone")
    async with harness.bot():
        told = await answer_to(harness, NEAR)
        run = await shown(harness, str((await listed(harness))[0]["id"]), with_text=False)

    assert "Little Oaks" not in told
    assert "places failed 1" in run.replace("_", " ")


def planning_a_sum(request: dict[str, Any]) -> Reply:
    form = request.get("response_format", {}).get("json_schema", {}).get("name", "")
    if form == "understand":
        return reading(tools=[{"tool": "calculator", "arguments": [{"name": "expression", "value": "3 * 145"}]}])
    return oblige(request) if form else Says("EVIDENCE: full\nThree nights cost 435 EUR [1].")


async def test_a_model_writes_from_a_tool_and_says_that_documents_could_not_be_searched(harness: Harness) -> None:
    documents_out_of_order(harness)
    async with GroqServer.serve(planning_a_sum) as groq, with_groq(harness, groq):
        told = await answer_to(harness, "Our group stays for 3 nights of 145 EUR each: what do we pay in all?")

    assert "435 EUR" in told
    assert "could not be searched" in told
