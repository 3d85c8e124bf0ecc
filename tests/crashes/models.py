"""The simulation's models, slowed down. The first words of a question choose the kind of its answer."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import product
from typing import Final

from graph.context import Brief, Case, Clock, Context, Hints, Verdict
from graph.passages import Passage
from graph.state import Understanding
from tests.simulation.models import Reader, Repeater, scripted_context

AT_LENGTH, ENDLESSLY, UNSURE = "At length", "Endlessly", "If you are sure"
LONG: Final = "".join(
    f"Paragraph {''.join(letters)} says that the answer to c1 is 26 days [1].\n\n"
    for letters in list(product("abcdefgh", repeat=3))[:220]
)
"""A text that needs two messages."""
THINKING_SECONDS = 0.15
"""Delay before and during writing, so that the answer's stream is open before the answer is complete."""
FOR_EVER_SECONDS = 600.0
_PIECE: Final = 1_000


class SlowReader(Reader):
    """An understander that takes its time."""

    async def understand(self, case: Case) -> Understanding:
        await asyncio.sleep(THINKING_SECONDS)
        return await super().understand(case)


class MoodyWriter(Repeater):
    """A writer that writes as the question says."""

    async def write(self, brief: Brief) -> AsyncIterator[str]:
        if AT_LENGTH in brief["question"]:
            for begins in range(0, len(LONG), _PIECE):
                yield LONG[begins : begins + _PIECE]
                await asyncio.sleep(0.01)
            return
        async for piece in super().write(brief):
            yield piece
            await asyncio.sleep(THINKING_SECONDS)
        if ENDLESSLY in brief["question"]:
            yield " And more"
            await asyncio.sleep(FOR_EVER_SECONDS)


class Doubter:
    """A validator that finds fault if the question says so."""

    async def validate(
        self, question: str, answer: str, passages: list[Passage], hints: Hints | None = None
    ) -> Verdict:
        sure = 0.2 if UNSURE in question else 1.0
        return Verdict(faithful=sure, responsive=1.0, issues=[])


def moody(clock: Clock) -> Context:
    """Return the context of every run."""
    return replace(scripted_context(clock), understander=SlowReader(), writers=(MoodyWriter(),), validator=Doubter())
