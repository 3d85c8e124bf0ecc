"""A provider's embedding model as the settings name it, and as its vectors are stored (pure)."""

from dataclasses import dataclass
from typing import Self, get_args

from bot.errors import SettingsError
from bot.settings import BuiltInEmbedding, EmbeddingSettings


@dataclass(frozen=True, kw_only=True)
class RemoteModel:
    """All that vectors depend on. If any of it changes, they can no longer be compared."""

    provider: str
    """As LangChain names it."""
    name: str
    dimensions: int
    passage_prefix: str = ""

    @classmethod
    def of(cls, settings: EmbeddingSettings) -> Self | None:
        """Return the model that the settings name; `None` for a built-in one. Raises `SettingsError`."""
        if settings.choice in ("auto", *get_args(BuiltInEmbedding)):
            return None
        if settings.dimensions is None:
            raise SettingsError(
                f"ASKBACK_EMBEDDING={settings.choice} needs ASKBACK_EMBEDDING_DIMENSIONS: the dimensions of its"
                " vectors, which `askback doctor` asks the model for."
            )
        provider, _, name = settings.choice.partition(":")
        return cls(provider=provider, name=name, dimensions=settings.dimensions, passage_prefix=settings.passage_prefix)

    @classmethod
    def read(cls, model: str) -> Self | None:
        """Return the model of an id; `None` for a built-in one."""
        head, _, prefix = model.partition("|")
        named, _, dimensions = head.rpartition("@")
        provider, _, name = named.partition(":")
        if not dimensions.isdigit():
            return None
        return cls(provider=provider, name=name, dimensions=int(dimensions), passage_prefix=prefix)

    @property
    def id(self) -> str:
        """The id that vectors are stored under."""
        prefix = f"|{self.passage_prefix}" if self.passage_prefix else ""
        return f"{self.provider}:{self.name}@{self.dimensions}{prefix}"
