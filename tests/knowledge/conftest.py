"""The embedding model, with a record of its calls."""

import pytest

from bot.knowledge.documents import Embedder, Matrix
from bot.models.choice import load_embedding
from bot.models.embedding import Embedding


class NotingEmbedder:
    """The wheel's model, which records the passages it embeds."""

    def __init__(self, inner: Embedding, embedded: list[str], remembered: list[str]) -> None:
        self._inner = inner
        self._embedded = embedded
        self._remembered = remembered

    @property
    def model(self) -> str:
        """The id that vectors are stored under."""
        return self._inner.model

    @property
    def at_once(self) -> int:
        """Passages of one call."""
        return self._inner.at_once

    def embed_passages(self, texts: list[str]) -> Matrix:
        """Embed and record."""
        self._embedded += texts
        return self._inner.embed_passages(texts)

    def embed_query(self, text: str) -> Matrix:
        """Embed."""
        return self._inner.embed_query(text)

    def remember(self, text: str, vector: Matrix) -> None:
        """Cache and record."""
        self._remembered.append(text)
        self._inner.remember(text, vector)

    def count_tokens(self, text: str) -> int:
        """Count."""
        return self._inner.count_tokens(text)


@pytest.fixture(scope="session")
def minilm() -> Embedding:
    """The model, which the process loads once."""
    return load_embedding("english")


@pytest.fixture
def embedded() -> list[str]:
    """The texts that were embedded in this test, in order."""
    return []


@pytest.fixture
def remembered() -> list[str]:
    """The texts whose stored vectors were cached in this test, in order."""
    return []


@pytest.fixture
def embedder(minilm: Embedding, embedded: list[str], remembered: list[str]) -> Embedder:
    """The model, which records in `embedded` and `remembered`."""
    return NotingEmbedder(minilm, embedded, remembered)
