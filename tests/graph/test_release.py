"""Streamed text is released in whole sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.answer.draft import Release


def released(pieces: list[str]) -> list[str]:
    release = Release()
    return [sentence for piece in pieces for sentence in release.feed(piece)] + release.rest()


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One [1]. Two [2].", ["One [1]. ", "Two [2]."]),
        ("One. [1] Two.", ["One. [1] ", "Two."]),
        ("It costs 3.50 EUR. Fine.", ["It costs 3.50 EUR. ", "Fine."]),
        (
            "See [the rules. All of them](https://a.example/x) today. Then go.",
            ["See [the rules. All of them](https://a.example/x) today. ", "Then go."],
        ),
        ("- one\n- two\n\nEnd", ["- one\n", "- two\n\n", "End"]),
        ("“Quoted.” Next.", ["“Quoted.” ", "Next."]),
        (
            "It is:\n-----BEGIN RSA PRIVATE KEY-----\na1\nb2\n-----END RSA PRIVATE KEY-----\nOr not.",
            ["It is:\n", "-----BEGIN RSA PRIVATE KEY-----\na1\nb2\n-----END RSA PRIVATE KEY-----\n", "Or not."],
        ),
    ],
)
def test_sentences_end_where_people_end_them(text: str, sentences: list[str]) -> None:
    assert sentences == released(list(text))


@given(st.lists(st.text(alphabet="ab .!?\n[]()1|*x", max_size=12)))
def test_nothing_is_lost_or_added(pieces: list[str]) -> None:
    assert "".join(pieces) == "".join(released(pieces))
