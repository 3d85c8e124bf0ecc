"""Each provider in its own protocol over a real socket: the same forms, streams, counts and errors."""

import asyncio
from contextlib import aclosing

import pytest

from bot.models.llm.errors import CallError, LateError, RateLimitedError
from bot.models.llm.probe import names_at, probe
from bot.models.llm.servers import Provider
from bot.models.llm.thoughts import DraftCutError
from bot.models.llm.understanding.understander import ModelUnderstander
from bot.models.llm.usage import Usage
from bot.models.llm.writer import ModelWriter
from graph.context import TextCutError
from tests.models.cases import make_brief, make_case
from tests.models.groq_server import KEY, Fails, Says
from tests.models.local_llm import DIALECTS, llm_that, server_at
from tests.models.obliging import oblige, reading
from tests.support.fake_time import on_fake_time

ANSWER = "EVIDENCE: full\nEveryone in Berlin gets 30 days of holiday. [1]"
pytestmark = pytest.mark.parametrize("provider", DIALECTS)


async def text_of(writer: ModelWriter) -> str:
    """Read an answer to its end."""
    return "".join([piece async for piece in writer.write(make_brief())])


async def test_it_understands_by_a_strict_schema_and_writes_and_counts(provider: Provider) -> None:
    usages: list[Usage] = []
    async with llm_that(script=oblige, provider=provider, count=usages.append) as (models, server):
        assert "retrieve" == (await ModelUnderstander(models.small).understand(make_case()))["route"]
        assert ANSWER == await text_of(ModelWriter(models.large))

    form, stream = server.requests
    assert form["response_format"]["json_schema"]["schema"]["required"]
    assert ["system", "user"] == [one["role"] for one in stream["messages"]]
    assert stream["stream"]
    assert all(usage.tokens_in > 100 and usage.tokens_out for usage in usages)
    assert ["understand", "write"] == [usage.prompt for usage in usages]


async def test_a_second_draft_is_another_sample(provider: Provider) -> None:
    brief = make_brief()
    async with llm_that(script=oblige, provider=provider) as (models, server):
        for temperature in (0.0, 0.7):
            brief["temperature"] = temperature
            assert ANSWER == "".join([piece async for piece in ModelWriter(models.large).write(brief)])

    # A model that reasons takes no temperature, and writes another sample anyway.
    asked = [request.get("temperature") for request in server.requests]
    assert asked in ([0.0, 0.7], [None, None])
    assert provider not in ("groq", "own", "ollama") or asked == [0.0, 0.7]


async def test_without_schemas_forms_are_json(provider: Provider) -> None:
    replies = [Fails(400, "no schemas"), reading(), reading()]
    if provider == "groq":
        pytest.skip("Groq knows schemas.")
    async with llm_that(*replies, provider=provider) as (models, server):
        for _ in range(2):
            assert "retrieve" == (await ModelUnderstander(models.small).understand(make_case()))["route"]

    _, second, third = server.requests
    assert "json_schema" not in str(second.get("response_format"))
    assert second == third
    assert '"clarification": {"question": "", "options": [""]}' in second["messages"][-1]["content"]


async def test_what_is_no_form_is_shown_to_the_model_again(provider: Provider) -> None:
    async with llm_that(Says('{"route": "dance"}'), reading(), provider=provider) as (models, server):
        assert "retrieve" == (await ModelUnderstander(models.small).understand(make_case()))["route"]

    said = [one["content"] for one in server.requests[1]["messages"]]
    # Groq binds the model to a schema, so an unreadable answer was cut, and the same request is sent again.
    assert (provider == "groq") is ('{"route": "dance"}' not in said)


# SmolLM2-135M wrote this, bound to the schema, until it reached its token limit.
CUT = f'{{ "sentences": [ ] ,"missing" : "10 seconds. {" ".join(map(str, range(2000)))}'
LOOPING = (
    f'{{ "reason": "{"You are allowed to answer this question, but you cannot reply to any other messages. " * 99}'
)


