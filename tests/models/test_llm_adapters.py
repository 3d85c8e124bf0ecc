"""The adapters for the ports, over a real socket."""

import json
import logging
from collections.abc import Generator

import pytest
import structlog
from pydantic import SecretStr
from structlog.testing import LogCapture

from bot.models.llm.servers import Server
from bot.models.llm.understanding.understander import ModelUnderstander
from bot.models.llm.usage import Usage, log_usage
from bot.models.llm.validator import ModelValidator
from bot.models.llm.writer import PASSAGES, ModelWriter
from graph.context import ModelError
from tests.models.cases import BERLIN, LISBON, make_brief, make_case, make_passage
from tests.models.groq_server import KEY, Fails, GroqServer, Says
from tests.models.local_llm import llm_that, opened
from tests.models.obliging import judged, oblige, reading


async def test_understanding_takes_one_call_of_the_small_model() -> None:
    asking = {"question": "Which office?", "options": ["Berlin", "Lisbon"]}
    async with llm_that(reading(route="clarify", clarification=asking)) as (groq, server):
        understanding = await ModelUnderstander(groq.small).understand(make_case())

    assert understanding["route"] == "clarify"
    assert understanding["clarification"] == {
        "question": "Which office?",
        "options": ["path:1=berlin", "path:1=lisbon"],
        "named": [],
    }
    assert [request["model"] for request in server.requests] == ["openai/gpt-oss-20b"]


async def test_a_route_that_does_not_exist_is_a_model_error() -> None:
    async with llm_that(reading(route="dance")) as (groq, _):
        with pytest.raises(ModelError, match="cannot be read"):
            await ModelUnderstander(groq.small).understand(make_case())


async def test_an_answer_streams_from_the_large_model() -> None:
    async with llm_that(Says("25 days. [2]")) as (groq, server):
        writer = ModelWriter(groq.large)
        text = "".join([piece async for piece in writer.write(make_brief())])

    assert text == "25 days. [2]"
    assert writer.note == ""
    assert server.requests[0]["model"] == "openai/gpt-oss-120b"


async def test_a_prompt_is_bounded_however_much_was_found() -> None:
    found = [make_passage(number, f"Document {number}", "All work and no play. " * 500) for number in range(1, 10)]
    async with llm_that(Says("Yes. [1]")) as (groq, server):
        [_ async for _ in ModelWriter(groq.large).write(make_brief(passages=found))]

    assert len(server.requests[0]["messages"][1]["content"]) < 6 * PASSAGES


async def test_a_draft_is_judged() -> None:
    async with llm_that(judged("unsupported", missing="which office", answers="partly")) as (groq, server):
        verdict = await ModelValidator(groq.small).validate("How many days?", "It is 30. [1]", [BERLIN, LISBON])

    assert verdict == {
        "faithful": 0.0,
        "responsive": 0.7,
        "issues": ["It says so: It is 30. [1]", "It does not say this: which office"],
        "refuted": ["It is 30. [1]"],
    }
    assert server.requests[0]["response_format"]["json_schema"]["strict"] is True


@pytest.fixture
def log_lines() -> Generator[LogCapture]:
    """Collect the log events."""
    capture, usual = LogCapture(), structlog.get_config()
    structlog.configure(processors=[capture])
    yield capture
    structlog.configure(**usual)


async def test_tokens_are_logged_and_neither_text_nor_key(
    log_lines: LogCapture, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    secret = "the merger with Umbrella"
    case = make_case(question=f"What about {secret}?")
    replies = (reading(reason=secret), Says(f"It is {secret}. [1]"), Fails(400, secret))
    async with llm_that(*replies, count=log_usage) as (groq, _):
        await ModelUnderstander(groq.small).understand(case)
        [_ async for _ in ModelWriter(groq.large).write(make_brief(question=secret))]
        with pytest.raises(ModelError) as raised:
            await ModelUnderstander(groq.small).understand(case)

    first, second = log_lines.entries
    assert (first["event"], first["model"], first["role"], first["prompt"]) == (
        "model_answered",
        "openai/gpt-oss-20b",
        "small",
        "understand",
    )
    assert second["tokens_out"] > 0
    everything = json.dumps(log_lines.entries) + caplog.text + str(raised.value)
    assert secret not in everything
    assert KEY not in everything


async def test_the_key_does_not_show_in_a_model() -> None:
    async with llm_that() as (groq, _):
        assert KEY not in repr(groq)


async def test_a_server_that_counts_nothing_is_fine() -> None:
    usages: list[Usage] = []
    async with llm_that(Says("Yes. [1]", usage=False), reading(), count=usages.append) as (groq, _):
        [_ async for _ in ModelWriter(groq.large).write(make_brief())]

    assert [(use.tokens_in, use.tokens_out) for use in usages] == [(0, 0)]


async def test_the_obliging_model_quotes_the_first_passage() -> None:
    async with llm_that(script=oblige) as (groq, _):
        understanding = await ModelUnderstander(groq.small).understand(make_case())
        text = "".join([piece async for piece in ModelWriter(groq.large).write(make_brief())])

    assert understanding["route"] == "retrieve"
    assert text == "EVIDENCE: full\nEveryone in Berlin gets 30 days of holiday. [1]"


@pytest.mark.parametrize("ending", ["", "/", "/openai/v1", "/openai/v1/"])
async def test_a_base_url_may_name_the_path_of_the_protocol(ending: str) -> None:
    async with (
        GroqServer.serve(oblige) as server,
        opened(Server.groq(SecretStr(KEY), server.url + ending)) as groq,
    ):
        assert await ModelUnderstander(groq.small).understand(make_case())
