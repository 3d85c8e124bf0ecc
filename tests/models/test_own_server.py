"""One's own server with OpenAI's protocol: its path, its key, and forms without schemas."""

import json
from typing import Any

import pytest
from pydantic import SecretStr

from bot.models.llm.errors import CallError
from bot.models.llm.servers import Server
from bot.models.llm.understanding.form import FORM
from bot.models.llm.understanding.understander import ModelUnderstander
from bot.models.llm.writer import ModelWriter
from tests.models.cases import make_brief, make_case
from tests.models.groq_server import KEY, Fails, GroqServer, Reply, Says
from tests.models.local_llm import AT_ONCE, llm_that, opened
from tests.models.obliging import oblige

FORMS = {"route": "understand", "sentences": "validate"}


def without_schemas(request: dict[str, Any], *, status: int = 400, fenced: bool = False) -> Reply:
    """Answer well, like a server that knows JSON but no schemas."""
    wanted = request.get("response_format", {"type": "text"})["type"]
    if wanted == "json_schema":
        return Fails(status, "Only {'type': 'text' or 'json_object'} are accepted.")
    if wanted == "text":
        return oblige(request)
    system, told, *_ = request["messages"]
    asked, _, shape_told = told["content"].rpartition("nothing else:\n")
    shape = json.loads(shape_told)
    name = next(form for field, form in FORMS.items() if field in shape)
    format_ = {"type": "json_schema", "json_schema": {"name": name}}
    said = oblige({**request, "messages": [system, {**told, "content": asked}], "response_format": format_})
    return Says(f"Here it is:\n```json\n{said.text}\n```") if fenced and isinstance(said, Says) else said


@pytest.mark.parametrize("ending", ["/v1", "/v1/", "/v1/chat/completions", "/api/openai/v2", ""])
async def test_it_is_asked_under_its_own_path_and_without_groqs_own_fields(ending: str) -> None:
    path = ending.rstrip("/").removesuffix("/chat/completions")
    async with (
        GroqServer.serve(oblige, path=path) as server,
        opened(Server.own(server.url + ending, SecretStr(KEY))) as groq,
    ):
        understanding = await ModelUnderstander(groq.small).understand(make_case())
        text = "".join([piece async for piece in ModelWriter(groq.large).write(make_brief())])

    assert understanding["route"] == "retrieve"
    assert text.startswith("EVIDENCE: full")


@pytest.mark.parametrize("fenced", [False, True])
@pytest.mark.parametrize("status", [400, 422, 500, 501])
async def test_where_it_knows_no_schemas_forms_are_json_and_it_is_tried_once_only(status: int, fenced: bool) -> None:
    def script(request: dict[str, Any]) -> Reply:
        return without_schemas(request, status=status, fenced=fenced)

    async with (
        GroqServer.serve(script, path="/v1") as server,
        opened(Server.own(server.url + "/v1", SecretStr(KEY)), retries=AT_ONCE) as groq,
    ):
        first = await ModelUnderstander(groq.small).understand(make_case())
        begun = len(server.requests)
        second = await ModelUnderstander(groq.small).understand(make_case())

    assert first["route"] == second["route"] == "retrieve"
    # The failure may pass, so the schema is tried again.
    assert (len(server.requests) == begun + 1) is (status != 500)
    assert server.requests[-1]["response_format"] == {"type": "json_object", "schema": FORM}


async def test_a_model_that_copies_the_shape_adds_nothing_to_the_question() -> None:
    def script(request: dict[str, Any]) -> Reply:
        if request["response_format"]["type"] == "json_schema":
            return Fails(400, "no schemas")
        *_, shape = request["messages"][-1]["content"].rpartition("nothing else:\n")
        return Says(json.dumps({**json.loads(shape), "route": "retrieve"}))

    case = make_case(candidates=[{"id": 7, "phrasings": ["How many days of leave are there?"]}])
    async with (
        GroqServer.serve(script, path="/v1") as server,
        opened(Server.own(server.url + "/v1", SecretStr(KEY)), retries=AT_ONCE) as groq,
    ):
        understanding = await ModelUnderstander(groq.small).understand(case)

    assert (case["question"], [], []) == (
        understanding["standalone"],
        understanding.get("queries"),
        understanding["subquestions"],
    )
    assert "same_as" not in understanding


async def test_a_500_that_names_the_format_is_no_passing_failure() -> None:
    def script(request: dict[str, Any]) -> Reply:
        """Answer like llama-cpp-python's server."""
        refused = Fails(500, "Input should be 'text' or 'json_object': body.response_format.type")
        is_strict = request["response_format"]["type"] == "json_schema"
        return refused if is_strict else without_schemas(request)

    async with (
        GroqServer.serve(script, path="/v1") as server,
        opened(Server.own(server.url + "/v1", SecretStr(KEY))) as groq,
    ):
        for _ in range(2):
            await ModelUnderstander(groq.small).understand(make_case())

    formats = [request["response_format"]["type"] for request in server.requests]
    assert formats == ["json_schema", "json_object", "json_object"]


async def test_a_server_that_refuses_the_schema_beside_an_object_is_asked_for_an_object() -> None:
    def script(request: dict[str, Any]) -> Reply:
        return (
            Fails(400, "schema: unknown field") if "schema" in request["response_format"] else without_schemas(request)
        )

    async with (
        GroqServer.serve(script, path="/v1") as server,
        opened(Server.own(server.url + "/v1", SecretStr(KEY)), retries=AT_ONCE) as groq,
    ):
        for _ in range(2):
            assert "retrieve" == (await ModelUnderstander(groq.small).understand(make_case()))["route"]

    formats = [request["response_format"] for request in server.requests]
    assert [format_["type"] for format_ in formats] == ["json_schema", "json_object", "json_object", "json_object"]
    assert formats[-1] == {"type": "json_object"}


async def test_a_server_that_takes_a_schema_and_ignores_it_is_told_it_in_words() -> None:
    def script(request: dict[str, Any]) -> Reply:
        wanted = request.get("response_format", {}).get("type")
        return Says("I would rather talk.") if wanted == "json_schema" else without_schemas(request)

    async with (
        GroqServer.serve(script, path="/v1") as server,
        opened(Server.own(server.url + "/v1", SecretStr(KEY)), retries=AT_ONCE) as groq,
    ):
        assert "retrieve" == (await ModelUnderstander(groq.small).understand(make_case()))["route"]

    assert len(server.requests) == 2


async def test_what_fills_in_no_form_at_all_is_told_as_unreadable() -> None:
    def script(request: dict[str, Any]) -> Reply:
        wanted = request.get("response_format", {}).get("type")
        return Fails(400, "no schemas") if wanted == "json_schema" else Says("I would rather talk.")

    async with (
        GroqServer.serve(script, path="/v1") as server,
        opened(Server.own(server.url + "/v1", SecretStr(KEY)), retries=AT_ONCE) as groq,
    ):
        with pytest.raises(CallError, match="cannot be read"):
            await ModelUnderstander(groq.small).understand(make_case())

    assert len(server.requests) == 3


async def test_groq_is_not_asked_without_a_schema() -> None:
    async with llm_that(Fails(400, "no schemas"), script=None) as (groq, server):
        with pytest.raises(CallError):
            await ModelUnderstander(groq.small).understand(make_case())

    assert len(server.requests) == 1
