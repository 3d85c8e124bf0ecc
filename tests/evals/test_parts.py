"""Evaluations of parts: how messages are understood, and which answers the validator stops."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.errors import AskbackError
from bot.evals.groundedness import figures as figures_of_answers
from bot.evals.groundedness import read_groundedness
from bot.evals.understanding import figures as figures_of_routes
from bot.evals.understanding import read_understanding
from bot.models.offline.validator import OverlapValidator
from graph.context import Case
from graph.state import Understanding
from tests.evals.benches import bench_of, results_of, values, verdicts, written
from tests.models.offline import offline_understander
from tests.support.fakes import FoundPassages, context, passage, understanding

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
    "text": "Ben, are you coming?",
    "people": 2,
    "addressed": False,
    "mentions_others": True,
    "route": "stay_silent",
    "earlier": [{"question": "How many vacation days?", "answer": "25 days [1].", "sources": ["Vacation"]}],
}
CAST = {
    "history": [{"user": PORTO, "answer": ""}],
    "question": "And in Hamburg?",
    "rewrite_human": HAMBURG,
}
RATED = {
    "conversation": [{"text": "How many days?"}],
    "passages": [{"text": "You have 25 days of paid vacation a year."}],
}
PAIR = {
    "knowledge": "Arthur's Magazine began in 1844.",
    "question": "When did it begin?",
    "right_answer": "Arthur's Magazine began in 1844.",
    "hallucinated_answer": "The gazette was founded in 1901.",
}


OFFICE = context(retriever=FoundPassages(OFFICES), understander=offline_understander())
ROUTES = ("right_route", "follow-ups", "F1_with_a_person's_words", "F1_as_asked", "stand-alone_left_as_they_are")


async def test_each_message_is_understood_with_what_was_said_before(tmp_path: Path) -> None:
    evaluation = read_understanding(written(tmp_path, TURNS, ROUTED, CAST))

    results = await results_of(evaluation, bench_of(OFFICE))

    assert ["retrieve", "retrieve", "converse", "stay_silent", "retrieve"] == [one.told["route"] for one in results]
    assert [1, 2, 3, 2, 2] == [len(one.asked) for one in results]
    assert HAMBURG == results[1].told["stands alone"]
    assert ["line 1, turn 1", "line 1, turn 2", "line 1, turn 3", "line 2", "line 3"] == [one.id for one in results]
    assert ["right"] * 5 == verdicts(results)
    assert [1.0, 2, 1.0, pytest.approx(0.333, abs=0.001), 1.0] == values(figures_of_routes(results), *ROUTES)


async def test_a_wrong_route_and_a_lost_topic_are_counted(tmp_path: Path) -> None:
    class Lost:
        async def understand(self, case: Case) -> Understanding:
            return understanding(case["question"], route="converse")

    results = await results_of(
        read_understanding(written(tmp_path, TURNS)), bench_of(replace(OFFICE, understander=Lost()))
    )

    assert ["wrong", "wrong", "right"] == verdicts(results)
    assert [pytest.approx(1 / 3), 1, pytest.approx(0.333, abs=0.001)] == values(figures_of_routes(results), *ROUTES[:3])


async def test_faithful_and_made_up_answers_are_told_apart(tmp_path: Path) -> None:
    good = {**RATED, "response": "You have 25 days of paid vacation a year.", "faithfulness_median": 4}
    bad = {**RATED, "response": "The canteen serves lobster on Fridays.", "faithfulness_median": 2}
    evaluation = read_groundedness(written(tmp_path, good, bad, PAIR))

    results = await results_of(evaluation, bench_of(context(validator=OverlapValidator())))

    assert ["faithful", "unfaithful"] * 2 == [one.groups["rated"] for one in results]
    assert ["right"] * 4 == verdicts(results)
    assert [1.0, 1.0, 1.0, 1.0] == values(
        figures_of_answers(results), "AUC", "AUC_of_shared_words", "faithful_kept", "unfaithful_stopped"
    )


def test_a_set_of_one_kind_of_answers_measures_nothing(tmp_path: Path) -> None:
    good = {**RATED, "response": "You have 25 days.", "faithfulness_median": 4}
    with pytest.raises(AskbackError, match="faithful and unfaithful"):
        read_groundedness(written(tmp_path, good))
