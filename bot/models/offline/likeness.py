"""Likeness of meaning, as the embedding model sees it."""

import numpy as np

from bot.models.embedding import Embedding
from bot.models.offline.writing.ranking import Similarity
from graph.context import ModelError


def likeness(embedding: Embedding) -> Similarity:
    """Return the cosine (0–1, opposites count as 0) of a question and each text; 0 for all if the model fails."""

    def of(question: str, texts: list[str]) -> list[float]:
        try:
            return np.clip(embedding.similarities(question, texts), 0.0, 1.0).tolist()
        except ModelError:
            return [0.0] * len(texts)

    return of
