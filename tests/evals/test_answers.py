"""Answers and questions back: what is right, what is counted, and what is said of gold answers."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.evals.answers import QuestionReading, figures, option_for, read_answers, says
from bot.evals.clarification import figures as figures_of_asking
from bot.evals.clarification import read_clarification
from bot.evals.tasks import Told
from tests.evals.benches import results_of, telling, values, verdicts, written

PORTO = QuestionReading(label="Porto", documents=frozenset({"porto/parking.md"}), phrases=("3 EUR a day",))
OPTIONS = (("Porto", PORTO.documents), ("Hamburg", frozenset({"hamburg/parking.md"})))
CLEAR: dict[str, Any] = {
    "id": "one",
    "set": "held",
    "folder": "handbook",
    "kind": "clear",
    "question": "What does parking in Porto cost?",
    "document": "porto/parking.md",
    "answer": "3 EUR a day",
}
UNCLEAR = {
    "id": "two",
    "set": "held",
    "folder": "handbook",
    "kind": "ambiguous",
    "question": "What does parking cost?",
    "readings": [
        {"label": "Porto", "document": "porto/parking.md", "answer": "3 EUR a day"},
        {"label": "Hamburg", "document": "hamburg/parking.md", "answer": "68 EUR"},
    ],
}
NOTHING = {"id": "three", "set": "held", "folder": "handbook", "kind": "unanswerable", "question": "A moon base?"}
TOLD = Told(outcome="answered", text="Parking costs 3 EUR a day [1].")


@pytest.mark.parametrize(
    ("text", "is_right"),
    [("It costs **3 EUR** a\nday [1].", True), ("It costs 3 [1] EUR a day.", True), ("It costs 4 EUR a day.", False)],
)
def test_an_answer_is_right_if_it_holds_the_phrase_whatever_its_marks(text: str, is_right: bool) -> None:
    assert is_right is says(Told(outcome="answered", text=text), PORTO)


def test_what_was_admitted_is_never_right() -> None:
    assert not says(Told(outcome="admitted", text="It costs 3 EUR a day."), PORTO)


@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [("answered", "wrong"), ("asked", "needless"), ("admitted", "right"), ("declined", "right")],
)
async def test_what_no_document_answers_must_not_be_claimed(tmp_path: Path, outcome: str, verdict: str) -> None:
    results = await results_of(read_answers(written(tmp_path, NOTHING)), telling({"first": Told(outcome=outcome)}))

    assert [verdict] == verdicts(results)
    assert [float(verdict != "right")] == values(figures(results), "unanswerable_claimed")


async def test_every_offered_reading_is_clicked_and_its_answer_compared(tmp_path: Path) -> None:
    asking = telling(
        {
            "first": Told(outcome="asked", options=OPTIONS),
            "Porto": TOLD,
            "Hamburg": Told(outcome="answered", text="There is no charger [1]."),
        }
    )

    results = await results_of(read_answers(written(tmp_path, UNCLEAR)), asking)

    assert (["partly"], [0.5]) == (verdicts(results), values(figures(results), "right_after_the_click"))


@pytest.mark.parametrize(
    ("sections", "kept"),
    [
        ([("Parking", "Bicycles")], 1.0),
        ([("Parking", "Bicycles"), ("Parking", "Bicycles")], 1.0),
        ([("Parking", "")], 0.0),
        ([("Parking", "Bicycles"), ("Parking", "Cars")], 0.0),
        ([("Office", "Bicycles")], 0.0),
        ([], 0.0),
    ],
)
async def test_an_offered_question_is_clicked_and_must_be_answered_from_the_section_that_it_names(
    tmp_path: Path, sections: list[tuple[str, str]], kept: float
) -> None:
    offer = "What does “Parking” say about “Bicycles”?"
    asked: list[list[str]] = []
    after = Told(outcome="answered", text="They are free [1].", sections=tuple(sections))
    bench = telling({"first": replace(TOLD, offers=(offer,))})

    async def converse(messages: Sequence[str]) -> Told:
        asked.append([*messages])
        return after

    results = await results_of(read_answers(written(tmp_path, CLEAR)), replace(bench, converse=converse))

    assert [[CLEAR["question"], offer]] == asked
    assert [1.0, kept] == values(figures(results), "answers_with_offers", "offers_kept")
    assert "answered: They are free [1]." == results[0].told[offer]


@pytest.mark.parametrize(
    ("text", "exact", "agreement"),
    [("3 EUR a day [1].", 1.0, 1.0), ("Parking costs 3 EUR a day [1].", 0.0, 0.8), ("No idea.", 0.0, 0.0)],
)
async def test_an_answer_is_compared_with_the_gold_one(
    tmp_path: Path, text: str, exact: float, agreement: float
) -> None:
    told = telling({"first": Told(outcome="answered", text=text)})

    results = await results_of(read_answers(written(tmp_path, CLEAR)), told)

    assert [exact, pytest.approx(agreement)] == values(figures(results), "exact_match", "token_F1")


async def test_a_question_about_documents_is_right_if_all_of_them_are_cited(tmp_path: Path) -> None:
    rows = written(tmp_path, {**CLEAR, "documents": ["a.md"], "answers": []})
    cited, other = (Told(outcome="answered", documents=paths) for paths in (("a.md",), ()))

    assert ["right"] == verdicts(await results_of(read_answers(rows), telling({"first": cited})))
    assert ["wrong"] == verdicts(await results_of(read_answers(rows), telling({"first": other})))


def test_an_option_stands_for_the_reading_it_is_named_after_before_any_other_of_its_document() -> None:
    told = Told(outcome="asked", options=(("Employees", frozenset({"vpn.md"})), ("Contractors", frozenset({"vpn.md"}))))

    chosen = option_for(QuestionReading(label="Contractors", documents=frozenset({"vpn.md"}), phrases=()), told)

    assert "Contractors" == chosen


async def test_questions_back_are_counted_apart_for_ambiguous_and_clear_questions(tmp_path: Path) -> None:
    lisbon = {**UNCLEAR, "id": "more", "readings": [*UNCLEAR["readings"], {"document": "lisbon/parking.md"}]}
    evaluation = read_clarification(written(tmp_path, UNCLEAR, lisbon, CLEAR))

    asked = await results_of(evaluation, telling({"first": Told(outcome="asked", options=OPTIONS)}))
    answered = await results_of(evaluation, telling({"first": TOLD}))

    assert ["right", "partly", "needless"] == verdicts(asked)
    assert ["guessed", "guessed", "right"] == verdicts(answered)
    names = ("ambiguous_asked", "every_reading_offered", "clear_asked_needlessly", "questions_back_right")
    assert [1.0, 0.5, 1.0, pytest.approx(2 / 3)] == values(figures_of_asking(asked), *names)
    assert [0.0, None, 0.0, None] == values(figures_of_asking(answered), *names)
