"""If the model fails, the offline adapters do the work of the turn."""

from collections.abc import AsyncIterator

import pytest

from bot.models.breaker import Breaker
from bot.models.fallback import NOTE, FallbackUnderstander, FallbackValidator, StandbyWriter, writers_of
from bot.models.llm.understanding.understander import ModelUnderstander
from bot.models.llm.validator import ModelValidator
from graph.context import Brief, Case, Hints, ModelError, Verdict, Writer
from graph.passages import Passage
from graph.state import Understanding
from tests.models.cases import BERLIN, make_brief, make_case
from tests.models.groq_server import Fails, Reply, Says
from tests.models.local_llm import llm_that

BUSY = Fails(429, headers={"retry-after": "600"})


class Offline:
    """A writer, an understander and a validator that never fail."""

    note = "It quotes."
    judges = False

    async def understand(self, case: Case) -> Understanding:
        """Retrieve for every question."""
        return {
            "route": "retrieve",
            "confidence": 0.8,
            "reason": "offline",
            "standalone": case["question"],
            "subquestions": [],
            "clarification": None,
            "reply": "",
            "assumption": "",
        }

    async def write(self, brief: Brief) -> AsyncIterator[str]:
        """Quote the first passage."""
        yield f"{brief['passages'][0]['text']} [1]"

    async def validate(
        self, question: str, answer: str, passages: list[Passage], hints: Hints | None = None
    ) -> Verdict:
        """Find no fault."""
        del question, answer, passages
        return {"faithful": 1.0, "responsive": 1.0, "issues": ["offline"]}


async def read(writers: tuple[Writer, ...]) -> tuple[str, str, int]:
    """Ask the writers as the graph does: return the text, the note, and the number of drafts begun and discarded."""
    left = 0
    for writer in writers:
        text = ""
        try:
            async for piece in writer.write(make_brief()):
                text += piece
        except ModelError:
            left += bool(text)
        else:
            return text, writer.note, left
    pytest.fail("nobody wrote")


async def test_understanding_goes_on_without_the_model() -> None:
    async with llm_that(script=lambda _: Fails(500)) as (groq, _):
        understander = FallbackUnderstander(ModelUnderstander(groq.small), Offline(), Breaker())

        assert (await understander.understand(make_case()))["reason"] == "offline"


async def test_validating_goes_on_without_the_model() -> None:
    async with llm_that(script=lambda _: Fails(500)) as (groq, _):
        validator = FallbackValidator(ModelValidator(groq.small), Offline(), Breaker())

        assert (await validator.validate("?", "30. [1]", [BERLIN]))["issues"] == ["offline"]


async def test_a_model_that_answers_is_not_replaced() -> None:
    async with llm_that(Says("30 days. [1]")) as (groq, _):
        assert await read(writers_of(groq, Offline(), Breaker(), Breaker())) == ("30 days. [1]", "", 0)


async def test_the_small_model_writes_where_the_large_one_is_at_its_limit() -> None:
    def script(request: dict[str, object]) -> Reply:
        return Says("30 days. [1]") if request["model"] == "openai/gpt-oss-20b" else BUSY

    async with llm_that(script=script) as (groq, _):
        assert await read(writers_of(groq, Offline(), Breaker(), Breaker())) == ("30 days. [1]", "", 0)


async def test_an_answer_without_a_model_says_so() -> None:
    async with llm_that(script=lambda _: Fails(500)) as (groq, server):
        text, note, _ = await read(writers_of(groq, Offline(), Breaker(), Breaker()))

    assert text == f"{BERLIN['text']} [1]"
    assert note == NOTE
    assert [request["model"] for request in server.requests] == ["openai/gpt-oss-120b"] * 4 + ["openai/gpt-oss-20b"]


async def test_a_draft_that_breaks_off_is_left_for_another() -> None:
    async with llm_that(Says("It is thirty da", cut_after=2), Says("30 days. [1]")) as (groq, server):
        assert await read(writers_of(groq, Offline(), Breaker(), Breaker())) == ("30 days. [1]", "", 1)

    assert [request["model"] for request in server.requests] == ["openai/gpt-oss-120b", "openai/gpt-oss-20b"]


async def test_a_standby_says_why_it_writes() -> None:
    standby = StandbyWriter(Offline())

    assert standby.note == NOTE
    assert [piece async for piece in standby.write(make_brief())] == [f"{BERLIN['text']} [1]"]
