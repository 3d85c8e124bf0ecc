"""A model over a real socket: forms, streams, retries, counts, and errors in plain words."""

import asyncio
from contextlib import aclosing, suppress
from typing import Any

import pytest
from pydantic import BaseModel

import prompts
from bot.models.llm.errors import LateError, RateLimitedError
from bot.models.llm.forms import Schema
from bot.models.llm.model import LanguageModel, in_time
from bot.models.llm.thoughts import DraftCutError
from bot.models.llm.usage import Usage
from graph.context import ModelError, TextCutError
from tests.models.groq_server import Fails, Says, Talks, answers
from tests.models.local_llm import llm_that
from tests.support.fake_time import on_fake_time

PROMPT = prompts.parse("check", "Be exact.\n---\n$question")
SCHEMA: Schema = {
    "type": "object",
    "properties": {"verdict": {"type": "string"}},
    "required": ["verdict"],
    "additionalProperties": False,
}


class Check(BaseModel):
    """A small form."""

    verdict: str


async def fill(model: LanguageModel, schema: Schema = SCHEMA) -> Check:
    """Fill in the form."""
    return await model.fill(Check, PROMPT, {"question": "Is it so?"}, schema=schema)


async def read(model: LanguageModel) -> str:
    """Read a stream to its end."""
    return "".join([piece async for piece in model.write(PROMPT, {"question": "Is it so?"})])


async def test_a_form_is_filled_in_by_a_strict_schema() -> None:
    async with llm_that(answers(verdict="yes")) as (groq, server):
        assert await fill(groq.small) == Check(verdict="yes")

    [request] = server.requests
    assert request["model"] == "openai/gpt-oss-20b"
    assert request["messages"] == [
        {"role": "system", "content": "Be exact."},
        {"role": "user", "content": "Is it so?"},
    ]
    assert request["response_format"]["json_schema"] == {"name": "check", "strict": True, "schema": SCHEMA}


async def test_the_model_thinks_little_and_keeps_it_to_itself() -> None:
    async with llm_that(answers(verdict="yes")) as (groq, server):
        await fill(groq.small)

    [request] = server.requests
    assert request["reasoning_effort"] == "low"
    assert request["include_reasoning"] is False
    assert request.get("reasoning_format") is None


async def test_the_certificates_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async with llm_that():
        pass
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere")

    async with llm_that():
        pass


async def test_text_streams_in_pieces() -> None:
    async with llm_that(Says("All of it is so. [1]", size=4)) as (groq, server):
        pieces = [piece async for piece in groq.large.write(PROMPT, {"question": "Is it so?"})]

    assert "".join(pieces) == "All of it is so. [1]"
    assert len(pieces) == 5
    assert server.requests[0]["model"] == "openai/gpt-oss-120b"
    assert server.requests[0]["stream"] is True


async def test_every_call_is_counted() -> None:
    usages: list[Usage] = []
    async with llm_that(answers(verdict="yes"), Says("It is so. " * 8), count=usages.append) as (groq, _):
        await fill(groq.small)
        await read(groq.large)

    assert [(use.model, use.role, use.prompt) for use in usages] == [
        ("openai/gpt-oss-20b", "small", "check"),
        ("openai/gpt-oss-120b", "large", "check"),
    ]
    assert usages[1].tokens_out == 20
    assert all(use.tokens_in > 10 and use.tokens_cached == 4 for use in usages)


@pytest.mark.parametrize("status", [429, 498, 500, 503])
async def test_a_passing_failure_is_tried_again(status: int) -> None:
    async with llm_that(Fails(status), Fails(status), answers(verdict="yes")) as (groq, server):
        assert await fill(groq.small) == Check(verdict="yes")

    assert len(server.requests) == 3


async def test_a_stream_that_fails_before_its_first_text_is_tried_again() -> None:
    async with llm_that(Fails(429), Says("So.", cut_after=1), Says("It is so.")) as (groq, _):
        assert await read(groq.large) == "It is so."


