"""How surely passages answer is seen beside the others and in their sentences, for quoting."""

import pytest

from bot.models.embedding import MiniLm
from bot.models.grading import CalibratedGrader, Weights, sureness_weights
from bot.models.offline.likeness import likeness
from bot.models.offline.writing.ranking import likest
from bot.models.sureness import Signs, SureGrader, signs
from graph.answer.evidence import SURE
from graph.context import ModelError
from graph.passages import Passage
from tests.support.fakes import passage

PRESS = passage(
    1,
    "Be friendly, take the name, the medium and the deadline, and say that a colleague will call back the same day.",
    title="When a journalist calls",
)
OTHERS = [
    passage(2, "Take your laptop to the service desk if it is broken.", title="Laptops"),
    passage(3, "The phone number of the Porto office ends with 7.", title="Phones"),
]
WEIGHTS = Weights(constant=-4.5, by_signal=(0.4, 1.3, 0.1, 6.3))
QUESTION = "How do I get rid of a journalist?"


def graded(passages: list[Passage], grades: list[float]) -> list[Passage]:
    return [{**one, "relevance": grade} for one, grade in zip(passages, grades, strict=True)]


@pytest.fixture(scope="module")
def model() -> MiniLm:
    return MiniLm.load()


async def test_an_answer_in_other_words_than_the_question_is_sure(model: MiniLm) -> None:
    passages: list[Passage] = [PRESS, *OTHERS]
    grades = await CalibratedGrader(model).grade(QUESTION, passages)

    sure, *others = await SureGrader(model, WEIGHTS).grade(QUESTION, graded(passages, grades))

    assert sure >= SURE > grades[0]
    assert max(others) < SURE


@pytest.mark.parametrize(
    ("question", "is_read"), [("Which version of the rules is this?", True), ("Where do people work?", False)]
)
def test_whose_and_from_when_a_document_is_counts_only_if_the_question_asks_for_it(
    question: str, is_read: bool
) -> None:
    read = list[str]()

    def similarity(_: str, texts: list[str]) -> list[float]:
        read.extend(texts)
        return [0.5 for _ in texts]

    likest(question, [passage(1, "Version 3, April 2026.\n\nPeople work at home.", title="Rules")], similarity)

    assert is_read == ("Rules: Version 3, April 2026." in read)
    assert "Rules: People work at home." in read


async def test_a_document_far_ahead_of_all_others_is_surer(model: MiniLm) -> None:
    grader = SureGrader(model, Weights(constant=0.0, by_signal=(1.0, 0.0, 0.0, 0.0)))

    near, *_ = await grader.grade(QUESTION, graded([PRESS, *OTHERS], [0.3, 0.1, 0.1]))
    alone, *_ = await grader.grade(QUESTION, graded([PRESS, *OTHERS], [0.3, 0.005, 0.005]))

    assert near == pytest.approx(0.3, abs=0.001)
    assert alone == pytest.approx(0.538, abs=0.001)


async def test_the_documents_that_a_question_compares_are_no_rivals(model: MiniLm) -> None:
    passages = graded([PRESS, *OTHERS], [0.8, 0.7, 0.0])

    compared = await SureGrader(model, WEIGHTS).grade("Compare the journalist's call with laptops", passages)

    assert [0.8, 0.7, 0.0] == compared


async def test_no_passages_get_no_grades(model: MiniLm) -> None:
    assert [] == await SureGrader(model, WEIGHTS).grade(QUESTION, [])


def test_the_lead_is_over_other_documents_and_what_is_not_read_is_as_alike_as_the_least(model: MiniLm) -> None:
    passages = [PRESS, {**PRESS, "id": 9}, *OTHERS]

    first, second, third, unread = signs(QUESTION, passages, [0.9, 0.5, 0.2, 0.1], likeness(model))

    assert [1, 1 / 2, 1 / 3, 1 / 4] == [one.place for one in (first, second, third, unread)]
    assert first.lead > second.lead > 0 > third.lead > unread.lead
    assert first.likeness == second.likeness > third.likeness == unread.likeness


def test_only_the_multilingual_embedding_has_weights() -> None:
    weights = sureness_weights("multilingual-e5-small-q4", Signs._fields)

    assert weights is not None
    assert all(weight >= 0 for weight in weights.by_signal)
    assert sureness_weights("all-minilm-l6-v2-int8", Signs._fields) is None
    with pytest.raises(ModelError):
        sureness_weights("multilingual-e5-small-q4", ("another",))
