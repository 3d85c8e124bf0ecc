"""Whatever fails, at whichever call and how often, a turn ends in an answer or an honest word, soon and in few calls.

Deadlines are short here, and a model that hangs does so for good, so that hundreds of turns take no longer than one.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from itertools import product
from time import monotonic
from typing import Any

import pytest

from bot.models.breaker import Breaker
from bot.models.fallback import FallbackUnderstander, FallbackValidator, writers_of
from bot.models.groq.retries import RetryPolicy
from bot.models.groq.understander import GroqUnderstander
from bot.models.groq.validator import GroqValidator
from graph.events import AnswerCompleted
from graph.routing import PRESETS
from graph.run import run_alone
from graph.turn import Turn
from tests.fakes import Understood, Validated, Written, context
from tests.models.groq_server import Fails, KeepsAlive, Reply, Says, Talks
from tests.models.local_groq import groq_that
from tests.models.obliging import oblige

QUESTION = Turn(question="How many vacation days are there?", asker="U0ADA", addressed=True)
QUOTING = Written((("“Everybody has 25 days of vacation.” [1]",),), note="It quotes.")
SHORT = 0.4
TIMEOUT, DEADLINE = 100.0, 90.0
"""Far above what a turn takes, also on a busy machine; below what one took that waited for a single hanging call."""
FORMS_AGAIN = 2
"""Forms that are asked for once more, as they cannot be read."""
ATTEMPTS = 4

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
CALLS = ("understand", "large", "small", "validate")
TIMES: dict[str, Callable[[int], bool]] = {
    "first": lambda number: number == 0,
    "every": lambda _number: True,
    "alternating": lambda number: number % 2 == 0,
}


def call_of(request: dict[str, Any]) -> str:
    """Return which call a request is."""
    form = request.get("response_format", {}).get("json_schema", {}).get("name", "")
    return form or ("large" if request["model"].endswith("120b") else "small")


def failing(failure: Reply, call: str, at: Callable[[int], bool]) -> Callable[[dict[str, Any]], Reply]:
    """Return a script in which one call fails at times; to get to the small writer, the large one fails as well."""
    made: Counter[str] = Counter()

    def script(request: dict[str, Any]) -> Reply:
        own = call_of(request)
        made[own] += 1
        if own == "large" and call == "small":
            return Fails(401)
        return failure if own == call and at(made[own] - 1) else oblige(request)

    return script


async def turn(script: Callable[[dict[str, Any]], Reply]) -> tuple[AnswerCompleted, float, int, int]:
    """Run a turn; return its answer, the seconds it took, the calls that were answered, and all requests."""
    quick = RetryPolicy(pauses=(0.0,) * (ATTEMPTS - 1), patience_seconds=0.1)
    answered = 0

    def counted(request: dict[str, Any]) -> Reply:
        nonlocal answered
        reply = script(request)
        answered += not isinstance(reply, Fails)
        return reply

    async with groq_that(
        script=counted,
        timeout_seconds=TIMEOUT,
        form_seconds=SHORT,
        first_word_seconds=SHORT,
        silence_seconds=SHORT,
        retries=quick,
    ) as (groq, server):
        given = context(
            understander=FallbackUnderstander(GroqUnderstander(groq.small), Understood(), Breaker()),
            writers=writers_of(groq, QUOTING, Breaker(), Breaker()),
            validator=FallbackValidator(GroqValidator(groq.small), Validated(), Breaker()),
        )
        started = monotonic()
        *_, last = [event async for event in run_alone(given).start(QUESTION)]
        seconds = monotonic() - started
    assert isinstance(last, AnswerCompleted)
    return last, seconds, answered, len(server.requests)


@pytest.mark.parametrize("name", FAILURES)
async def test_whatever_fails_a_turn_ends_soon_and_honestly(name: str) -> None:
    cells = list(product(CALLS, TIMES))
    turns = await asyncio.gather(*(turn(failing(FAILURES[name], call, TIMES[times])) for call, times in cells))

    for cell, (answer, seconds, answered, requests) in zip(cells, turns, strict=True):
        assert answer.outcome in ("answered", "admitted"), cell
        assert answer.text, cell
        assert not [mark for mark in ("EVIDENCE", "<|", "sorry", "\ud83d") if mark in answer.text], (cell, answer.text)
        assert seconds < DEADLINE, cell
        assert answered <= PRESETS["balanced"].calls + FORMS_AGAIN, cell
        assert requests <= ATTEMPTS * PRESETS["balanced"].calls, cell


def test_the_matrix_is_large() -> None:
    assert len(FAILURES) * len(CALLS) * len(TIMES) >= 200


async def test_a_model_that_hangs_at_every_call_costs_each_wait_once() -> None:
    answer, _, _, requests = await turn(lambda _: FAILURES["hang"])

    assert ("answered", QUOTING.drafts[0][0]) == (answer.outcome, answer.text)
    assert 3 == requests
