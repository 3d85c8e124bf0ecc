"""Conversations written as Markdown: how they are read, said and judged."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.errors import SettingsError
from bot.evals.markdown_cases import read_cases, turns_of
from bot.evals.measures import auc, percentile, token_f1
from tests.evals.benches import bench_of, results_of, verdicts
from tests.models.test_rehearsing import office

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


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "cases.md"
    file.write_text(text, "utf-8")
    return file


def test_a_case_says_what_is_asked_and_expected_in_each_turn(tmp_path: Path) -> None:
    first, second = turns_of(written(tmp_path, PARKING))

    assert ("Parking", "What does\nparking cost?") == (first.kind, first.question)
    assert ("ask", ["Porto", "Hamburg"]) == (first.expect, [reading.label for reading in first.readings])
    assert ("answer", ("68 EUR",), ("offices/hamburg/parking.md",)) == (second.expect, second.needs, second.sources)
    assert (("3 EUR", "4 EUR"), (first.question,)) == (second.never, second.earlier)


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
        read_cases(written(tmp_path, text))


async def test_a_turn_that_names_an_option_answers_the_question_back(tmp_path: Path) -> None:
    cases = written(tmp_path, PARKING + PARKING.replace("# Parking", "# Again").replace("asks", "admits"))

    results = await results_of(read_cases(cases), bench_of(office()))

    assert ["right", "right", "needless", "right"] == verdicts(results)
    assert ["Parking, turn 1", "Parking, turn 2", "Again, turn 1", "Again, turn 2"] == [one.id for one in results]


async def test_a_turn_alone_is_measured_after_those_before_it(tmp_path: Path) -> None:
    """A case that was broken off goes on."""
    evaluation = read_cases(written(tmp_path, PARKING))

    results = await results_of(replace(evaluation, tasks=evaluation.tasks[1:]), bench_of(office()))

    assert ["right"] == verdicts(results)


def test_measures() -> None:
    assert (2, 4, 1) == (percentile([3, 1, 2, 4], 0.5), percentile([3, 1, 2, 4], 0.95), percentile([1], 0.5))
    assert (1.0, 0.5, 0.0) == (auc([2, 3], [1]), auc([1], [1]), auc([0], [1]))
    assert (1.0, 0.0) == (token_f1(["a", "b"], ["b", "a"]), token_f1(["a"], []))
    assert token_f1(["a", "a", "b"], ["a", "c"]) == pytest.approx(0.4)
