"""A model reads each passage once, with related ones side by side."""

from typing import Any

from graph.answer.selection import FEWEST, MOST, selected
from tests.support.fakes import passage

TABLE = "| City | Limit |\n|---|---|\n"


def ranked(*passages: Any, relevance: float = 0.9) -> list[Any]:
    return [{**one, "relevance": relevance} for one in passages]


def test_neighbours_in_one_section_are_one_passage() -> None:
    parts = [passage(number, f"Part {number}.", document_id=7, title="Long") for number in (5, 3, 4)]
    [one] = selected(ranked(*parts))

    assert (5, "Part 3.\n\nPart 4.\n\nPart 5.") == (one["id"], one["text"])


def test_the_head_of_a_table_stands_there_once() -> None:
    parts = [passage(1, f"{TABLE}| Porto | 5 |", document_id=7), passage(2, f"{TABLE}| Rome | 6 |", document_id=7)]
    [one] = selected(ranked(*parts))

    assert f"{TABLE}| Porto | 5 |\n| Rome | 6 |" == one["text"]


def test_a_sentence_that_both_hold_stands_there_once() -> None:
    shared = "This sentence carries over to the next part."
    parts = [passage(1, f"Before. {shared}", document_id=7), passage(2, f"{shared} After.", document_id=7)]
    [one] = selected(ranked(*parts))

    assert f"Before. {shared} After." == one["text"]


def test_sections_and_documents_stay_apart() -> None:
    apart = [
        passage(1, "One.", document_id=7, heading_path=["A"]),
        passage(2, "Two.", document_id=7, heading_path=["B"]),
        passage(3, "Three.", document_id=8),
    ]

    assert 3 == len(selected(ranked(*apart)))


def test_the_same_text_is_read_once() -> None:
    assert 1 == len(selected(ranked(passage(1, "The same.", title="A"), passage(20, "The  same.", title="A"))))


def test_versions_of_a_document_stand_together() -> None:
    new = passage(1, "New.", title="Travel policy", path="travel-2026.md", dated="2026-01-01")
    other = passage(30, "Other.", title="Parking")
    old = passage(60, "Old.", title="Travel policy", path="travel-2024.md", dated="2024-01-01")

    assert [1, 60, 30] == [one["id"] for one in selected(ranked(new, other, old))]


def sections(document: int, *places: int) -> list[Any]:
    return [
        passage(100 * document + 2 * place, f"T {document}-{place}.", document_id=document, heading_path=[str(place)])
        for place in places
    ]


def test_further_sections_of_the_document_that_the_question_is_about_come_along() -> None:
    others = [one for document in range(2, 11) for one in sections(document, 1)]
    found = ranked(*sections(1, 1, 2, 3), *others, *sections(1, 4, 5, 6))

    ids = [one["id"] for one in selected(found)]

    assert ([102, 104, 106], MOST, [108, 110]) == (ids[:3], len(ids), ids[-2:])


def test_two_of_the_first_passages_do_not_make_a_document_the_subject() -> None:
    others = [one for document in range(2, 11) for one in sections(document, 1)]
    found = ranked(*sections(1, 1, 2), *others, *sections(1, 4))

    assert 108 not in [one["id"] for one in selected(found)]


def test_some_are_kept_whatever_their_grade_and_padding_is_not() -> None:
    found = [passage(10 * number, f"Text {number}.") for number in range(1, 15)]

    assert FEWEST == len(selected(ranked(*found, relevance=0.01)))
    assert MOST == len(selected(ranked(*found, relevance=0.9)))
