"""The vectors of the sample handbook, with which the demo's first start embeds nothing."""

from typing import get_args

import numpy as np
import pytest

from benchmarks.answers.stored_vectors import passages_of_the_handbook
from bot.cli.demo import VECTORS, remember_sample
from bot.models.choice import model_id
from bot.models.embedding import MiniLm
from bot.models.multilingual import MultilingualE5, is_available
from bot.models.offline.understanding.example_vectors import read_vectors
from bot.settings import BuiltInEmbedding

MODELS = {"english": MiniLm, "multilingual": MultilingualE5}
"""Loaded here, because the process's own may remember the vectors."""
MENDED = "Run python -m benchmarks.answers.stored_vectors, and commit the files."


@pytest.mark.parametrize("kind", get_args(BuiltInEmbedding))
def test_each_passage_of_the_handbook_has_a_stored_vector(kind: BuiltInEmbedding) -> None:
    # Both models count tokens alike.
    passages = set(passages_of_the_handbook(MiniLm.load().count_tokens))

    assert passages == set(read_vectors(VECTORS / f"{model_id(kind)}.npz")), MENDED


@pytest.mark.parametrize("kind", get_args(BuiltInEmbedding))
def test_a_stored_vector_is_that_of_the_model(kind: BuiltInEmbedding) -> None:
    if kind == "multilingual" and not is_available():
        pytest.skip("The multilingual embedding does not run here.")
    stored = read_vectors(VECTORS / f"{model_id(kind)}.npz")
    texts = sorted(stored, key=len)[::50]

    computed = MODELS[kind].load().embed_passages(texts)

    assert all(np.vdot(stored[text], vector) > 0.999 for text, vector in zip(texts, computed, strict=True)), MENDED


def test_what_is_remembered_is_not_embedded(monkeypatch: pytest.MonkeyPatch) -> None:
    embedding = MiniLm.load()
    monkeypatch.setattr(embedding, "_embed_all", lambda *_, **__: pytest.fail("It is embedded."))

    remember_sample(embedding)

    passages = list(passages_of_the_handbook(embedding.count_tokens))
    assert (len(passages), embedding.dimensions) == embedding.embed_passages(passages).shape
