"""A team's own examples of what people write, by kind."""

from pathlib import Path

import pytest

from bot.errors import SettingsError
from bot.models.choice import load_embedding
from bot.models.offline.understanding.examples import LONGEST, MOST, read_examples
from bot.models.offline.understanding.message_kind import MessageKinds

OWN = """
greeting = ["ahoy matey"]
outside = ["feed the parrot of the crew"]
question = ["GM"]
"""


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
