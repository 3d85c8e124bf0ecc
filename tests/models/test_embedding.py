"""The model of the wheel gives the same vectors whatever stands beside a text."""

import numpy as np
import pytest

from bot.models.embedding import DIMENSIONS, MiniLm


@pytest.fixture(scope="module")
def model() -> MiniLm:
    return MiniLm.load()


def test_near_meanings_have_near_vectors(model: MiniLm) -> None:
    leave, holiday, printer = model.embed_passages(
        ["Employees have 28 days of leave.", "How long may I go on vacation?", "The printer is out of toner."]
    )

    assert leave @ holiday > leave @ printer + 0.2


def test_vectors_have_length_one(model: MiniLm) -> None:
    vectors = model.embed_passages(["a", "", "word " * 900])

    assert vectors.shape == (3, DIMENSIONS)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)


def test_a_batch_gives_nearly_what_one_text_gives(model: MiniLm) -> None:
    texts = [f"Text number {number} " + "about something " * number for number in range(20)]

    together = model.embed_passages(texts)

    # Eight-bit activations are scaled by batch.
    assert all(float(model.embed_query(text) @ vector) > 0.99 for text, vector in zip(texts, together, strict=True))


def test_what_was_read_lately_is_not_read_again(model: MiniLm) -> None:
    first = model.read(["The canteen opens at noon.", "Else."])

    assert model.read(["The canteen opens at noon."])[0] is first[0]


def test_rare_words_are_rarer_than_common_ones(model: MiniLm) -> None:
    the, hamburg = model.tokens_of("the")[0], model.tokens_of("hamburg")[0]

    assert 0 <= model.rarity(the) < model.rarity(hamburg) <= 1
