"""Labelled drafts: which ones code catches, which ones the validator catches, and which good ones are left alone."""

import json
import os
from pathlib import Path

import pytest

from bot.evals.drafts import Labelled, figures, is_touched, read_drafts
from bot.evals.tasks import RIGHT
from bot.models.offline.validator import OverlapValidator
from graph.answer.audit import audited
from tests.evals.benches import bench_of, results_of, values, written
from tests.support.fakes import FoundPassages, context, passage

OWN = Path(__file__).with_name("drafts.jsonl")
SHARED = Path(os.environ.get("ASKBACK_EVALS", "nowhere")) / "drafts" / "drafts.jsonl"
FIGURES = (
    "good: redrafted by code",
    "good: redrafted with the validator",
    "bad: caught by code",
    "bad: caught with the validator",
)


async def test_bad_drafts_are_caught_and_good_ones_are_left_alone() -> None:
    results = await results_of(read_drafts(OWN), bench_of(context(validator=OverlapValidator())))

    redrafted, doubted, caught, caught_by_both = values(figures(results), *FIGURES)
    # Rules doubt a sum, and a date in another form.
    assert (0.0, pytest.approx(2 / 6)) == (redrafted, doubted), [one.told for one in results if one.verdict != RIGHT]
    assert (pytest.approx(5 / 6), 1.0) == (caught, caught_by_both)


async def test_the_passages_of_a_draft_may_be_searched_for(tmp_path: Path) -> None:
    row = {"label": "bad", "corpus": "small office", "question": "What does it cost?", "draft": "It costs 4 EUR [1]."}
    found = context(retriever=FoundPassages([passage(1, "It costs 3 EUR.")]), validator=OverlapValidator())
    evaluation = read_drafts(written(tmp_path, row))

    (result,) = await results_of(evaluation, bench_of(found))

    assert ("office", "right") == (evaluation.tasks[0].folder, result.verdict)
    assert "4" in result.told["faults"]


def test_code_catches_a_bad_draft_also_by_changing_it() -> None:
    draft = "It costs 3 EUR [2]."
    audit = audited(draft, [passage(1, "It costs 3 EUR."), passage(2, "Bring a coat.")], today="2026-11-27")
    labelled = Labelled(question="", draft=draft, is_good=False, style="", texts=())

    assert [] == audit.faults
    assert is_touched(labelled, audit)


@pytest.mark.skipif(not SHARED.exists(), reason="ASKBACK_EVALS names no labelled drafts")
def test_the_public_drafts_are_read() -> None:
    evaluation = read_drafts(SHARED)

    assert (45, []) == (len(evaluation.tasks), list(evaluation.failed))
    assert {"handbook", "documents"} == {task.folder for task in evaluation.tasks}
    assert len(SHARED.read_text("utf-8").splitlines()) == len({json.dumps(task.id) for task in evaluation.tasks})
