"""A chosen interpretation holds for follow-up questions, if it has an answer to them."""

import pytest

from bot.models.offline.understanding.kept_choice import kept
from graph.passages import Passage
from tests.support.fakes import passage

CHOSEN = "How many vacation days do I have (Porto)?"


def office(number: int, place: str, topic: str, text: str) -> Passage:
    """Return a passage of an office's page."""
    return passage(number, text, path=f"offices/{place}/{topic}.md", title=f"{topic.capitalize()} in {place}")


FOUND = [
    office(1, "porto", "vacation", "You have 25 days of vacation."),
    office(2, "porto", "sick-leave", "Sick leave is paid in full for 30 days."),
    office(3, "hamburg", "vacation", "You have 30 days of vacation."),
    office(4, "hamburg", "sick-leave", "Sick leave is paid in full for six weeks."),
    office(5, "hamburg", "ferry", "The ferry ticket costs 68 EUR a month."),
    passage(6, "A hotel night may cost 145 EUR.", path="people/travel.md", title="Travel policy"),
]


@pytest.mark.parametrize("question", ["And how many for sick leave?", "How many days of sick leave are paid?"])
def test_a_choice_holds_for_the_next_question(question: str) -> None:
    reading = kept(question, CHOSEN, FOUND)

    assert reading is not None
    assert ("path:1", "Porto") == (reading["attribute"], reading["label"])


def test_a_sibling_that_was_found_first_does_not_take_its_place() -> None:
    reading = kept("And how many for sick leave?", CHOSEN, [FOUND[3], *FOUND])

    assert reading is not None
    assert "Porto" == reading["label"]


@pytest.mark.parametrize(
    "question",
    [
        "And how many for sick leave in Hamburg?",
        "And how many for sick leave in Porto?",
        "And how many for sick leave in all offices?",
        "What does the ferry ticket cost?",
        "What may a hotel night cost?",
    ],
)
def test_a_question_that_names_a_reading_or_is_about_something_else_stays_as_it_is(question: str) -> None:
    assert kept(question, CHOSEN, FOUND) is None


@pytest.mark.parametrize("previous", ["", "How many vacation days do I have?", "How long (sick leave)?"])
def test_where_nothing_was_chosen_nothing_holds(previous: str) -> None:
    assert kept("And how many for sick leave?", previous, FOUND) is None


def test_a_choice_holds_though_only_its_own_passages_were_found() -> None:
    assert kept("And how many for sick leave?", CHOSEN, FOUND[:2]) is not None


def test_where_nothing_that_was_found_answers_nothing_is_assumed() -> None:
    assert kept("And who waters the plants?", CHOSEN, FOUND[:2]) is None
