"""Grades are high for the passage that answers and low for everything else."""

import pytest

from bot.models.embedding import MiniLm
from bot.models.grading import CalibratedGrader
from graph.nodes.dialogue.understand import HIGHLY_RELEVANT
from graph.passages import Passage

OFFICE = [
    ("Vacation in Porto", "People in Porto have 25 days of paid vacation a year. Five may be carried over."),
    ("Vacation in Hamburg", "People in Hamburg have 30 days of paid vacation a year."),
    ("Parking", "Bicycles are parked in the cellar, cars behind the house."),
    ("Laptops", "A laptop is replaced every four years by the service desk."),
]


def passages() -> list[Passage]:
    return [
        Passage(
            id=number,
            document_id=number,
            title=title,
            path=f"{title.lower().replace(' ', '-')}.md",
            heading_path=[],
            text=text,
            language="en",
            attributes={},
            score=0.0,
        )
        for number, (title, text) in enumerate(OFFICE)
    ]


@pytest.fixture(scope="module")
def grader() -> CalibratedGrader:
    return CalibratedGrader(MiniLm.load())


async def test_the_passage_that_answers_is_surely_relevant(grader: CalibratedGrader) -> None:
    porto, hamburg, parking, laptops = await grader.grade("How many vacation days do people in Porto get?", passages())

    assert porto > 0.6
    assert porto > hamburg
    assert max(parking, laptops) < 0.1


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of Mongolia?",
        "How do I bake sourdough bread?",
        "Who won the football match yesterday?",
        "Which medicine helps against malaria?",
    ],
)
async def test_a_question_that_no_document_answers_gets_low_grades(grader: CalibratedGrader, question: str) -> None:
    assert max(await grader.grade(question, passages())) < 0.35


@pytest.mark.parametrize(
    "message",
    [
        "hi", "Hello there!", "thanks a lot", "great, thank you", "What can you do?", "how do you work?", "bye", "help",
        "thank you for the vacation answer", "I am on vacation next week, bye!", "Danke dir!", "obrigado!",
    ],
)  # fmt: skip
async def test_small_talk_is_highly_relevant_to_nothing(grader: CalibratedGrader, message: str) -> None:
    assert max(await grader.grade(message, passages())) < HIGHLY_RELEVANT["converse"]


async def test_a_plain_question_is_highly_relevant_to_its_passage(grader: CalibratedGrader) -> None:
    question = "vacation days in Porto?"

    assert max(await grader.grade(question, passages())) >= HIGHLY_RELEVANT["converse"]


async def test_no_passages_get_no_grades(grader: CalibratedGrader) -> None:
    assert await grader.grade("Anything?", []) == []


async def test_every_grade_is_a_probability(grader: CalibratedGrader) -> None:
    for question in ("", "???", "Porto " * 500):
        assert all(0 <= grade <= 1 for grade in await grader.grade(question, passages()))
