"""Counting right and wrong answers."""

import json
from pathlib import Path

import pytest

from bot.evals.answers import Ask, Asked, Kind, Reading, Told, evaluate_answers, option_for, read_asked, says

PORTO = Reading(label="Porto", documents=frozenset({"porto/parking.md"}), phrases=("3 EUR a day",))
HAMBURG = Reading(label="Hamburg", documents=frozenset({"hamburg/parking.md"}), phrases=("68 EUR",))
OPTIONS = (("Porto", PORTO.documents), ("Hamburg", HAMBURG.documents))


def asked(text: str, kind: Kind, *readings: Reading) -> Asked:
    return Asked(text=text, folder="handbook", half="held", kind=kind, readings=readings)


def answering(**by_click: Told) -> Ask:
    async def ask(question: str, click: str | None) -> Told:
        return by_click[click or "first"]

    return ask


@pytest.mark.parametrize(
    ("text", "is_right"),
    [("It costs **3 EUR** a\nday [1].", True), ("It costs 3 [1] EUR a day.", True), ("It costs 4 EUR a day.", False)],
)
def test_an_answer_is_right_where_it_holds_the_phrase_whatever_its_marks(text: str, is_right: bool) -> None:
    assert is_right is says(Told(outcome="answered", text=text), PORTO)


def test_what_was_admitted_is_never_right() -> None:
    assert not says(Told(outcome="admitted", text="It costs 3 EUR a day."), PORTO)


async def test_an_unanswerable_question_that_is_answered_or_asked_back_about_was_treated_as_known() -> None:
    questions = [asked("Is there a moon base?", "unanswerable")]
    outcomes = [Told(outcome=outcome) for outcome in ("answered", "asked", "admitted", "declined")]

    reports = [await evaluate_answers(questions, answering(first=told)) for told in outcomes]

    assert [1.0, 1.0, 0.0, 0.0] == [report.confident("held") for report in reports]


async def test_every_offered_reading_is_clicked_and_its_answer_compared() -> None:
    ask = answering(
        first=Told(outcome="asked", options=OPTIONS),
        Porto=Told(outcome="answered", text="3 EUR a day [1]."),
        Hamburg=Told(outcome="answered", text="There is no charger [1]."),
    )

    report = await evaluate_answers([asked("What does parking cost?", "ambiguous", PORTO, HAMBURG)], ask)

    assert 0.5 == report.clicked_right("held")
    assert ["What does parking cost?"] == [result.asked.text for result in report.missed("held")]


async def test_the_table_has_a_row_for_each_half_and_folder() -> None:
    ask = answering(first=Told(outcome="answered", text="3 EUR a day [1]."))

    report = await evaluate_answers([asked("What does parking in Porto cost?", "clear", PORTO)], ask)

    assert "| held | handbook | 1 | 100.0% | 100.0% | 0 | – | 0 | – |" == report.table().splitlines()[-1]


def test_an_option_stands_for_the_reading_it_is_named_after_before_any_other_of_its_document() -> None:
    told = Told(outcome="asked", options=(("Employees", frozenset({"vpn.md"})), ("Contractors", frozenset({"vpn.md"}))))

    chosen = option_for(Reading(label="Contractors", documents=frozenset({"vpn.md"}), phrases=()), told)

    assert "Contractors" == chosen


async def test_a_question_about_documents_is_right_where_all_of_them_are_cited(tmp_path: Path) -> None:
    row = {
        "question": "Which pages?",
        "folder": "x",
        "set": "dev",
        "kind": "clear",
        "documents": ["a.md"],
        "answers": [],
    }
    file = tmp_path / "questions.jsonl"
    file.write_text(json.dumps(row), "utf-8")
    cited = Told(outcome="answered", documents=("a.md",))

    report = await evaluate_answers(read_asked(file), answering(first=cited))
    other = await evaluate_answers(read_asked(file), answering(first=Told(outcome="answered")))

    assert (1.0, 0.0) == (report.right("dev"), other.right("dev"))