async def test_a_form_that_was_cut_is_no_sign_that_schemas_are_ignored(provider: Provider) -> None:
    async with llm_that(Says(CUT), reading(), reading(), provider=provider) as (models, server):
        for _ in range(2):
            assert "retrieve" == (await ModelUnderstander(models.small).understand(make_case()))["route"]

    assert [800, 1600, 800] == [request["max_tokens"] for request in server.requests]
    assert all(request["response_format"]["type"] == "json_schema" for request in server.requests)


async def test_a_model_that_repeats_itself_in_a_form_gets_no_more_room_for_it(provider: Provider) -> None:
    async with llm_that(Says(LOOPING), reading(), provider=provider) as (models, server):
        with pytest.raises(CallError, match="cannot be read"):
            await ModelUnderstander(models.small).understand(make_case())
        assert "retrieve" == (await ModelUnderstander(models.small).understand(make_case()))["route"]

    assert [800, 800] == [request["max_tokens"] for request in server.requests]


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        (Fails(429), RateLimitedError),
        (Fails(503), CallError),
        (Fails(401), CallError),
        (Says("late", pause_seconds=600), LateError),
        (Says(""), CallError),
    ],
)
@on_fake_time
async def test_an_error_is_ours_and_holds_neither_key_nor_prompt(
    provider: Provider, failure: Says | Fails, error: type[CallError]
) -> None:
    async with llm_that(script=lambda _: failure, provider=provider) as (models, _):
        with pytest.raises(error) as raised:
            await text_of(ModelWriter(models.large))

    assert KEY not in str(raised.value)


async def test_a_wrong_key_is_told(provider: Provider) -> None:
    async with llm_that(provider=provider, key="wrong") as (models, _):
        with pytest.raises(CallError, match="refused the key"):
            await text_of(ModelWriter(models.large))


async def test_a_server_that_is_not_there_is_told(provider: Provider) -> None:
    async with llm_that(provider=provider, base_url="http://127.0.0.1:9") as (models, _):
        with pytest.raises(CallError, match="could not be reached"):
            await text_of(ModelWriter(models.large))


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Says(ANSWER, cut_after=5), DraftCutError),
        (Says(ANSWER, ends=False), DraftCutError),
        (Says(ANSWER, finish_reason="length"), TextCutError),
    ],
)
async def test_how_a_stream_ends_is_seen(provider: Provider, reply: Says, error: type[Exception]) -> None:
    async with llm_that(reply, provider=provider) as (models, _):
        with pytest.raises(error):
            await text_of(ModelWriter(models.large))


async def test_a_stream_that_nobody_reads_on_is_closed(provider: Provider) -> None:
    async with llm_that(Says("word " * 500, pause_seconds=0.01), provider=provider) as (models, server):
        async with aclosing(ModelWriter(models.large).write(make_brief())) as pieces:  # pyright: ignore[reportArgumentType]
            async for _ in pieces:
                break
        async with asyncio.timeout(10):
            await server.gone.wait()


async def test_thoughts_are_stripped(provider: Provider) -> None:
    text = f"<think>They ask for days.</think>\n{ANSWER}"
    async with llm_that(Says(text), provider=provider) as (models, _):
        assert ANSWER == (await text_of(ModelWriter(models.large))).strip()


async def test_its_models_are_listed_and_what_they_can_do_is_found_out(provider: Provider) -> None:
    async with llm_that(script=oblige, provider=provider) as (models, server):
        assert "little" in await names_at(server_at(provider, server.url))
        found = await probe(models)

    assert found.knows_schema
    assert found.says_how_far
    assert 0 < found.form_seconds < 60
    assert 0 < found.first_word_seconds < 60


async def test_the_key_does_not_show(provider: Provider) -> None:
    async with llm_that(provider=provider) as (models, _):
        assert KEY not in repr(models)