async def test_four_attempts_are_enough() -> None:
    async with llm_that(script=lambda _: Fails(503)) as (groq, server):
        with pytest.raises(ModelError, match="HTTP 503"):
            await fill(groq.small)

    assert len(server.requests) == 4


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
async def test_a_mistake_of_ours_is_not_tried_again(status: int) -> None:
    async with llm_that(Fails(status, "Secret details")) as (groq, server):
        with pytest.raises(ModelError, match=f"HTTP {status}") as raised:
            await fill(groq.small)

    assert len(server.requests) == 1
    assert "Secret" not in str(raised.value)


async def test_a_wrong_key_is_named() -> None:
    async with llm_that(key="gsk_wrong") as (groq, _):
        with pytest.raises(ModelError, match="refused the key") as raised:
            await fill(groq.small)

    assert "gsk_wrong" not in str(raised.value)


@on_fake_time
async def test_retry_after_is_honoured() -> None:
    async with llm_that(Fails(429, headers={"retry-after": "1.5"}), answers(verdict="yes")) as (groq, _):
        await fill(groq.small)

    assert asyncio.get_running_loop().time() == pytest.approx(1.5)


async def test_a_retry_after_that_is_a_date_is_passed_over() -> None:
    dated = Fails(429, headers={"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"})
    async with llm_that(dated, answers(verdict="yes")) as (groq, _):
        assert await fill(groq.small) == Check(verdict="yes")


async def test_a_long_retry_after_is_not_waited_for() -> None:
    async with llm_that(Fails(429, headers={"retry-after": "120"})) as (groq, server):
        with pytest.raises(RateLimitedError):
            await fill(groq.small)

    assert len(server.requests) == 1


@on_fake_time
async def test_a_connection_that_is_silent_for_too_long_is_given_up_and_not_tried_again() -> None:
    async with llm_that(script=lambda _: Says("late", pause_seconds=30), timeout_seconds=2.0) as (groq, server):
        with pytest.raises(ModelError, match="took too long"):
            await fill(groq.small)

    assert len(server.requests) == 1
    assert asyncio.get_running_loop().time() == pytest.approx(2.0)


async def test_a_server_that_is_not_there_is_named() -> None:
    async with llm_that(base_url="http://127.0.0.1:9") as (groq, _):
        with pytest.raises(ModelError, match="could not be reached"):
            await read(groq.large)


@pytest.mark.parametrize(
    "broken",
    [
        Says("It is so, all of it.", cut_after=2),
        Says("It is so, all of it.", ends=False),
        Says("It is so, all of it.", finish_reason="content_filter"),
    ],
)
async def test_a_stream_that_is_cut_is_told_from_one_that_never_began(broken: Says) -> None:
    async with llm_that(broken) as (groq, server), aclosing(groq.large.write(PROMPT, {"question": "?"})) as stream:
        assert await anext(stream) == "It is so"
        with pytest.raises(DraftCutError):
            [piece async for piece in stream]

    assert len(server.requests) == 1


async def test_a_stream_without_room_for_more_is_told_from_one_that_is_cut() -> None:
    async with llm_that(Says("It is so, all of it.", finish_reason="length")) as (groq, _):
        with pytest.raises(TextCutError):
            await read(groq.large)


@on_fake_time
async def test_a_stream_that_falls_silent_is_cut() -> None:
    async with llm_that(Says("It is so.", size=3, pause_seconds=5), timeout_seconds=4.0) as (groq, _):
        with pytest.raises(ModelError):
            await read(groq.large)


@pytest.mark.parametrize(
    "nonsense",
    [
        Says("yes"),
        Says('{"verdict": "ye'),
        answers(other="yes"),
        Talks("<html>Bad gateway</html>"),
        Talks("{}", content_type="application/json"),
        Talks('{"choices": []}', content_type="application/json"),
    ],
)
async def test_nonsense_is_a_model_error(nonsense: Says | Talks) -> None:
    async with llm_that(nonsense) as (groq, _):
        with pytest.raises(ModelError):
            await fill(groq.small)


