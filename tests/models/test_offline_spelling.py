"""Misspelt questions are corrected by the documents, or by the vocabulary; words that are none of theirs stay."""

import pytest

from tests.models.cases import make_passage
from tests.models.offline import spelling

DECK = make_passage(1, "MV Sanderling", "The Sanderling may carry twelve bicycles in the rack.")


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("how mnay bycicles go on the sandreling", "how many bicycles go on the Sanderling"),
        (
            "how mnay days a week am i alowed to wrok from home??",
            "how many days a week am i allowed to work from home??",
        ),
        ("Can I keep my bycicles on the Sandreling?", "Can I keep my bicycles on the Sanderling?"),
    ],
)
def test_slips_are_corrected(asked: str, meant: str) -> None:
    assert meant == spelling().corrected(asked, [DECK])


@pytest.mark.parametrize(
    "asked",
    [
        "is a pint the evening before ok?",
        "Give me the gist of the first half hour",
        "do the bots work here? oops",
        "where is the key to R3 and what does error E42 mean?",
        "Wie viele Fahhräder passen auf die Sandreling und was kostet das?",
        "xjqa fhho wrok kddu mnay tttr qqen eewk rrty yyus ghjo",
    ],
)
def test_other_words_stay(asked: str) -> None:
    assert asked == spelling().corrected(asked, [DECK])


def test_a_word_of_the_documents_is_no_slip() -> None:
    yard = make_passage(1, "Yard", "The wrok is a tool of the yard.")

    assert "where is the wrok" == spelling().corrected("where is the wrok", [yard])
    assert "where is the work" == spelling().corrected("where is the wrok", [])


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("what is a sev1?", "what is a SEV-1?"),
        ("who fills bay 12?", "who fills Bay12?"),
        ("Was ist ein sev1?", "Was ist ein SEV-1?"),
        ("what is a SEV 1?", "what is a SEV 1?"),
        ("what is a sev2?", "what is a sev2?"),
        ("what happens in 1 hour?", "what happens in 1 hour?"),
    ],
)
def test_a_name_with_a_number_is_written_as_in_the_documents(asked: str, meant: str) -> None:
    told = make_passage(1, "Alarms", "A SEV-1 is loud. A sev 1 wakes people in1 hour. Bay12 is full.")

    assert meant == spelling().corrected(asked, [told])


def test_a_name_with_a_number_stays_if_the_documents_write_it_so_too() -> None:
    told = make_passage(1, "Alarms", "A SEV-1 is loud. The label is sev1.")

    assert "what is a sev1?" == spelling().corrected("what is a sev1?", [told])
