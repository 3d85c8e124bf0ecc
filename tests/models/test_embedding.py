"""The built-in model returns the same vector for a text, whatever other texts are embedded with it."""

import time

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


def test_a_text_has_the_same_vector_whatever_stands_beside_it(model: MiniLm) -> None:
    texts = [f"Text number {number} " + "about something " * number for number in range(9)]

    assert all(
        np.array_equal(model.embed_passages([text])[0], vector)
        for text, vector in zip(texts, model.embed_passages(texts), strict=True)
    )


def test_a_remembered_vector_is_not_computed_again(model: MiniLm) -> None:
    vector = np.ones(DIMENSIONS, dtype=np.float32)

    model.remember("The canteen opens at noon.", vector)

    assert np.array_equal(vector, model.embed_passages(["The canteen opens at noon."])[0])


def test_a_text_takes_one_thread(model: MiniLm) -> None:
    of_all, of_this = time.process_time(), time.thread_time()

    for number in range(8):
        model._embed(f"Text number {number} " + "about something long " * 60, is_query=True)

    spent, here = time.process_time() - of_all, time.thread_time() - of_this
    assert spent < 1.2 * here


def test_many_texts_are_embedded_beside_the_thread_that_asks(model: MiniLm) -> None:
    of_all, of_this = time.process_time(), time.thread_time()

    model.embed_passages([f"Passage number {number} " + "about something long " * 60 for number in range(8)])

    spent, here = time.process_time() - of_all, time.thread_time() - of_this
    assert here < 0.2 * spent


def test_rare_words_are_rarer_than_common_ones(model: MiniLm) -> None:
    assert 0 <= model.rarity("the") < model.rarity("canteen") < model.rarity("xj4471") == 1
