"""Embeds passages although the model may refuse some of them."""

from collections.abc import Sequence
from functools import partial
from typing import TypeAlias
from uuid import uuid4

from bot.knowledge.documents import Embedder, Matrix
from bot.runtime import abandonable
from graph.context import TextRefusedError

Vector: TypeAlias = Matrix | None
"""A passage's vector; `None` if the model refuses its text."""


async def embedded(embedder: Embedder, texts: Sequence[str]) -> list[Vector]:
    """Return the vector of each text. Raises `ModelError` if the model fails, or refuses whatever it is given."""
    try:
        return [*await abandonable(partial(embedder.embed_passages, [*texts]))]
    except TextRefusedError:
        # What it took is cached, so each half is soon done.
        if (half := len(texts) // 2) > 0:
            return [*await embedded(embedder, texts[:half]), *await embedded(embedder, texts[half:])]
        # With a wrong setting it refuses everything. This text is new, so that no cache answers.
        await abandonable(partial(embedder.embed_passages, [f"Note {uuid4()}"]))
        return [None]
