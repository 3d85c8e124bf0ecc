"""Models of a provider that Askback does not know, but LangChain does: Azure, whose library is that of OpenAI."""

import pytest

from bot.errors import SettingsError
from bot.models.llm.language_models import open_models
from bot.models.llm.servers import models_of
from bot.models.llm.understanding.understander import ModelUnderstander
from bot.models.llm.writer import ModelWriter
from bot.settings import Settings
from tests.models.cases import make_brief, make_case
from tests.models.groq_server import KEY, GroqServer, OpenAI
from tests.models.local_llm import AT_ONCE
from tests.models.obliging import oblige


def named(model: str) -> Settings:
    """Return settings with both models of one name."""
    return Settings(_env_file=None, small_model=model, large_model=model)  # pyright: ignore[reportCallIssue]


async def test_a_form_and_a_streamed_answer_come_from_a_provider_of_langchains(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = models_of(named("azure_openai:little"))
    assert asked
    async with GroqServer.serve(oblige, dialect=OpenAI("/openai/deployments/little")) as server:
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", server.url)
        monkeypatch.setenv("AZURE_OPENAI_AD_TOKEN", KEY)
        monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")
        async with open_models(*asked, retries=AT_ONCE) as models:
            understood = await ModelUnderstander(models.small).understand(make_case())
            said = "".join([piece async for piece in ModelWriter(models.large).write(make_brief())])
            for one in (models.small, models.large):
                await vars(one.chat.model)["root_async_client"].close()  # LangChain closes nothing.

    assert "retrieve" == understood["route"]
    assert "30 days of holiday" in said
    assert ["json_schema", None] == [(one.get("response_format") or {}).get("type") for one in server.requests]


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("mistralai:m", "To ask mistralai, install its library"),
        ("nobody:m", "nobody cannot be asked"),
        ("azure_openai:m", "azure_openai cannot be asked"),
    ],
)
async def test_what_is_missing_is_said(model: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AZURE_OPENAI_ENDPOINT", raising=False)
    asked = models_of(named(model))
    assert asked

    with pytest.raises(SettingsError, match=said):
        async with open_models(*asked):
            pass