@pytest.mark.parametrize("nonsense", [Says(""), Talks("<html>Bad gateway</html>"), Talks("{}", "application/json")])
async def test_a_stream_without_text_is_a_model_error(nonsense: Says | Talks) -> None:
    async with llm_that(nonsense) as (groq, _):
        with pytest.raises(ModelError) as raised:
            await read(groq.large)

    assert not isinstance(raised.value, DraftCutError)


async def test_a_long_answer_is_written_to_its_end() -> None:
    text = "All of it is so. [1] " * 1500
    async with llm_that(answers(verdict="yes"), Says(text, size=500), grants="250000") as (groq, _):
        await fill(groq.small)
        assert text == await read(groq.large)


async def test_where_a_plan_has_no_room_for_a_long_answer_a_short_one_is_asked_for() -> None:
    def free_plan(request: dict[str, Any]) -> Says | Fails:
        if "response_format" in request:
            return answers(verdict="yes")
        return Says("It is so.") if request["max_tokens"] < 8000 else Fails(413, "Request too large: Limit 8000")

    async with llm_that(script=free_plan, grants="250000") as (groq, server):
        await fill(groq.small)
        assert "It is so." == await read(groq.large)
        assert "It is so." == await read(groq.large)

    assert [800, 10_000, 2000, 2000] == [request["max_tokens"] for request in server.requests]


async def test_a_prompt_that_is_too_large_by_itself_is_given_up() -> None:
    async with llm_that(script=lambda _: Fails(413)) as (groq, server):
        with pytest.raises(ModelError, match="HTTP 413"):
            await read(groq.large)

    assert [2000, 1000] == [request["max_tokens"] for request in server.requests]


@pytest.mark.parametrize(("limit", "room"), [("8000", 2000), ("250000", 10_000), ("", 2000), ("many", 2000)])
async def test_how_long_an_answer_may_be_is_learnt_from_what_the_plan_grants(limit: str, room: int) -> None:
    async with llm_that(answers(verdict="yes"), Says("So."), grants=limit) as (groq, server):
        await fill(groq.small)
        await read(groq.large)

    assert [800, room] == [request["max_tokens"] for request in server.requests]


async def test_an_unreadable_form_is_asked_for_once_more_with_more_room() -> None:
    async with llm_that(Says('{"verdict": "ye'), answers(verdict="yes")) as (groq, server):
        assert await fill(groq.small) == Check(verdict="yes")

    assert [800, 1600] == [request["max_tokens"] for request in server.requests]


@pytest.mark.parametrize(
    "thought",
    [
        "<|channel|>analysis<|message|>Let me see.<|end|><|start|>assistant<|channel|>final<|message|>It is so.",
        "analysisWe need to say it.assistantfinalIt is so.",
        "<think>Let me see.</think>It is so.",
        "<|channel|>final<|constrain|>text<|message|>It is so.",
        "It is so.<|end|>",
        "It is so.<|return|>",
    ],
)
@pytest.mark.parametrize("size", [1, 3, 7, 500])
async def test_what_a_model_thinks_is_not_said(thought: str, size: int) -> None:
    async with llm_that(Says(thought, size=size)) as (groq, _):
        assert "It is so." == await read(groq.large)


@pytest.mark.parametrize("size", [1, 500])
@pytest.mark.parametrize("reason", ["stop", "length"])
async def test_a_thought_without_an_end_is_not_said(size: int, reason: str) -> None:
    thought = Says("<|channel|>analysis<|message|>They say it. [1] So", size=size, finish_reason=reason)
    async with llm_that(thought) as (groq, _), aclosing(groq.large.write(PROMPT, {"question": "?"})) as stream:
        with pytest.raises((StopAsyncIteration, TextCutError)):
            await anext(stream)


