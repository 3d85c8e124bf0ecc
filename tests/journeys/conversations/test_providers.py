"""The same conversation with a model of each provider, in its own protocol, over real sockets."""

from collections import Counter
from typing import Any

import pytest

from tests.journeys.conversations.test_groq import LIMIT, PLAIN, form_of, writing
from tests.journeys.harness import Harness, text_of
from tests.models.anthropic_dialect import Anthropic
from tests.models.groq_server import KEY, Dialect, GroqServer, OpenAI, Says
from tests.models.ollama_dialect import Ollama


@pytest.mark.parametrize(
    ("named", "dialect", "path"),
    [
        ("openai:", OpenAI("/v1"), "/v1"),
        ("anthropic:", Anthropic(), ""),
        ("ollama:", Ollama(), ""),
        ("", OpenAI("/any/path"), "/any/path/chat/completions"),
    ],
    ids=["OpenAI", "Anthropic", "Ollama", "a server of one's own"],
)
async def test_a_question_in_slack_is_answered_by_a_model_of_any_provider(
    harness: Harness, named: str, dialect: Dialect, path: str
) -> None:
    async with GroqServer.serve(writing(Says(LIMIT, pause_seconds=0.2)), dialect=dialect) as server:
        given: dict[str, Any] = {"model_url": f"{server.url}{path}", "model_key": KEY}
        async with harness.bot(small_model=f"{named}little", large_model=f"{named}big", **given):
            root = await harness.ask(PLAIN)
            (answer,) = await harness.answers(root)
            await harness.settled()

    assert "145 EUR" in text_of(answer)
    assert "could not be reached" not in text_of(answer)
    assert Counter({"understand": 1, "": 1, "validate": 1}) == Counter(map(form_of, server.requests))
    assert {"little", "big"} == {request["model"] for request in server.requests}
    assert harness.playground.calls("chat.startStream")
