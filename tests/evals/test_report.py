"""The report of any evaluation: what failed, what it says by group, how a broken one goes on."""

import json
from pathlib import Path

import pytest

from bot.errors import SettingsError
from bot.evals.measures import Figures, Share, share
from bot.evals.metering import measured
from bot.evals.page import page_of
from bot.evals.report import EvaluationReport, resumed, shown, table, transcript
from bot.evals.tasks import Bench, Effort, Measured, Task, TaskOutcome, Told, evaluation_of, groups_of
from tests.evals.benches import telling, verdicts, written


def figures(results: list[Measured]) -> Figures:
    return {"short": share(len(one.asked[0]) < 5 for one in results)}


def one(id_: str, verdict: str = "right", *, half: str = "dev", retries: int = 0) -> Measured:
    effort = Effort(seconds=1.5, calls=2, tokens=100, searches=3, retries=retries, faithful=0.5)
    return Measured(id=id_, asked=(f"{id_}?",), groups={"half": half}, verdict=verdict, effort=effort)


RESULTS = (one("a-1"), one("a-2", "wrong", half="held", retries=1), one("long", "right", half="held"))
REPORT = EvaluationReport(results=RESULTS, figures=figures, beside={"Theirs": {"short": 0.5}})  # pyright: ignore[reportArgumentType]


def test_the_report_has_a_row_for_all_and_for_each_group_and_published_figures_beside() -> None:
    ends, counted, took = map(table, REPORT.tables().values())

    assert "| held | 2 |" not in ends
    assert "| half: held | 2 | 1 | 50.0% of 2 (9%–91%) | 1 |" in ends
    assert "| all | 66.7% of 3 (21%–94%) |" in counted
    assert "| Theirs | 0.500 |" in counted
    assert "| retries: 1 | 1.500 | 1.500 | 2.000 | 100 | 3.000 | 100.0% of 1 (21%–100%) | 1.000 | 0.500 |" in took


def test_the_figures_are_json_for_all_and_for_each_group() -> None:
    told = json.loads(REPORT.as_json())

    assert {"all", "half", "retries", "beside"} == set(told)
    assert (3, {"right": 2, "wrong": 1}) == (told["all"]["questions"], told["all"]["ended"])
    assert (0.5, 2) == (told["half"]["held"]["short"]["share"], told["half"]["held"]["short"]["of"])
    assert 0.5 == told["all"]["faithful"]


def test_the_page_draws_each_group_and_reads_nothing_as_html() -> None:
    page = page_of(EvaluationReport(results=(one("<script>alert(1)</script>"), *RESULTS), figures=figures), "<rows>")  # pyright: ignore[reportArgumentType]

    assert "<h2>By half</h2><svg" in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script" not in page
    assert "http" not in page


def test_a_report_compares_with_an_earlier_run() -> None:
    earlier = "".join(f"{transcript(each)}\n" for each in (one("a-1", "wrong"), one("a-2", "wrong"), one("a-9")))

    assert REPORT.against(earlier) == "Of 2 questions, 1 are right that were not, 0 no longer are: p = 1.000."


def test_an_evaluation_goes_on_after_the_last_whole_line_and_tries_again_what_failed() -> None:
    tasks = [task(each.id) for each in RESULTS]
    lines = [transcript(each) for each in (*RESULTS, one("gone"))]
    broken_off = f"{transcript(one('long', 'failed'))}\n{lines[0]}\n{lines[3]}\n{lines[1][:40]}"

    assert {"a-1": RESULTS[0]} == resumed(broken_off, tasks)


def task(id_: str, *, fails: bool = False) -> Task:
    async def measure(bench: Bench) -> TaskOutcome:
        if fails:
            raise RuntimeError("no model")
        return TaskOutcome(verdict="right")

    return Task(id=id_, asked=("?",), groups={"half": "dev"}, measure=measure)


async def test_a_task_that_fails_is_reported_and_stops_no_other() -> None:
    tasks = [task("one", fails=True), task("two")]

    results = [each async for each in measured(tasks, telling({}))]

    assert ["failed", "right"] == verdicts(results)
    said = EvaluationReport(results=tuple(results), figures=lambda _: {}).as_text()
    assert said.endswith("1 failed:\none: RuntimeError: no model")


def test_a_row_that_cannot_be_read_is_reported_and_stops_no_other(tmp_path: Path) -> None:
    file = written(tmp_path, {"id": "whole", "set": "dev", "difficulty": "hard"}, {"id": "empty"})
    file.write_text(file.read_text("utf-8") + "no JSON\n\n", "utf-8")

    evaluation = evaluation_of(
        file,
        lambda id_, row: [Task(id=id_, asked=(row["set"],), groups=groups_of(row), measure=task("").measure)],
        lambda _: {},
    )

    assert ["whole"] == [each.id for each in evaluation.tasks]
    assert {"half": "dev", "difficulty": "hard"} == evaluation.tasks[0].groups
    assert ["line 2", "line 3"] == [each.id for each in evaluation.failed]
    assert ["failed", "failed"] == verdicts(evaluation.failed)


def test_a_file_without_a_readable_row_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="does not hold questions in the expected form"):
        evaluation_of(written(tmp_path, {"a": 1}), lambda _, row: row["b"], lambda _: {})


def test_figures_have_as_many_digits_as_say_something() -> None:
    assert ["–", "1,200", "0.125", "1,200", "0.0% of 4 (0%–49%)"] == [
        shown(figure) for figure in (None, 1200, 0.125, 1200.4, Share(0, 4))
    ]


def test_what_was_told_is_kept_in_words() -> None:
    told = Told(outcome="asked", text="Which?", options=(("Porto", frozenset({"a.md"})), ("Hamburg", frozenset())))

    assert {"outcome": "asked", "text": "Which?", "documents": "", "options": "Porto · Hamburg"} == told.in_words()
