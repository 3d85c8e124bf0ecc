"""Warms a process up: what Python and RE2 find out at a first answer, a forked process need not find out again."""

import asyncio
from contextlib import aclosing

from langgraph.checkpoint.memory import InMemorySaver

from bot.certificates import authorities
from bot.clock import SystemClock
from bot.knowledge.language import language_of
from bot.knowledge.places.gazetteer import gazetteer
from bot.models.choice import load_embedding
from bot.models.offline.understanding.example_vectors import example_vectors
from bot.models.offline.understanding.examples import read_examples
from bot.models.thesaurus import thesaurus
from bot.settings import Settings
from graph.builder import compiled_graph
from graph.run import Run
from graph.turn import Turn
from tests.simulation.models import scripted_context


def load() -> None:
    """Load the built-in embedding, the examples of kinds of messages, words, languages and cities."""
    embedding = load_embedding("english")
    assert embedding.vocabulary
    assert read_examples()
    assert example_vectors(embedding.model)
    assert language_of("Whoever travels for the house books by rail.")
    assert gazetteer()
    assert thesaurus()
    assert authorities()


def warm_up() -> None:
    """Read the settings, and answer with trivial models, in memory."""
    Settings()
    asyncio.run(_answer())


async def _answer() -> None:
    run = Run(compiled_graph(), InMemorySaver(), thread_id="warm", context=scripted_context(SystemClock()))
    async with aclosing(run.start(Turn(question="How many days for c1?", asker="ada", addressed=True))) as events:
        async for _ in events:
            pass