@pytest.mark.parametrize(
    "text", ["analysis of costs is done.", "Analysis: 5 < 6 > 4.", "a < b and <b> is it", "<", "Use <name>."]
)
@pytest.mark.parametrize("size", [1, 4, 500])
async def test_what_looks_like_a_thought_and_is_none_is_said(text: str, size: int) -> None:
    async with llm_that(Says(text, size=size)) as (groq, _):
        assert text == await read(groq.large)


@pytest.mark.parametrize("size", [1, 7, 500])
async def test_a_thought_that_is_only_closed_is_taken_back_and_the_next_is_not_said(size: int) -> None:
    thought = f"The passages say so. {'I look at each of them. ' * 20}</think>\n\nIt is so."
    async with llm_that(*(Says(thought, size=size) for _ in range(2))) as (groq, _):
        with pytest.raises(DraftCutError):
            await read(groq.large)
        assert "It is so." == await read(groq.large)


@pytest.mark.parametrize("size", [1, 7, 500])
async def test_lines_of_the_fences_that_a_small_model_copies_are_not_said(size: int) -> None:
    # What SmolLM2-135M wrote.
    text = "<passage 7 2148b3f90a6e>\nThe answer is: 5.\n\nPress the button on the back.\n</passage 7 2148b3f90a6e>"
    async with llm_that(Says(text, size=size)) as (groq, _):
        assert "The answer is: 5.\n\nPress the button on the back." == (await read(groq.large)).strip()


async def test_a_model_may_say_how_thoughts_are_closed() -> None:
    async with llm_that(Says("Put it between <think> and </think>.")) as (groq, _):
        assert "Put it between <think> and </think>." == await read(groq.large)


async def test_a_thought_in_a_form_that_is_only_closed_is_left_out() -> None:
    async with llm_that(Says('Hm, {"verdict": "no"}?</think>{"verdict": "yes"}')) as (groq, _):
        assert await fill(groq.small) == Check(verdict="yes")


async def test_a_thought_in_a_form_is_left_out() -> None:
    thought = "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>"
    async with llm_that(Says(thought + '{"verdict": "yes"}')) as (groq, _):
        assert await fill(groq.small) == Check(verdict="yes")


async def test_halves_of_characters_are_not_passed_on() -> None:
    async with llm_that(Says("So \ud83d it\0 is.", size=500)) as (groq, _):
        assert "So ? it is." == await read(groq.large)


async def test_a_text_without_end_is_not_read_on() -> None:
    async with llm_that(Says("word " * 40_000, size=20_000), grants="1000000") as (groq, _):
        with pytest.raises(TextCutError):
            await read(groq.large)


async def test_a_reader_who_leaves_lets_the_connection_go() -> None:
    async with llm_that(Says("word " * 1000, size=5, pause_seconds=0.01)) as (groq, server):
        async with aclosing(groq.large.write(PROMPT, {"question": "?"})) as stream:
            assert await anext(stream)
        await asyncio.wait_for(server.gone.wait(), timeout=60)


async def test_the_server_is_as_strict_as_the_original() -> None:
    open_object: Schema = {"type": "object", "properties": {"verdict": {"type": "string"}}, "required": ["verdict"]}
    async with llm_that(answers(verdict="yes")) as (groq, _):
        for schema in (open_object, SCHEMA | {"required": []}):
            with pytest.raises(ModelError, match="HTTP 400"):
                await fill(groq.small, schema)


@on_fake_time
async def test_a_call_whose_cancellation_a_library_loses_ends_soon_after_its_deadline() -> None:
    async def lose_one() -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(60)
        await asyncio.sleep(60)

    with pytest.raises(LateError):
        async with in_time(5):
            await lose_one()

    task = asyncio.current_task()
    assert task
    assert 0 == task.cancelling()
    assert 5.5 == asyncio.get_running_loop().time()
