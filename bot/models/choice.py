"""Which embedding model serves: by the settings, and by what is stored."""

from collections.abc import Callable, Mapping
from functools import cache
from threading import Lock
from typing import Final, cast

import structlog

from bot.errors import SettingsError
from bot.models.embedding import Embedding, LocalEmbedding, MiniLm
from bot.models.llm.servers import embedding_server
from bot.models.llm.usage import Usage, log_usage
from bot.models.multilingual import MultilingualE5, is_available
from bot.models.remote.client import connected
from bot.models.remote.embedding import RemoteEmbedding
from bot.models.remote.model import RemoteModel
from bot.settings import BuiltInEmbedding, EmbeddingSettings
from graph.context import ModelError

_BUILT_IN: Final[Mapping[BuiltInEmbedding, type[LocalEmbedding]]] = {
    "english": MiniLm,
    "multilingual": MultilingualE5,
}


@cache
def load_embedding(kind: BuiltInEmbedding) -> Embedding:
    """Return the embedding of a kind. A process loads it once, with its cache of vectors."""
    return _BUILT_IN[kind].load()


def model_id(kind: BuiltInEmbedding) -> str:
    """Return the id of the model of a kind, without loading it."""
    return _BUILT_IN[kind].model


def built_in(model: str) -> Embedding:
    """Return the embedding with an id. Raises `ModelError` if no wheel contains it, or if it is not installed."""
    for kind, known in _BUILT_IN.items():
        if known.model == model:
            return load_embedding(kind)
    raise ModelError(f"The documents are embedded with {model}, which this version does not have.")


def demanded_model(settings: EmbeddingSettings) -> str | None:
    """Return the id of the model that the settings demand; none if they keep the serving one.

    Raises `SettingsError` if they do not say all of a provider's model.
    """
    # A change embeds all passages again, so nobody gets it without asking.
    if settings.choice == "auto":
        return None
    remote = RemoteModel.of(settings)
    return remote.id if remote else model_id(cast("BuiltInEmbedding", settings.choice))


def chosen_model(settings: EmbeddingSettings, serving: str | None) -> str:
    """Return the id of the model for the settings; `serving` is that of the stored passages, if there are any."""
    return demanded_model(settings) or serving or model_id(_richest())


def _richest() -> BuiltInEmbedding:
    return "multilingual" if is_available() else "english"


class OpenedEmbeddings:
    """The embedding models that a process uses, each opened once. Somebody closes them."""

    def __init__(self, settings: EmbeddingSettings, *, count: Callable[[Usage], None] = log_usage) -> None:
        """`count` learns what a provider was asked."""
        self._settings = settings
        self._count = count
        self._remote: dict[str, RemoteEmbedding] = {}
        self._lock = Lock()

    def of(self, model: str) -> Embedding:
        """Return the embedding with an id. Raises `ModelError` if there is none, or if it is not installed.

        One of a provider that cannot be asked raises `SettingsError` if the settings demand it. If it only serves until
        another one does, it fails to embed, so that words alone are searched.
        """
        remote = RemoteModel.read(model)
        if remote is None:
            return built_in(model)
        with self._lock:
            if model not in self._remote:
                self._remote[model] = self._opened(remote)
            return self._remote[model]

    def _opened(self, remote: RemoteModel) -> RemoteEmbedding:
        embedding = RemoteEmbedding(
            remote, load_embedding(_richest()), query_prefix=self._settings.query_prefix, count=self._count
        )
        try:
            server = embedding_server(remote.provider, self._settings)
            embedding.open(lambda seconds: connected(server, remote.name, seconds=seconds))
        except SettingsError as error:
            embedding.close()
            if remote.id == demanded_model(self._settings):
                raise
            structlog.get_logger().warning("embedding_unavailable", model=remote.id, reason=str(error))
        return embedding

    def close(self) -> None:
        """Close the connections to providers."""
        for embedding in self._remote.values():
            embedding.close()


class ServingEmbedding:
    """The embedding that a process searches with: the chosen one, or another one while the model is changed."""

    def __init__(self, chosen: Embedding, embedding_of: Callable[[str], Embedding] = built_in) -> None:
        self.now = chosen
        self.embedding_of = embedding_of

    def of(self, model: str) -> Embedding:
        """Search with another model from now on, and return its embedding. Raises `ModelError`."""
        if model != self.now.model:
            self.now = self.embedding_of(model)
        return self.now
