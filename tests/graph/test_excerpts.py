"""A reviewer sees the sentence behind a draft, wherever it is in its passage."""

import pytest

from graph.answer.review import EXCERPT_CHARACTERS, excerpt

LONG = (
    "Hotels are booked by the travel desk, which needs to know of a trip two weeks before it begins. "
    "Flights are booked there too, and by nobody else, for the insurance holds only for what the desk has booked. "
    "Whoever books alone is paid back nothing, however cheap it was. A taxi is for the way to the airport only. "
    "A night costs at most 145 EUR in Hamburg. Breakfast is paid by the company. Dinner is not. "
) * 1 + "Receipts are sent to the desk within a month of the trip, as pictures that can be read. " * 6


def test_the_cited_sentence_is_shown_though_it_stands_late() -> None:
    shown = excerpt(LONG, "A night in Hamburg costs at most 145 EUR [2].", 2)

    assert "A night costs at most 145 EUR in Hamburg." in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) <= EXCERPT_CHARACTERS + 10


def test_sentences_from_several_places_are_shown_with_the_gap_between_them() -> None:
    shown = excerpt(LONG, "The travel desk books hotels two weeks before [1]. Breakfast is paid [1].", 1)

    assert shown.startswith("Hotels are booked")
    assert "Breakfast is paid by the company." in shown
    assert " … " in shown


@pytest.mark.parametrize("draft", ["", "A night costs 145 EUR [3].", "Nothing is cited."])
def test_of_a_passage_that_is_not_cited_the_beginning_is_shown(draft: str) -> None:
    assert excerpt(LONG, draft, 2).startswith("Hotels are booked")


def test_a_short_passage_is_shown_whole() -> None:
    assert "A night costs 145 EUR." == excerpt("A night\n costs 145 EUR.", "", 1)


@pytest.mark.parametrize("passage", ["", "x" * 5000, "| a | b |\n" * 500, "a. " * 900])
def test_whatever_the_passage_is_the_excerpt_is_short(passage: str) -> None:
    assert len(excerpt(passage, "x [1].", 1)) <= EXCERPT_CHARACTERS + 10
