"""Judging, counting and comparing the outcomes of questions."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.evals.measures import mcnemar, wilson
from bot.evals.outcomes import Expectation, figures, holds, read_expectations, task_of, verdict
from bot.evals.tasks import Evaluation, Told
from graph.passages import DocumentFilter, Passage
from tests.evals.benches import bench_of, results_of, telling, values, verdicts
from tests.support.fakes import FoundPassages, context, passage

STRANGERS = Path(__file__).parents[1] / "evals" / "strangers.jsonl"
ROW: dict[str, Any] = {
    "id": "a-1", "set": "dev", "folder": "handbook", "language": "en", "kind": "fact", "earlier": [],
    "question": "What does parking cost?", "expect": "answer", "needs": ["45|forty-five", "EUR"], "never": ["60"],
    "sources": ["offices/porto/parking.md"], "readings": [],
}  # fmt: skip
READINGS = [
    {"label": "Porto", "needs": ["45"], "sources": ["offices/porto/parking.md"]},
    {"label": "Hamburg", "needs": ["60"], "sources": ["offices/hamburg/parking.md"]},
]
PATH = "offices/porto/parking.md"
OPTIONS = tuple((each["label"], frozenset[str](each["sources"])) for each in READINGS)


def expected(tmp_path: Path, **changed: object) -> Expectation:
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps(ROW | changed), "utf-8")
    return read_expectations(file)[0]


def answered(text: str, path: str = PATH) -> Told:
    return Told(outcome="answered", text=text, documents=(path,))


@pytest.mark.parametrize(
    ("told", "judged"),
    [
        (answered("It is **45 EUR** a month [1]."), "right"),
        (answered("Forty-five EUR [1]."), "right"),
        (answered("It is 45 a month [1]."), "partly"),
        (answered("It is 45 EUR [1].", path="other.md"), "partly"),
        (answered("It is 45 EUR, or 60 [1]."), "wrong"),
        (answered("The garage is below."), "wrong"),
        (Told(outcome="admitted", text="I am not sure. These come nearest: 45 EUR [1]."), "nearest"),
        (Told(outcome="admitted", text="I found nothing."), "nothing"),
        (Told(outcome="asked", options=OPTIONS), "needless"),
        (Told(outcome="failed"), "other"),
    ],
)
def test_an_answer_is_right_that_holds_what_it_needs_and_cites_it(tmp_path: Path, told: Told, judged: str) -> None:
    assert judged == verdict(expected(tmp_path), told)


@pytest.mark.parametrize(
    ("told", "judged"),
    [
        (Told(outcome="asked", options=OPTIONS), "right"),
        (Told(outcome="asked", options=(("Bikes", frozenset({"x.md"})), ("Cars", frozenset({"y.md"})))), "needless"),
        (answered("45 EUR in Porto, 60 in Hamburg [1]."), "right"),
        (answered("45 EUR [1]."), "guessed"),
        (Told(outcome="admitted", text="These come nearest: 60 [1]."), "nearest"),
        (Told(outcome="admitted", text="I found nothing."), "nothing"),
    ],
)
def test_where_there_are_two_readings_it_asks_or_tells_both(tmp_path: Path, told: Told, judged: str) -> None:
    assert judged == verdict(expected(tmp_path, expect="ask", needs=[], readings=READINGS), told)


@pytest.mark.parametrize(
    ("expect", "outcome", "judged"),
    [
        ("admit", "admitted", "right"),
        ("decline", "declined", "right"),
        ("converse", "conversed", "right"),
        ("admit", "answered", "wrong"),
        ("decline", "admitted", "nothing"),
        ("admit", "asked", "needless"),
    ],
)
def test_what_no_document_answers_is_not_answered(tmp_path: Path, expect: str, outcome: str, judged: str) -> None:
    assert judged == verdict(expected(tmp_path, expect=expect), Told(outcome=outcome))


@pytest.mark.parametrize(
    ("text", "need", "held"),
    [
        ("15 days", "5", False),
        ("5.5 days", "5", False),
        ("1,5 days", "5", False),
        ("In 5, not 6.", "5", True),
        ("**5**\ndays", "5 days", True),
        ("Ring 555 0177.", "Hansewacht|555 0177", True),
    ],
)
def test_a_number_is_held_as_a_whole(text: str, need: str, held: bool) -> None:
    assert held is holds(text, need)


async def test_what_was_said_before_is_said_again_only_if_it_was_not_said_last(tmp_path: Path) -> None:
    first = "Where do I park?"
    rows = [expected(tmp_path, question=first), expected(tmp_path, earlier=[first]), expected(tmp_path, earlier=["Hi"])]
    asked: list[str] = []

    class Noting(FoundPassages):
        async def search(self, query: str, *, limit: int, only: DocumentFilter | None = None) -> list[Passage]:
            asked.append(query)
            return await super().search(query, limit=limit, only=only)

    bench = bench_of(context(retriever=Noting([passage(1, "Parking costs 45 EUR.")])))
    for row in rows:
        await bench.converse([*row.earlier, row.question])

    assert (1, 1) == (asked.count(first), asked.count("Hi"))


async def test_rates_are_of_what_they_concern_and_none_if_there_is_nothing(tmp_path: Path) -> None:
    clear, unclear = expected(tmp_path), expected(tmp_path, id="a-2", expect="ask", needs=[], readings=READINGS)
    asked = Told(outcome="asked", options=OPTIONS)
    told = [(clear, asked), (clear, Told(outcome="admitted")), (unclear, asked), (unclear, answered("45 EUR"))]

    results = [result for each, one in told for result in await results_of(asking(each), telling({"first": one}))]

    assert ["needless", "nothing", "right", "guessed"] == verdicts(results)
    names = (
        "right_or_nearest",
        "wrong_or_guessed",
        "wrong",
        "false_nothing",
        "clear_asked_needlessly",
        "questions_back_right",
        "ambiguous_asked",
    )
    assert [0.25, 0.25, 0.0, 0.25, 0.5, 0.5, 0.5] == values(figures(results), *names)
    assert [None, None] == values(figures(results[1:2]), *names[5:])


async def test_a_question_is_counted_by_what_its_row_says(tmp_path: Path) -> None:
    (task,) = asking(expected(tmp_path, difficulty="hard")).tasks

    assert ("a-1", "handbook", (ROW["question"],)) == (task.id, task.folder, task.asked)
    assert {"half": "dev", "expected": "answer", "difficulty": "hard"}.items() <= task.groups.items()


def asking(each: Expectation) -> Evaluation:
    return Evaluation(tasks=[task_of(each)], figures=figures)


def test_intervals_and_chance_are_those_of_the_textbooks() -> None:
    assert (0.404, 0.596) == tuple(round(end, 3) for end in wilson(50, 100))
    assert (1.0, 0.0) == (round(mcnemar(3, 3), 3), round(mcnemar(20, 0), 3))
    assert 0.039 == round(mcnemar(8, 1), 3)


def test_the_strangers_questions_are_read() -> None:
    assert 150 == len(read_expectations(STRANGERS))
