"""Counting questions back."""

import json
from pathlib import Path

import pytest

from bot.evals.answers import Told
from bot.evals.clarification import Question, evaluate_clarification, read_questions

OPTIONS = (("Porto", frozenset({"porto/parking.md"})), ("Hamburg", frozenset({"hamburg/parking.md"})))


async def answer(question: str, click: str | None) -> Told:
    assert click is None
    unclear = "bicycle" not in question and "Porto" not in question
    return Told(outcome="asked", options=OPTIONS) if unclear else Told(outcome="answered")


def ask(text: str, *readings: str, folder: str = "offices") -> Question:
    return Question(text=text, folder=folder, half="held", readings=frozenset(readings))


async def test_asking_back_is_counted_apart_for_ambiguous_and_clear_questions() -> None:
    questions = [
        ask("How much does parking cost?", "porto/parking.md", "hamburg/parking.md"),
        ask("How much is a bicycle?", "porto/parking.md", "hamburg/parking.md", folder="empty"),
        ask("How much does parking cost in Porto?"),
        ask("How much does parking cost?"),
    ]

    report = await evaluate_clarification(questions, answer)

    assert report.recall("held") == pytest.approx(0.5)
    assert report.complete("held") == pytest.approx(1.0)
    assert report.false_asks("held") == pytest.approx(0.5)
    assert report.recall("held", "empty") == 0.0
    assert report.recall("dev") == 0.0


async def test_options_without_a_reading_are_not_complete() -> None:
    questions = [ask("How much does parking cost?", "porto/parking.md", "lisbon/parking.md")]

    assert (await evaluate_clarification(questions, answer)).complete("held") == 0.0


async def test_the_table_has_a_row_for_each_half_and_folder() -> None:
    report = await evaluate_clarification([ask("Parking?", "porto/parking.md")], answer)

    assert report.table().splitlines()[2:] == [
        "| held | all | 1 | 100.0% | 100.0% | 0 | 0.0% |",
        "| held | offices | 1 | 100.0% | 100.0% | 0 | 0.0% |",
    ]


def test_questions_are_read_from_lines(tmp_path: Path) -> None:
    rows = [
        {"question": "A?", "folder": "x", "set": "dev", "readings": [{"document": "a.md"}, {"document": "b.md"}]},
        {"question": "B?", "folder": "x", "set": "held", "document": "a.md"},
    ]
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")

    assert read_questions(file) == [
        Question(text="A?", folder="x", half="dev", readings=frozenset({"a.md", "b.md"})),
        Question(text="B?", folder="x", half="held", readings=frozenset()),
    ]
