"""Evaluations of parts: how messages are understood, and which answers the validator stops."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.errors import AskbackError
from bot.evals.groundedness import Report as GroundednessReport
from bot.evals.groundedness import evaluate_groundedness, read_rated
from bot.evals.understanding import Report, Understood, evaluate_understanding, read_messages
from bot.models.offline.validator import OverlapValidator
from tests.models.offline import offline_understander
from tests.support.fakes import FoundPassages, context, passage

OFFICES = [
    passage(1, "You have 25 days of vacation.", path="offices/porto/vacation.md", title="Vacation"),
    passage(2, "You have 30 days of vacation.", path="offices/hamburg/vacation.md", title="Vacation"),
]
PORTO, HAMBURG = (f"How many vacation days do I have in {office}?" for office in ("Porto", "Hamburg"))
TURNS = {
    "turns": [
        {"question": PORTO, "standalone": PORTO, "route": "retrieve", "answer": "25 days"},
        {"question": "And in Hamburg?", "standalone": HAMBURG, "route": "retrieve", "answer": "30 days"},
        {"question": "thanks!", "standalone": "thanks!", "route": "converse", "answer": None},
    ]
}
ROUTED = {
    "text": "Ben, are you coming?", "people": 2, "addressed": False, "mentions_others": True, "route": "stay_silent",
    "earlier": [{"question": "How many vacation days?", "answer": "25 days [1].", "sources": ["Vacation"]}],
}  # fmt: skip
CAST = {
    "history": [{"user": PORTO, "answer": ""}], "question": "And in Hamburg?", "rewrite_human": HAMBURG,
}  # fmt: skip
RATED = {
    "conversation": [{"text": "How many days?"}], "passages": [{"text": "You have 25 days of paid vacation a year."}],
}  # fmt: skip
PAIR = {
    "knowledge": "Arthur's Magazine began in 1844.", "question": "When did it begin?",
    "right_answer": "Arthur's Magazine began in 1844.", "hallucinated_answer": "The gazette was founded in 1901.",
}  # fmt: skip


def written(tmp_path: Path, *rows: dict[str, Any]) -> Path:
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return file


async def understood(file: Path) -> list[Understood]:
    office = context(retriever=FoundPassages(OFFICES), understander=offline_understander())
    return [one async for one in evaluate_understanding(read_messages(file), office)]


async def test_each_message_is_understood_with_what_was_said_before(tmp_path: Path) -> None:
    results = await understood(written(tmp_path, TURNS, ROUTED, CAST))

    assert ["retrieve", "retrieve", "converse", "stay_silent", "retrieve"] == [one.route for one in results]
    assert [0, 1, 2, 1, 1] == [len(one.said.earlier) for one in results]
    assert HAMBURG == results[1].standalone
    told = Report(results=tuple(results)).table()
    assert "| all | 4 | 100% |" in told
    assert "(F1) | 2 | 1.000 |" in told
    assert "left as they are | 2 | 100% |" in told


async def test_a_wrong_route_and_a_lost_topic_are_counted(tmp_path: Path) -> None:
    (first, second, *_) = await understood(written(tmp_path, TURNS))
    wrong = [Understood(said=one.said, route="converse", standalone=one.said.question) for one in (first, second)]

    told = Report(results=tuple(wrong)).table()

    assert "| all | 2 | 0% |" in told
    assert "(F1) | 1 | 0.333 |" in told


async def test_faithful_and_made_up_answers_are_told_apart(tmp_path: Path) -> None:
    good = {**RATED, "response": "You have 25 days of paid vacation a year.", "faithfulness_median": 4}
    bad = {**RATED, "response": "The canteen serves lobster on Fridays.", "faithfulness_median": 2}
    rated = read_rated(written(tmp_path, good, bad, PAIR))

    results = [one async for one in evaluate_groundedness(rated, OverlapValidator())]

    assert [True, False, True, False] == [one.rated.is_faithful for one in results]
    told = GroundednessReport(results=tuple(results)).table()
    assert "| AUC | 4 | 1.000 | 1.000 |" in told
    assert "| faithful: kept | 2 | 100% " in told
    assert "| unfaithful: stopped | 2 | 100% " in told


def test_a_set_of_one_kind_of_answers_measures_nothing(tmp_path: Path) -> None:
    good = {**RATED, "response": "You have 25 days.", "faithfulness_median": 4}
    with pytest.raises(AskbackError, match="faithful and unfaithful"):
        read_rated(written(tmp_path, good))
