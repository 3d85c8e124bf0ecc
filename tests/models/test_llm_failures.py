"""Whichever call fails, and however often, a turn soon ends in an answer or a failure message, after few calls.

Deadlines are short here, and a hanging model hangs for good, so that hundreds of turns take no longer than one.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from time import monotonic
from typing import Any

import pytest

from bot.models.breaker import Breaker
from bot.models.fallback import FallbackUnderstander, FallbackValidator, writers_of
from bot.models.llm.language_models import open_models
from bot.models.llm.limits import Limits
from bot.models.llm.retries import RetryPolicy
from bot.models.llm.servers import ModelAt, Provider, Server
from bot.models.llm.understander import ModelUnderstander
from bot.models.llm.validator import ModelValidator
from graph.events import AnswerCompleted, AnswerEvent
from graph.routing import PRESETS
from graph.run import run_alone
from graph.turn import Turn
from tests.models.groq_server import Fails, GroqServer, KeepsAlive, Reply, Says, Talks
from tests.models.local_llm import DIALECTS, LARGE, SMALL, server_at
from tests.models.obliging import oblige
from tests.support.fakes import Understood, Validated, Written, context

QUESTION = Turn(question="How many vacation days are there?", asker="U0ADA", addressed=True)
QUOTING = Written((("“Everybody has 25 days of vacation.” [1]",),), note="It quotes.")
SHORT = (0.4, 4.0)
"""Deadlines of a call in seconds. If a busy machine sends no request within the first one, the second one is tried."""
TIMEOUT, DEADLINE = 100.0, 90.0
"""Far more than a turn takes on a busy machine, and less than a turn that waits for one hanging call."""
FORMS_AGAIN = 2
"""Forms whose answer cannot be read, so that they are requested once more."""
ATTEMPTS = 4
QUICK = RetryPolicy(pauses=(0.0,) * (ATTEMPTS - 1), patience_seconds=0.1)

FAILURES: dict[str, Reply] = {
    "429": Fails(429),
    "429 for a moment": Fails(429, headers={"retry-after": "0.05"}),
    "429 for long": Fails(429, headers={"retry-after": "600"}),
    "413": Fails(413),
    "498": Fails(498),
    "500": Fails(500),
    "503": Fails(503),
    "hang": Says("late", pause_seconds=600),
    "keep-alive": KeepsAlive(),
    "stall": KeepsAlive("EVIDENCE: full\nEverybody has 25 days [1]. And every"),
    "cut": Says("EVIDENCE: full\nEverybody has 25 days [1]. And every", size=10, cut_after=4),
    "no end": Says("EVIDENCE: full\nEverybody has 25 days [1].", ends=False),
    "empty": Says(""),
    "huge": Says("Everybody has 25 days of vacation. [1] " * 30_000, size=100_000),
    "no JSON": Talks("<html>Bad gateway</html>"),
    "wrong schema": Says('{"route": "dance", "sentences": 3}'),
    "refusal": Says("I'm sorry, but I can't help with that."),
    "tool call": Fails(400, "Tool choice is none, but model called a tool", code="tool_use_failed"),
    "NaN": Says('{"confidence": NaN, "route": "retrieve"}'),
    "half a character": Says("EVIDENCE: full\nEverybody \ud83d has 25 days [1]."),
    "harmony": Says("<|channel|>analysis<|message|>We need to say it."),
}
PROTOCOLS: tuple[Provider, ...] = ("groq", "openai", "anthropic", "ollama")
CALLS = ("understand", "large", "small", "validate")
TIMES: dict[str, Callable[[int], bool]] = {
    "first": lambda number: number == 0,
    "every": lambda _number: True,
    "alternating": lambda number: number % 2 == 0,
}
OFTEN = ("every",)
"""A provider's part is to read a single response. What comes of some of them, all have in common."""


def call_of(request: dict[str, Any]) -> str:
    """Return the kind of a request's call."""
    form = request.get("response_format", {}).get("json_schema", {}).get("name", "")
    return form or ("large" if request["model"].endswith("120b") else "small")


