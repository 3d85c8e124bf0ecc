"""Whichever call fails, and however often, a turn ends in time in an answer or an honest message, after few calls.

The turns run on a fake clock, with the deadlines that Askback ships with. Ten of them also run in real time, over TCP.
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby, pairwise, product
from typing import Any, Final

import pytest
from pydantic import SecretStr

from bot.models.choice import load_embedding
from bot.models.llm.limits import CallLimits
from bot.models.llm.servers import Provider
from bot.models.opened import limits_of, opened_models
from bot.settings import Settings
from graph.context import Context
from graph.events import AnswerCompleted, AnswerEvent, TextWritten
from graph.routing import PRESETS
from graph.run import run_alone
from graph.turn import Turn
from tests.models.groq_server import KEY, Fails, GroqServer, KeepsAlive, Reply, Says, Talks
from tests.models.local_llm import DIALECTS, LARGE, SMALL, server_at
from tests.models.obliging import judged, oblige
from tests.support.fake_time import LoopClock, on_fake_time
from tests.support.fakes import context

QUESTION: Final = Turn(question="How many vacation days are there?", asker="U0ADA", addressed=True)
QUOTED: Final = "Everybody has 25 days of vacation [1]."
"""What the document says, as the rules quote it. The models put the number behind the full stop, or say it shorter."""
BROKEN_OFF: Final = "EVIDENCE: full\nEverybody has 25 days [1]. And every"
LIMITS: Final = CallLimits()
FIRST_WORD: Final = LIMITS.first_word_seconds
LAST_WORD: Final = FIRST_WORD + 2 * LIMITS.silence_seconds + LIMITS.form_seconds
"""Both models may begin to write and fall silent. Then the draft is validated."""
EXACT: Final = 0.001
MOST_CALLS: Final = PRESETS["balanced"].calls
ATTEMPTS: Final = 4
FORMS: Final = {"understand", "validate"}
FORMS_AGAIN: Final = 2
"""Forms whose answer cannot be read, so that they are requested once more, with other words at most providers."""

REST: Final = 60.0
"""How long a model is left alone."""

HANG: Final = Says("late", pause_seconds=600)
FAILURES: Final[dict[str, Reply]] = {
    "429": Fails(429),
    "429 for a moment": Fails(429, headers={"retry-after": "1.5"}),
    "429 for long": Fails(429, headers={"retry-after": "600"}),
    "413": Fails(413),
    "498": Fails(498),
    "500": Fails(500),
    "503": Fails(503),
    "slow 503": Fails(503, after_seconds=4),
    "hang": HANG,
    "keep-alive": KeepsAlive(every_seconds=1),
    "stall": KeepsAlive(BROKEN_OFF, every_seconds=1),
    "cut": Says(BROKEN_OFF, size=10, cut_after=4),
    "no end": Says(BROKEN_OFF, ends=False),
    "empty": Says(""),
    "10 MB": Says("Everybody has 25 days of vacation. [1] " * 260_000, size=100_000, overflows=True),
    "the same again": Says("Everybody has 25 days of vacation. [1] " * 900, size=39, pause_seconds=1, overflows=True),
    "no room": Says(BROKEN_OFF, finish_reason="length"),
    "error in the stream": Talks('data: {"error": {"message": "It failed.", "code": 500}}\n\n', "text/event-stream"),
    "no JSON": Talks("<html>Bad gateway</html>"),
    "wrong schema": Says('{"route": "dance", "sentences": 3}'),
    "refusal": Says("I'm sorry, but I can't help with that."),
    "a tool is called": Says("", calls="search", finish_reason="tool_calls"),
    "a tool call is refused": Fails(400, "Tool choice is none, but model called a tool", code="tool_use_failed"),
    "NaN": Says('{"confidence": NaN, "route": "retrieve"}'),
    "half a character": Says("EVIDENCE: full\nEverybody \ud83d has 25 days [1]."),
    "harmony": Says("<|channel|>analysis<|message|>Everybody has 25 days of vacation. [1] We need to say it."),
}
ENDLESS: Final = {"hang", "keep-alive", "stall"}
SECRET: Final = (
    KEY, "EVIDENCE", "And every", "<|", "analysis", "We need", "sorry", "\ud83d", "dance", "NaN", "html", "failed",
    "HTTP", "Error",
)  # fmt: skip
"""Parts of texts that nobody is to see."""
PROTOCOLS: Final[tuple[Provider, ...]] = ("openai", "anthropic", "ollama")
TIMES: Final[dict[str, Callable[[int], bool]]] = {
    "first": lambda number: number == 0,
    "every": lambda _number: True,
    "alternating": lambda number: number % 2 == 0,
}
CALLS: Final = (
    *product(("understand", "large", "validate", "rewrite"), TIMES),
    # The small model writes once at most, if the large one fails.
    ("small", "every"),
    ("all", "every"),
    ("all", "alternating"),
)
IN_REAL_TIME: Final = {
    "429 for a moment": "understand", "500": "large", "hang": "understand", "keep-alive": "large", "stall": "validate",
    "cut": "large", "10 MB": "all", "no JSON": "understand", "refusal": "rewrite", "a tool is called": "all",
}  # fmt: skip


def call_of(request: dict[str, Any]) -> str:
    """Return the kind of a request's call."""
    if form := request.get("response_format", {}).get("json_schema", {}).get("name", ""):
        return form
    if "Its faults:" in request["messages"][-1]["content"]:
        return "rewrite"
    return "large" if request["model"].endswith("120b") else "small"


