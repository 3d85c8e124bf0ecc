"""Warms a process up: what Python and RE2 find out at a first answer, a forked bot need not find out again."""

import asyncio
from contextlib import aclosing

from langgraph.checkpoint.memory import InMemorySaver

from bot.clock import SystemClock
from bot.knowledge.language import language_of
from bot.models.choice import load_embedding
from bot.settings import Settings
from graph.builder import compiled_graph
from graph.run import Run
from graph.turn import Turn
from tests.simulation.models import scripted_context


def warm_up() -> None:
    """Load the built-in embedding and the languages, read the settings, and answer with trivial models, in memory."""
    # Nothing is embedded here, because a forked process has none of the threads that this would start.
    assert load_embedding("english").vocabulary
    assert language_of("Whoever travels for the house books by rail.")
    Settings()
    asyncio.run(_answer())


async def _answer() -> None:
    run = Run(compiled_graph(), InMemorySaver(), thread_id="warm", context=scripted_context(SystemClock()))
    async with aclosing(run.start(Turn(question="How many days for c1?", asker="ada", addressed=True))) as events:
        async for _ in events:
            pass
