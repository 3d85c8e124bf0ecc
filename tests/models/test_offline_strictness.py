"""Without a model, a question with a name that no passage contains gets no certain answer."""

from bot.models.offline.strictness import StrictGrader
from graph.answer.evidence import RELEVANT, graded, is_enough
from tests.support.fakes import Graded, passage

PARKING = [passage(1, "Parking in Porto costs 3 EUR a day."), passage(2, "Parking in Hamburg costs 68 EUR a month.")]


async def test_nothing_answers_a_question_that_names_what_no_passage_holds() -> None:
    grades = await StrictGrader(Graded()).grade("What does parking cost in Munich?", PARKING)

    assert not is_enough(graded(PARKING, grades))


async def test_what_comes_nearest_to_it_is_told_from_the_rest() -> None:
    grades = await StrictGrader(Graded(0.8)).grade("What does parking cost for the Contractors badge?", PARKING)

    assert [0.8 * RELEVANT] * 2 == grades


async def test_one_error_says_nothing_of_another() -> None:
    assert [0.0, 0.0] == await StrictGrader(Graded()).grade("What does error 63 mean?", PARKING)


async def test_a_capital_that_begins_a_phrase_lowers_nothing() -> None:
    for question in ("What does it cost to park in Porto (Contractors badge)?", "Porto parking – Daily price?"):
        assert [0.9, 0.9] == await StrictGrader(Graded()).grade(question, PARKING)


async def test_any_other_question_is_graded_as_ever() -> None:
    assert [0.9, 0.9] == await StrictGrader(Graded()).grade("What does parking cost in Porto?", PARKING)


async def test_a_comparison_with_what_no_passage_knows_is_no_certain_answer() -> None:
    grader = StrictGrader(Graded(0.8))

    assert [0.8 * RELEVANT] * 2 == await grader.grade("Compare parking in Porto with parking in lisbon", PARKING)
    assert [0.8] * 2 == await grader.grade("Compare parking in Porto with parking in Hamburg", PARKING)