def failing(failure: Reply, call: str, times: str) -> Callable[[dict[str, Any]], Reply]:
    """Return a script in which one call sometimes fails, or all do. What comes before this call leads to it."""
    made: Counter[str] = Counter()

    def script(request: dict[str, Any]) -> Reply:
        own = call_of(request)
        if call == "small" and own == "large":
            return Fails(401)
        if call in (own, "all"):
            made[call] += 1
            if TIMES[times](made[call] - 1):
                return failure
        return judged("unsupported") if call == "rewrite" and own == "validate" else oblige(request)

    return script


@cache
def usual() -> Settings:
    """Return the settings that Askback ships with; reading them takes longer than a turn."""
    return Settings()


def settings_at(provider: Provider, url: str) -> Settings:
    """Return the settings with which a local server is the provider."""
    where = server_at(provider, url).url
    if provider == "groq":
        return usual().model_copy(update={"groq_api_key": SecretStr(KEY), "groq_base_url": where})
    models = {"small_model": f"{provider}:{SMALL}", "large_model": f"{provider}:{LARGE}"}
    return usual().model_copy(update={**models, "model_url": where, "model_key": SecretStr(KEY)})


@asynccontextmanager
async def run_of(script: Callable[[dict[str, Any]], Reply], provider: Provider = "groq") -> AsyncGenerator[Context]:
    """Serve a script, and open the models as the bot does."""
    async with (
        GroqServer.serve(script, dialect=DIALECTS[provider]) as local,
        opened_models(settings_at(provider, local.url), load_embedding("english"), count=lambda _: None) as opened,
    ):
        understander, writers, validator = opened
        yield context(understander=understander, writers=writers, validator=validator, clock=LoopClock())


@dataclass
class Told:
    """What a person was told, and when, in seconds from the question."""

    last: AnswerEvent | None = None
    first_seconds: float | None = None
    seconds: float = 0.0


async def told_by(given: Context) -> Told:
    """Ask, and note what is said."""
    loop, told = asyncio.get_running_loop(), Told()
    began = loop.time()
    async for told.last in run_alone(given).start(QUESTION):
        told.seconds = loop.time() - began
        if told.first_seconds is None and isinstance(told.last, TextWritten | AnswerCompleted):
            told.first_seconds = told.seconds
    return told


