"""Conversations written as Markdown: how they are read, said and judged."""

from pathlib import Path

import pytest

from bot.errors import SettingsError
from bot.evals.markdown_cases import Case, evaluate_cases, read_cases
from bot.evals.measures import auc, percentile, token_f1
from bot.evals.metering import metered
from bot.evals.outcome_report import Report
from bot.evals.page import page_of
from tests.models.test_rehearsing import rehearsal

PARKING = """# Parking
Some words about the case.

## Turn 1
**User:** What does
parking cost?
**Expected:** asks, offering `Porto` and `Hamburg`

## Turn 2
User: the second
Expected: answers `68 EUR`, citing `offices/hamburg/parking.md`, never `3 EUR` or `4 EUR`
"""


def written(tmp_path: Path, text: str) -> list[Case]:
    file = tmp_path / "cases.md"
    file.write_text(text, "utf-8")
    return read_cases(file)


def test_a_case_says_what_is_asked_and_expected_in_each_turn(tmp_path: Path) -> None:
    (case,) = written(tmp_path, PARKING)

    first, second = case.turns
    assert ("Parking", "What does\nparking cost?") == (case.title, first.question)
    assert ("ask", ["Porto", "Hamburg"]) == (first.expect, [reading.label for reading in first.readings])
    assert ("answer", ("68 EUR",), ("offices/hamburg/parking.md",)) == (second.expect, second.needs, second.sources)
    assert ("3 EUR", "4 EUR") == second.never


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# One\n## Turn 1\nUser: Hello?\n", "One, turn 1: write `User:` with a message, and `Expected:`"),
        ("# One\n## Turn 1\nExpected: admits\n", "One, turn 1: write `User:`"),
        ("# One\n## Turn 1\nUser: Hello?\nExpected: wonders\n", "begins with one of answers, asks, admits"),
        ("# Only a heading\n", "holds no case"),
    ],
)
def test_what_is_missing_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        written(tmp_path, text)


async def test_a_turn_that_names_an_option_answers_the_question_back(tmp_path: Path) -> None:
    cases = written(tmp_path, PARKING + PARKING.replace("# Parking", "# Again").replace("asks", "admits"))

    results = [result async for result in evaluate_cases(cases, lambda: metered(rehearsal().thread()))]

    assert ["right", "right", "needless", "right"] == [result.verdict for result in results]


async def test_the_page_shows_each_question_and_nothing_of_it_is_read_as_html(tmp_path: Path) -> None:
    cases = written(tmp_path, PARKING.replace("# Parking", "# <script>alert(1)</script>"))
    results = [result async for result in evaluate_cases(cases, lambda: metered(rehearsal().thread()))]

    page = page_of(Report(results=tuple(results)), "<cases>.md")

    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;"[:28] in page
    assert "68 EUR" in page
    assert "the second" in page
    assert "http" not in page


def test_measures() -> None:
    assert (2, 4, 1) == (percentile([3, 1, 2, 4], 0.5), percentile([3, 1, 2, 4], 0.95), percentile([1], 0.5))
    assert (1.0, 0.5, 0.0) == (auc([2, 3], [1]), auc([1], [1]), auc([0], [1]))
    assert (1.0, 0.0) == (token_f1(["a", "b"], ["b", "a"]), token_f1(["a"], []))
    assert token_f1(["a", "a", "b"], ["a", "c"]) == pytest.approx(0.4)
