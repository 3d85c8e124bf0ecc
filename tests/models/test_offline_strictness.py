"""Where only quotations can answer, what nobody knows of is not answered."""

from bot.models.offline.strictness import StrictGrader
from tests.fakes import Graded, passage

PARKING = [passage(1, "Parking in Porto costs 3 EUR a day."), passage(2, "Parking in Hamburg costs 68 EUR a month.")]


async def test_nothing_bears_on_a_question_that_names_what_no_passage_holds() -> None:
    assert [0.0, 0.0] == await StrictGrader(Graded()).grade("What does parking cost in Munich?", PARKING)


async def test_any_other_question_is_graded_as_ever() -> None:
    assert [0.9, 0.9] == await StrictGrader(Graded()).grade("What does parking cost in Porto?", PARKING)
