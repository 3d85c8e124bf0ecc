"""Judging, counting and comparing the outcomes of questions."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bot.evals.answers import Told
from bot.evals.effort import Effort
from bot.evals.measures import mcnemar, wilson
from bot.evals.metering import metered
from bot.evals.outcome_report import Report, figures, resumed, transcript
from bot.evals.outcomes import Expectation, Result, evaluate_outcomes, holds, read_expectations, verdict

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


async def test_a_question_that_fails_stops_no_other_and_earlier_ones_are_said_before(tmp_path: Path) -> None:
    said: list[list[str]] = []

    async def converse(messages: Sequence[str]) -> Told:
        said.append(list(messages))
        if len(said) == 1:
            raise RuntimeError("no model")
        return answered("45 EUR [1].")

    rows = [expected(tmp_path), expected(tmp_path, id="a-2", earlier=["Where do I park?"])]
    results = [result async for result in evaluate_outcomes(rows, metered(converse))]

    assert [["What does parking cost?"], ["Where do I park?", "What does parking cost?"]] == said
    assert [("other", "failed"), ("right", "answered")] == [(each.verdict, each.told.outcome) for each in results]
    assert "no model" in results[0].told.text


def test_the_report_counts_and_compares_with_an_earlier_run(tmp_path: Path) -> None:
    one, other = expected(tmp_path), expected(tmp_path, id="a-2", set="held")
    before = Report(results=tuple(Result(expected=each, told=answered(""), verdict="wrong") for each in (one, other)))
    now = Report(
        results=(
            Result(expected=one, told=answered("45 EUR [1]."), verdict="right"),
            Result(expected=other, told=answered(""), verdict="wrong"),
        )
    )

    assert "| dev | all | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 100% | 21%–100% |" in now.table()
    assert "| held | answer | 1 | 0 |" in now.table()
    earlier = "".join(f"{transcript(result)}\n" for result in before.results)
    assert now.against(earlier).startswith("Of 2 questions, 1 are right that were not, 0 no longer are")


def test_rates_are_of_what_they_concern_and_none_where_there_is_nothing(tmp_path: Path) -> None:
    clear, unclear = expected(tmp_path), expected(tmp_path, id="a-2", expect="ask", needs=[], readings=READINGS)
    asked = Told(outcome="asked", options=OPTIONS)
    results = [
        Result(expected=clear, told=asked, verdict="needless"),
        Result(expected=clear, told=Told(outcome="admitted"), verdict="nothing", effort=Effort(seconds=3.0, retries=1)),
        Result(expected=unclear, told=asked, verdict="right", effort=Effort(seconds=1.0, calls=3, tokens=600)),
        Result(expected=unclear, told=answered("45 EUR"), verdict="guessed"),
    ]

    of = figures(results)

    assert (0.25, 0.25, 0.25) == (of["right"], of["helpful"], of["wrong"])
    assert (0.25, 0.5) == (of["false_nothing"], of["over_asked"])
    assert (0.5, 0.5) == (of["ask_precision"], of["ask_recall"])
    assert (1.0, 3.0, 150) == (of["seconds_mean"], of["seconds_p95"], of["tokens_mean"])
    assert (0.25, 0.25) == (of["retried"], of["retries_mean"])
    assert (None, None) == (figures(results[1:2])["ask_recall"], figures(results[1:2])["ask_precision"])
    report = Report(results=tuple(results))
    assert "| 1 | 1 | 0% |" in report.retries()
    assert "| dev | 25% | 25% | 25% | 25% | 50% | 50% | 50% |" in report.rates()
    assert {"all", "halves", "kinds", "retries"} == set(json.loads(report.as_json()))


def test_an_evaluation_goes_on_after_the_last_whole_line(tmp_path: Path) -> None:
    rows = [expected(tmp_path), expected(tmp_path, id="a-2"), expected(tmp_path, id="a-3")]
    effort = Effort(seconds=1.5, calls=2, tokens=100, searches=3, retries=1)
    done = [Result(expected=row, told=answered("45 EUR [1]."), verdict="right", effort=effort) for row in rows]
    broken_off = f"{transcript(done[0])}\n{transcript(done[1])}\n{transcript(done[2])[:40]}"

    found = resumed(broken_off, [*rows[:2], expected(tmp_path, id="a-4")])

    assert {"a-1": done[0], "a-2": done[1]} == found


def test_intervals_and_chance_are_those_of_the_textbooks() -> None:
    assert (0.404, 0.596) == tuple(round(end, 3) for end in wilson(50, 100))
    assert (1.0, 0.0) == (round(mcnemar(3, 3), 3), round(mcnemar(20, 0), 3))
    assert 0.039 == round(mcnemar(8, 1), 3)


def test_the_strangers_questions_are_read() -> None:
    assert 150 == len(read_expectations(STRANGERS))