@dataclass
class Cell:
    """One turn with one kind of failure."""

    failure: str
    call: str
    times: str = "every"
    provider: Provider = "groq"
    told: Told = field(default_factory=Told)
    requests: list[str] = field(default_factory=list[str], repr=False)
    """Which model was sent which messages."""
    asked: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])
    """Which call was made when, in seconds from the question."""

    async def run(self) -> None:
        """Ask, and check what does not depend on how busy the machine is."""
        script = failing(FAILURES[self.failure], self.call, self.times)
        began = asyncio.get_running_loop().time()

        def counted(request: dict[str, Any]) -> Reply:
            self.requests.append(json.dumps([request["model"], request["messages"]]))
            self.asked.append((call_of(request), asyncio.get_running_loop().time() - began))
            # Endless attempts without a pause would never let a fake clock go on.
            return script(request) if len(self.requests) <= ATTEMPTS * MOST_CALLS else HANG

        async with run_of(counted, self.provider) as given:
            self.told = await told_by(given)
        self.check_calls()
        self.check_answer()

    def check_calls(self) -> None:
        """Check how often which model was asked for what."""
        calls = len(set(self.requests))
        assert calls <= MOST_CALLS + (0 if self.provider == "groq" else FORMS_AGAIN), self
        assert len(self.requests) <= ATTEMPTS * MOST_CALLS, self
        assert len(self.requests) == calls or self.failure not in ENDLESS, self

    def check_answer(self) -> None:
        """Check that the answer is the document's, and says so if rules gave it."""
        answer = self.told.last
        assert isinstance(answer, AnswerCompleted), self
        assert "answered" == answer.outcome, self
        assert "25 days" in answer.text, self
        assert "[1]" in answer.text, self
        assert len(answer.text) < 1_000, self
        assert answer.notes or answer.text != QUOTED, self
        assert not [part for part in SECRET if part in f"{answer.text} {answer.notes}"], self

    @on_fake_time
    async def run_at_once(self) -> None:
        """Run on a fake clock, and check the deadlines as well."""
        await self.run()
        assert self.told.first_seconds is not None, self
        assert self.told.first_seconds <= FIRST_WORD + EXACT, self
        assert self.told.seconds <= LAST_WORD + EXACT, self
        for call, seconds in self.seconds_of_calls():
            assert call not in FORMS or seconds <= LIMITS.form_seconds + EXACT, self

    def seconds_of_calls(self) -> list[tuple[str, float]]:
        """Return how long each call took, with all its attempts, up to the next call or the end."""
        firsts = [next(times) for _, times in groupby(self.asked, key=lambda one: one[0])]
        return [(call, ends - begins) for (call, begins), (_, ends) in pairwise([*firsts, ("", self.told.seconds)])]


@pytest.mark.parametrize("failure", FAILURES)
def test_whatever_fails_a_turn_ends_in_time_and_honestly(failure: str) -> None:
    for call, times in CALLS:
        Cell(failure, call, times).run_at_once()


@pytest.mark.parametrize("failure", ["500", "hang"])
def test_if_every_model_fails_rules_quote_and_the_answer_says_so(failure: str) -> None:
    cell = Cell(failure, "all")
    cell.run_at_once()

    assert isinstance(cell.told.last, AnswerCompleted)
    assert (QUOTED, True) == (cell.told.last.text, bool(cell.told.last.notes))


def test_the_deadlines_of_the_matrix_are_those_that_askback_ships_with() -> None:
    assert LIMITS == limits_of(usual())


@pytest.mark.parametrize("failure", FAILURES)
def test_in_every_protocol_a_failing_model_ends_in_time_and_honestly(failure: str) -> None:
    for provider in PROTOCOLS:
        Cell(failure, "all", provider=provider).run_at_once()


async def test_ten_turns_end_like_this_in_real_time_as_well() -> None:
    await asyncio.gather(*(Cell(failure, call).run() for failure, call in IN_REAL_TIME.items()))


@on_fake_time
async def test_models_that_hang_are_left_alone_after_three_turns_and_asked_again_after_their_rest() -> None:
    asked: list[str] = []
    hanging = {"understand", "large", "small"}

    def script(request: dict[str, Any]) -> Reply:
        asked.append(call_of(request))
        return HANG if asked[-1] in hanging else oblige(request)

    async def turn() -> tuple[float, list[str]]:
        asked.clear()
        return round((await told_by(given)).seconds, 3), asked.copy()

    async with run_of(script) as given:
        assert [(10.0, ["understand", "large", "small"])] * 3 == [await turn() for _ in range(3)]
        assert (0.0, []) == await turn()
        await asyncio.sleep(REST - LIMITS.form_seconds - 0.1)
        assert (0.0, []) == await turn()
        await asyncio.sleep(LIMITS.form_seconds)
        assert (10.0, ["understand", "large", "small"]) == await turn()
        assert (0.0, []) == await turn()
        hanging.clear()
        await asyncio.sleep(REST)
        assert (0.0, ["understand", "large", "validate"]) == await turn()


@on_fake_time
async def test_while_one_model_is_left_alone_the_others_work() -> None:
    asked: list[str] = []

    def script(request: dict[str, Any]) -> Reply:
        asked.append(call_of(request))
        return HANG if asked[-1] == "large" else oblige(request)

    async with run_of(script) as given:
        turns = [await told_by(given) for _ in range(4)]

    assert [6.5, 6.5, 6.5, 0.0] == [round(turn.seconds, 3) for turn in turns]
    assert ["understand", "small", "validate"] == asked[-3:]
