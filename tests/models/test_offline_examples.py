"""A team's own examples of what people write, by kind."""

from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from bot.errors import SettingsError
from bot.models.choice import load_embedding, model_id
from bot.models.embedding import Matrix
from bot.models.multilingual import is_available
from bot.models.offline.understanding.example_vectors import FOLDER, example_vectors
from bot.models.offline.understanding.examples import LONGEST, MOST, read_examples
from bot.models.offline.understanding.message_kind import MessageKinds
from bot.settings import BuiltInEmbedding

OWN = """
greeting = ["ahoy matey"]
outside = ["feed the parrot of the crew"]
question = ["GM"]
"""


class Counting:
    """An embedding that notes what it has to embed together."""

    def __init__(self) -> None:
        embedding = load_embedding("english")
        self.asked: list[str] = []
        self.model = embedding.model
        self.embed_query = embedding.embed_query
        self.embed_passages = embedding.embed_passages
        self.nearness = embedding.nearness

    def embed_queries(self, texts: list[str]) -> Matrix:
        self.asked += texts
        return load_embedding("english").embed_queries(texts)


def written(tmp_path: Path, text: str | bytes) -> Path:
    """Return a file of examples."""
    file = tmp_path / "examples.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def test_own_examples_are_added_and_one_with_the_same_words_replaces_a_built_in_one(tmp_path: Path) -> None:
    built_in, examples = read_examples(), read_examples(written(tmp_path, OWN))

    assert {
        "ahoy matey": "greeting",
        "feed the parrot of the crew": "outside",
        "GM": "question",
    }.items() <= examples.items()
    assert "gm" in built_in
    assert set(built_in) - set(examples) == {"gm"}


@pytest.mark.parametrize(
    ("said", "before", "after"),
    [
        ("ahoy matey!", "question", "greeting"),
        ("feed the parrot of the crew please", "question", "outside"),
        ("gm", "greeting", "question"),
        ("hello", "greeting", "greeting"),
    ],
)
def test_a_message_is_of_the_kind_of_own_examples(tmp_path: Path, said: str, before: str, after: str) -> None:
    embedding = load_embedding("english")

    assert before == MessageKinds(embedding).of(said, [])
    assert after == MessageKinds(embedding, read_examples(written(tmp_path, OWN))).of(said, [])


@pytest.mark.parametrize("kind", get_args(BuiltInEmbedding))
def test_each_built_in_example_has_a_stored_vector(kind: BuiltInEmbedding) -> None:
    assert set(read_examples()) == set(example_vectors(model_id(kind)))
    assert f"{model_id(kind)}.npz" in {file.name for file in FOLDER.iterdir()}


@pytest.mark.parametrize("kind", get_args(BuiltInEmbedding))
def test_a_stored_vector_is_that_of_the_model(kind: BuiltInEmbedding) -> None:
    if kind == "multilingual" and not is_available():
        pytest.skip("The multilingual embedding is not installed.")
    texts = list(read_examples())[::50]

    computed = load_embedding(kind).embed_queries(texts)

    stored = example_vectors(model_id(kind))
    assert all(np.vdot(stored[text], vector) > 0.999 for text, vector in zip(texts, computed, strict=True))


def test_only_own_examples_are_embedded_for_the_first_message(tmp_path: Path) -> None:
    embedding = Counting()

    assert "greeting" == MessageKinds(embedding, read_examples(written(tmp_path, OWN))).of("hello", [])

    assert ["ahoy matey", "feed the parrot of the crew", "GM"] == embedding.asked
    assert {} == example_vectors("a provider's model")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("greeting = [", "is no TOML: "),
        (b"greeting = ['\xff']", "is no TOML: it is not in UTF-8"),
        ("greetings = ['hi']", "has the kind “greetings”. The kinds are greeting, thanks, closing, itself, outside"),
        ("greeting = 'hi'", "must give a list of texts for greeting"),
        ("greeting = ['hi', 7]", "gives no text as example 2 of greeting"),
        ("greeting = [' ?']", "gives no text as example 1 of greeting"),
        (f"greeting = ['{'x' * (LONGEST + 1)}']", f"an example of greeting with more than {LONGEST} characters"),
        ("greeting = ['Ahoy']\noutside = ['ahoy ']", "has “ahoy ” as greeting and as outside"),
        (f"question = {[f'q{number}' for number in range(MOST + 1)]}", f"has {MOST + 1} examples"),
    ],
)
def test_a_wrong_file_is_refused_and_the_error_says_what_to_fix(tmp_path: Path, text: str | bytes, fault: str) -> None:
    file = written(tmp_path, text)

    with pytest.raises(SettingsError) as raised:
        read_examples(file)

    assert str(raised.value).startswith(f"ASKBACK_EXAMPLES: {file} ")
    assert fault in str(raised.value)


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"ASKBACK_EXAMPLES: .*nowhere.toml cannot be read: No such file"):
        read_examples(tmp_path / "nowhere.toml")
