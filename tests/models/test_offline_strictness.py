"""Without a model, a question with a name that no passage contains gets no certain answer."""

import pytest

from bot.models.offline.strictness import StrictGrader, doubted
from graph.answer.evidence import RELEVANT, is_enough, relevant, weighed
from graph.passages import Passage
from tests.support.fakes import Graded, passage

PARKING = [passage(1, "Parking in Porto costs 3 EUR a day."), passage(2, "Parking in Hamburg costs 68 EUR a month.")]


async def test_nothing_answers_a_question_that_names_what_no_passage_holds() -> None:
    grades = await StrictGrader(Graded()).grade("What does parking cost in Munich?", PARKING)

    assert not is_enough(relevant(weighed(PARKING, grades)))


async def test_what_comes_nearest_to_it_is_told_from_the_rest() -> None:
    grades = await StrictGrader(Graded(0.8)).grade("What does parking cost for the Contractors badge?", PARKING)

    assert [0.8 * RELEVANT] * 2 == grades


async def test_one_error_says_nothing_of_another() -> None:
    assert [0.0, 0.0] == await StrictGrader(Graded()).grade("What does error 63 mean?", PARKING)


async def test_a_capital_that_begins_a_phrase_lowers_nothing() -> None:
    for question in ("What does it cost to park in Porto (Contractors badge)?", "Porto parking – Daily price?"):
        assert [0.9, 0.9] == await StrictGrader(Graded()).grade(question, PARKING)


async def test_one_kind_of_a_thing_is_no_other_kind() -> None:
    leave = [passage(1, "Annual leave: all have 25 days of leave, and may take 5 weeks.")]
    grader = StrictGrader(Graded(0.8))

    assert [0.8 * RELEVANT] == await grader.grade("how many weeks of maternity leave", leave)
    for known in ("how many weeks of annual leave", "how many weeks of paid leave", "how many vacation days"):
        assert [0.8] == await grader.grade(known, leave)
    told = [*leave, passage(2, "Pregnancy leave: 14 weeks.")]
    assert [0.8] * 2 == await grader.grade("how many weeks of maternity leave", told)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("How much does the swimming pool cost?", ["The pool costs 5 EUR."]),
        ("How much does the swimming pool cost?", ["The pool costs 5 EUR. By car, it is near."]),
        ("Do we get sick pay?", ["When ill, you get your salary for six weeks.", "Holiday pay is due in June."]),
        ("Where is the fire exit?", ["Exits are on each floor."]),
        ("how many weeks of maternity leave", ["All have 5 weeks of leave."]),
    ],
)
def test_what_names_no_kind_or_says_it_in_other_words_is_doubted_for_none(question: str, told: list[str]) -> None:
    passages = [passage(place, text) for place, text in enumerate(told, 1)]
    grades = [0.8, 0.4][: len(told)]

    assert grades == doubted(question, passages, grades)


async def test_any_other_question_is_graded_as_ever() -> None:
    assert [0.9, 0.9] == await StrictGrader(Graded()).grade("What does parking cost in Porto?", PARKING)


async def test_a_comparison_with_what_no_passage_knows_is_no_certain_answer() -> None:
    grader = StrictGrader(Graded(0.8))

    assert [0.8 * RELEVANT] * 2 == await grader.grade("Compare parking in Porto with parking in lisbon", PARKING)
    assert [0.8] * 2 == await grader.grade("Compare parking in Porto with parking in Hamburg", PARKING)


async def test_of_documents_that_are_compared_as_a_whole_each_section_counts() -> None:
    class BySupport:
        async def grade(self, question: str, passages: list[Passage]) -> list[float]:
            return [0.8 if "Support" in one["heading_path"] else 0.1 for one in passages]

    found: list[Passage] = [
        {**passage(id_, "It is so.", title=title, heading_path=[heading]), "document_id": document}
        for id_, (document, title, heading) in enumerate(
            [(1, "Team plan", "Support"), (1, "Team plan", "Data"), (2, "Solo plan", "Support"), (3, "Prices", "All")]
        )
    ]

    assert [0.8, 0.8, 0.8, 0.1] == await StrictGrader(BySupport()).grade(
        "Compare the Team plan and the Solo plan", found
    )
    # Only what is asked of both counts.
    support = await StrictGrader(BySupport()).grade(
        "Difference between the data of the Team plan and the Solo plan?", found
    )
    assert 0.1 == support[1]
