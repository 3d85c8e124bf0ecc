"""Which questions are for places of a directory, and that no other question is taken for one."""

import json
from pathlib import Path
from typing import Any

import pytest

from graph.asking.place_questions import asked_as, place_follow_up, place_question, planned
from graph.places import PlaceQuestion

KINDS = ["childcare", "clinic", "office", "parking", "kita", "clínica", "hotel", "restaurant", "training", "warehouse"]
TODAY = "2026-11-25"
"""A Wednesday."""
EVALS = Path(__file__).parents[1] / "evals"


def asked(
    near: str, *kinds: str, days: list[int] | None = None, also: list[str] | None = None, km: float = 50.0
) -> Any:
    return PlaceQuestion(kinds=[*kinds] or ["childcare"], near=near, days=days or [], also=also or [], within_km=km)


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("childcare near Austin", asked("Austin")),
        ("Is there child care close to Austin, TX?", asked("Austin, TX")),
        ("Please find me childcare around 78701", asked("78701")),
        ("nearest childcare to 78701", asked("78701")),
        ("Where is there childcare near the Berlin office, open on Saturday?", asked("Berlin office", days=[5])),
        ("childcare open on Saturdays near Austin", asked("Austin", days=[5])),
        ("childcare near Austin open at weekends", asked("Austin", days=[5, 6])),
        ("clinics near Austin open tomorrow", asked("Austin", "clinic", days=[3])),
        ("clinics within 10 miles of Austin", asked("Austin", "clinic", km=16.0)),
        ("Which offices are in Berlin?", asked("Berlin", "office")),
        ("childcare with parking near Austin", asked("Austin", also=["parking"])),
        ("I need childcare near Austin for infants", asked("Austin", also=["infants"])),
        ("childcare or clinics near Austin", asked("Austin", "childcare", "clinic")),
        ("Is there a clinic near me?", asked("", "clinic")),
        ("Gibt es eine Kita in der Nähe von Berlin, die samstags geöffnet hat?", asked("Berlin", "kita", days=[5])),
        ("Onde há uma clínica perto de Lisboa, aberta ao sábado?", asked("Lisboa", "clínica", days=[5])),
    ],
)
def test_a_question_for_places_says_which_and_where(question: str, meant: PlaceQuestion) -> None:
    assert meant == place_question(question, KINDS, TODAY)
    # Its stand-alone form, which the thread remembers, means the same.
    if meant["near"] and meant["days"] in ([], [5]):
        assert meant == place_question(asked_as(meant, ["Saturday"] if meant["days"] else []), KINDS, TODAY)


@pytest.mark.parametrize(
    "question",
    [
        "How much does childcare near Austin cost us?",
        "Who do I call in the Berlin office?",
        "What are the office hours in Porto?",
        "How do I get a parking permit in Porto?",
        "Can I get a subsidy for childcare in Austin?",
        "Is there a pharmacy near Austin?",
        "What happens around Christmas in the office?",
        "Which training do I need in my first week to be near the machines?",
        "near Austin",
        "childcare",
        "",
    ],
)
def test_any_other_question_is_none(question: str) -> None:
    assert place_question(question, KINDS, TODAY) is None


def test_without_a_directory_no_question_is_one() -> None:
    assert place_question("childcare near Austin", [], TODAY) is None


def test_of_all_ordinary_questions_here_none_is_taken_for_one() -> None:
    questions = [
        json.loads(line)["question"]
        for name in ("questions", "strangers", "unanswerable", "languages", "metadata")
        for line in (EVALS / f"{name}.jsonl").read_text().splitlines()
        if line.strip()
    ]

    assert len(questions) > 300
    # A directory with offices does answer this one.
    assert ["Where is the office in Berlin?"] == [
        question for question in questions if place_question(question, KINDS, TODAY)
    ]


@pytest.mark.parametrize(
    ("message", "meant"),
    [
        ("and in Dallas?", asked("Dallas", also=["parking"])),
        ("What about Dallas?", asked("Dallas", also=["parking"])),
        ("near 78704", asked("78704", also=["parking"])),
        ("and on Saturday?", asked("Austin", also=["parking"], days=[5])),
        ("Which of them are open on Saturdays?", asked("Austin", also=["parking"], days=[5])),
        ("and clinics?", asked("Austin", "clinic")),
        ("und in Berlin am Samstag?", asked("Berlin", also=["parking"], days=[5])),
        ("thanks", None),
        ("How many vacation days do I have?", None),
        ("Who pays for it?", None),
        ("Is it open on Saturday?", None),
    ],
)
def test_a_follow_up_changes_a_part_of_the_question(message: str, meant: PlaceQuestion | None) -> None:
    assert meant == place_follow_up(message, asked("Austin", also=["parking"]), KINDS, TODAY)


def test_what_a_model_plans_counts_if_the_directory_has_such_places() -> None:
    assert asked("Austin, TX", days=[5]) == planned("a childcare place", "the Austin, TX", "Saturday", KINDS, TODAY)
    assert asked("Austin", also=["infants"]) == planned("childcare for infants", "Austin", "", KINDS, TODAY)
    assert planned("pharmacies", "Austin", "", KINDS, TODAY) is None
    assert planned("childcare", " ", "", KINDS, TODAY) is None
