"""The models and servers that the settings select."""

import subprocess
import sys
from typing import Any

import pytest
from pydantic import SecretStr

from bot.errors import SettingsError
from bot.models.llm.servers import ModelAt, Server, models_of
from bot.settings import Settings

KEY = SecretStr("sk-1")
GROQ = Server(provider="groq", url="https://api.groq.com/openai/v1", key=KEY)


def asked(**given: Any) -> tuple[ModelAt, ModelAt]:
    """Return the two models of these settings."""
    models = models_of(Settings.model_validate(given))
    assert models
    return models


def both(name: str, **given: Any) -> ModelAt:
    """Return the one model that both settings name."""
    small, large = asked(small_model=name, large_model=name, **given)
    assert small == large
    return small


def test_without_a_key_or_an_address_no_model_is_asked() -> None:
    assert models_of(Settings()) is None


def test_groq_is_the_default() -> None:
    small, large = asked(groq_api_key="sk-1")

    assert ModelAt(server=GROQ, name="openai/gpt-oss-20b") == small
    assert ModelAt(server=GROQ, name="openai/gpt-oss-120b") == large


@pytest.mark.parametrize("name", ["qwen3:4b", "little", "gpt://folder/little"])
def test_at_a_server_of_ones_own_a_name_is_a_name_whatever_is_in_it(name: str) -> None:
    server = Server(provider="own", url="http://localhost:11434/api/v2", key=KEY)

    assert ModelAt(server=server, name=name) == both(
        name, model_url="http://localhost:11434/api/v2/chat/completions", model_key="sk-1", openai_api_key="sk-other"
    )


@pytest.mark.parametrize(
    ("name", "given", "url"),
    [
        ("openai:gpt-5-mini", {"openai_api_key": "sk-1"}, "https://api.openai.com/v1"),
        ("anthropic:claude-haiku-4-5", {"anthropic_api_key": "sk-1"}, "https://api.anthropic.com"),
        ("ollama:qwen3:4b", {"model_key": "sk-1"}, "http://127.0.0.1:11434"),
    ],
)
def test_a_provider_stands_before_the_name(name: str, given: dict[str, str], url: str) -> None:
    provider, _, rest = name.partition(":")
    model = both(name, **given)

    assert (provider, url, rest) == (model.server.provider, model.server.url, model.name)
    assert "sk-1" == model.server.key.get_secret_value()


def test_the_key_of_a_provider_does_not_go_to_a_server_of_ones_own() -> None:
    model = both("anthropic:claude", model_url="http://127.0.0.1:1", anthropic_api_key="sk-1")

    assert "http://127.0.0.1:1" == model.server.url
    assert not model.server.has_key


def test_the_two_models_may_be_of_two_providers() -> None:
    small, large = asked(small_model="ollama:qwen3:4b", large_model="openai/gpt-oss-120b", groq_api_key="sk-1")

    assert ("ollama", "groq") == (small.server.provider, large.server.provider)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"large_model": "openai:gpt-5"}, "ASKBACK_SMALL_MODEL is a model of Groq's: set GROQ_API_KEY"),
        (
            {"groq_api_key": "k", "large_model": "openai:gpt-5"},
            "ASKBACK_LARGE_MODEL is a model of OpenAI's: set OPENAI",
        ),
        (
            {"small_model": "ollama:a", "large_model": "anthropic:b", "model_url": "http://localhost:1"},
            "ASKBACK_MODEL_URL is one server",
        ),
    ],
)
def test_what_cannot_be_asked_is_said_with_its_setting(given: dict[str, str], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        asked(**given)


def test_no_library_of_a_provider_is_imported_unless_it_is_configured() -> None:
    program = (
        "import sys, bot.app, bot.cli.doctor; "
        "print({'groq', 'openai', 'anthropic', 'ollama', 'langchain', 'langchain_groq'} & sys.modules.keys())"
    )

    assert (
        "set()\n" == subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    )
