"""Likeness of meaning, as the embedding model sees it."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bot.models.offline.writing.ranking import Similarity
from graph.context import ModelError


class Embedder(Protocol):
    """An embedding model."""

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return one unit vector."""
        ...

    def embed_queries(self, texts: list[str]) -> NDArray[np.float32]:
        """Return one unit vector a text, as rows: as of questions, to compare them with questions."""
        ...

    def embed_passages(self, texts: list[str]) -> NDArray[np.float32]:
        """Return one unit vector a text, as rows."""
        ...

    def nearness(self, passages: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return how near passages' vectors are to a query's: cosines, on one scale for all models."""
        ...


def likeness(embedder: Embedder) -> Similarity:
    """Return the cosine (0–1, opposites count as 0) of a question and each text; 0 for all if the model fails."""

    def of(question: str, texts: list[str]) -> list[float]:
        try:
            cosines = embedder.nearness(embedder.embed_passages(texts), embedder.embed_query(question))
        except ModelError:
            return [0.0] * len(texts)
        return [float(cosine) for cosine in np.clip(cosines, 0.0, 1.0)]

    return of
