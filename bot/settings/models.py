"""The language models, and the servers that they are on."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator
from pydantic_settings import NoDecode

from bot.settings.variables import Variables, read_json

PRICES_EXAMPLE = '{"model": {"input": 1, "output": 2}}'


class Price(BaseModel):
    """What a million tokens of a model cost, in one currency for all models."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached_input: float | None = Field(default=None, ge=0)
    """If the provider charges less for what it had cached."""


class ModelVariables(Variables):
    """The variables of the language models."""

    groq_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="GROQ_API_KEY",
        description="The key for Groq. Without a model, answers quote the documents.",
    )
    groq_base_url: str | None = Field(
        default=None, validation_alias="GROQ_BASE_URL", description="Another server that speaks Groq's protocol."
    )
    openai_api_key: SecretStr | None = Field(
        default=None, validation_alias="OPENAI_API_KEY", description="The key for models named `openai:…`."
    )
    anthropic_api_key: SecretStr | None = Field(
        default=None, validation_alias="ANTHROPIC_API_KEY", description="The key for models named `anthropic:…`."
    )
    model_url: str | None = Field(
        default=None,
        description="A server of your own: for models without a provider one that speaks OpenAI's protocol"
        " (`http://localhost:8080/v1`), else one that speaks the provider's.",
    )
    model_key: SecretStr | None = Field(
        default=None,
        description="The key for the server at `ASKBACK_MODEL_URL`, if it wants one.",
    )
    model_over_http: bool = Field(
        default=False,
        description="Whether questions, documents and keys may go to a model's server without encryption (`http://`)"
        " outside your own network.",
    )
    small_model: str = Field(
        default="openai/gpt-oss-20b",
        description="Understands questions, validates drafts and writes quick answers: a model of Groq's or of the"
        " server at `ASKBACK_MODEL_URL`, or one of another provider, as in `openai:…`, `anthropic:…`,"
        " `ollama:qwen3:4b`. Other providers that LangChain can name work, too (`azure_openai:…`), with their own"
        " library and variables.",
    )
    large_model: str = Field(default="openai/gpt-oss-120b", description="Writes answers.")
    prices: Annotated[Mapping[str, Price], NoDecode] = Field(
        default={},
        description="What a million tokens cost, as JSON by the models' names at their provider, in a currency of your"
        ' choice: `{"openai/gpt-oss-20b": {"input": 1, "output": 2, "cached_input": 0.5}}` (an example, no real'
        " price). Then `askback runs` shows what runs cost.",
    )

    @field_validator("prices", mode="before")
    @classmethod
    def _are_prices(cls, given: object) -> object:
        return read_json(given, example=PRICES_EXAMPLE)
