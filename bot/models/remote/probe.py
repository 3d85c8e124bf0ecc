"""Asks a provider's embedding model twice, for `askback doctor`."""

from dataclasses import dataclass
from time import monotonic
from typing import Final

from bot.models.llm.errors import explain
from bot.models.llm.servers import embedding_server
from bot.models.remote.client import connected
from bot.models.remote.embedding import RemoteEmbedding
from bot.settings import EmbeddingSettings

_PATIENCE_SECONDS: Final = 60.0
_QUESTION: Final = "How many days of vacation are there?"


@dataclass(frozen=True, kw_only=True)
class ProbedModel:
    """What a model was seen to do."""

    server: str
    dimensions: int
    seconds: float
    """For a question, once the model is loaded and the connection open."""

    @property
    def is_quick(self) -> bool:
        """Whether a question does not wait in vain."""
        return self.seconds <= RemoteEmbedding.query_request_seconds


def measure(provider: str, name: str, settings: EmbeddingSettings) -> ProbedModel:
    """Embed a question. Raises `SettingsError`, or `ModelError` if the model fails."""
    server = embedding_server(provider, settings)
    with connected(server, name, seconds=_PATIENCE_SECONDS) as client:
        try:
            client.embed_query(settings.query_prefix + _QUESTION)
            began = monotonic()
            vector = client.embed_query(settings.query_prefix + _QUESTION)
        except Exception as error:  # Only libraries run here.
            raise explain(error) from error
    return ProbedModel(server=server.name, dimensions=len(vector), seconds=monotonic() - began)