def failing(failure: Reply, call: str, at: Callable[[int], bool]) -> Callable[[dict[str, Any]], Reply]:
    """Return a script in which one call sometimes fails. To reach the small writer, the large one fails as well."""
    made: Counter[str] = Counter()

    def script(request: dict[str, Any]) -> Reply:
        own = call_of(request)
        made[own] += 1
        if own == "large" and call == "small":
            return Fails(401)
        return failure if own == call and at(made[own] - 1) else oblige(request)

    return script


@dataclass
class Cell:
    """One turn with one kind of failure."""

    script: Callable[[dict[str, Any]], Reply]
    requests: int = 0
    answered: int = 0
    seconds: float = 0.0
    last: AnswerEvent | None = None

    def reply(self, request: dict[str, Any]) -> Reply:
        """Reply by the script, and count the call."""
        reply = self.script(request)
        self.requests += 1
        self.answered += not isinstance(reply, Fails)
        return reply

    async def run(self, server: Server, number: int, short: float) -> None:
        """Ask. The models' names contain the cell's number."""
        limits = Limits(timeout_seconds=TIMEOUT, form_seconds=short, first_word_seconds=short, silence_seconds=short)
        small, large = (ModelAt(server=server, name=f"{name}#{number}") for name in (SMALL, LARGE))
        async with open_models(small, large, limits, retries=QUICK, count=lambda _: None) as models:
            given = context(
                understander=FallbackUnderstander(ModelUnderstander(models.small), Understood(), Breaker()),
                writers=writers_of(models, QUOTING, Breaker(), Breaker()),
                validator=FallbackValidator(ModelValidator(models.small), Validated(), Breaker()),
            )
            started = monotonic()
            *_, self.last = [event async for event in run_alone(given).start(QUESTION)]
            self.seconds = monotonic() - started


async def run(cells: Sequence[Cell], provider: Provider, short: float) -> None:
    """Run turns side by side on one server."""

    def script(request: dict[str, Any]) -> Reply:
        model, _, number = request["model"].partition("#")
        return cells[int(number)].reply({**request, "model": model})

    async with GroqServer.serve(script, dialect=DIALECTS[provider]) as local:
        server = server_at(provider, local.url)
        await asyncio.gather(*(cell.run(server, number, short) for number, cell in enumerate(cells)))


@pytest.mark.parametrize("name", FAILURES)
@pytest.mark.parametrize("provider", PROTOCOLS)
async def test_whatever_fails_a_turn_ends_soon_and_honestly(provider: Provider, name: str) -> None:
    cells: dict[tuple[str, str], Cell] = {}
    for short in SHORT:
        times = TIMES if provider == PROTOCOLS[0] else OFTEN
        cells = {at: Cell(failing(FAILURES[name], at[0], TIMES[at[1]])) for at in product(CALLS, times)}
        await run([*cells.values()], provider, short)
        if any(cell.requests for cell in cells.values()):
            break

    assert any(cell.requests for cell in cells.values())
    for where, cell in cells.items():
        answer = cell.last
        assert isinstance(answer, AnswerCompleted), where
        assert answer.outcome in ("answered", "admitted"), where
        assert answer.text, where
        assert not [mark for mark in ("EVIDENCE", "<|", "sorry", "\ud83d") if mark in answer.text], (where, answer.text)
        assert cell.seconds < DEADLINE, where
        assert cell.answered <= PRESETS["balanced"].calls + FORMS_AGAIN, where
        assert cell.requests <= ATTEMPTS * PRESETS["balanced"].calls, where


def test_the_matrix_is_large() -> None:
    assert len(FAILURES) * len(CALLS) * len(TIMES) >= 200


@pytest.mark.parametrize("provider", PROTOCOLS)
async def test_a_model_that_hangs_at_every_call_costs_each_wait_once(provider: Provider) -> None:
    cell = Cell(lambda _: FAILURES["hang"])
    for short in SHORT:
        cell = Cell(cell.script)
        await run([cell], provider, short)
        if cell.requests == 3:
            break

    assert isinstance(cell.last, AnswerCompleted)
    assert ("answered", QUOTING.drafts[0][0]) == (cell.last.outcome, cell.last.text)
    assert 3 == cell.requests
