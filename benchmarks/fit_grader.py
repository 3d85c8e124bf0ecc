"""Fits the grader on the questions of `tests/evals` and writes `bot/models/grading.json`.

Run it as `python -m benchmarks.fit_grader`. Weights come from the `dev` half; of the `held` half only figures are
written. Each question is asked three times: of its own folder, of the same without the documents that answer it, and of
the other folder. Passages of a right document that do not hold the answer teach nothing, for they may bear on it all
the same.
"""

import asyncio
import json
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bot.knowledge.ingest import ingest
from bot.knowledge.search import Search
from bot.models.calibration import Vector, brier, calibration_error, fit, logistic
from bot.models.embedding import MODEL, MiniLm
from bot.models.grading import COEFFICIENTS
from bot.models.signals import Signals, signals, with_lags
from bot.postgres import embedded
from bot.postgres.migrations import migrate
from bot.postgres.pool import Database
from graph.passages import Passage

ROOT = Path(__file__).parent.parent
QUESTIONS = ROOT / "tests/evals/questions.jsonl"
FOLDERS = {"handbook": ROOT / "playground/handbook", "clinic": ROOT / "tests/evals/clinic_notes"}
FOUND, GRADED = 20, 10
UNANSWERABLE = 0.1
"""Weight of each unanswerable case beside its answerable one: people mostly ask what the documents hold."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A question, what was found for it, and what of that is right."""

    half: str
    answerable: bool
    rows: list[Signals]
    right: list[bool]
    unclear: list[bool]
    """Whether the passage belongs to a right document but does not hold the answer."""


def main() -> None:
    """Fit, report, write."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # As root the server runs under another account.
        with embedded.running(Path(folder) / "server") as url:
            migrate(url)
            cases = asyncio.run(_ask_all(url))
    dev, held = ([case for case in cases if case.half == half] for half in ("dev", "held"))
    weights = fit(*_table(dev))
    stored = {
        "written_by": "benchmarks/fit_grader.py",
        "fitted_on": f"the dev half of {QUESTIONS.relative_to(ROOT)}, with vectors of {MODEL}",
        "dev": _figures(dev, weights),
        "held": _figures(held, weights),
        "constant": round(float(weights[0]), 4),
        "weights": dict(zip(Signals._fields, (round(float(weight), 4) for weight in weights[1:]), strict=True)),
    }
    COEFFICIENTS.write_text(json.dumps(stored, indent=2) + "\n", "utf-8")
    print(json.dumps(stored, indent=2))


async def _ask_all(url: str) -> list[Case]:
    model = MiniLm.load()
    lines = (await asyncio.to_thread(QUESTIONS.read_text, "utf-8")).splitlines()
    asked = [json.loads(line) for line in lines]
    cases: list[Case] = []
    async with Database.open(url, size=4) as database:
        for name, folder in FOLDERS.items():
            await ingest(database, model, name, [folder])
            search = Search(database, model, name)
            for question in asked:
                found = await search.search(question["question"], limit=FOUND)
                rows = await signals(model, question["question"], found)
                cases += _cases(question, found, rows, at_home=name == question["folder"])
    return cases


def _cases(question: dict[str, Any], found: list[Passage], rows: list[Signals], *, at_home: bool) -> Iterator[Case]:
    answers = _answers(question) if at_home else {}
    belongs = [passage["path"] in answers for passage in found]
    right = [
        inside and _plain(answers[passage["path"]]) in _plain(passage["text"])
        for inside, passage in zip(belongs, found, strict=True)
    ]
    unclear = [inside and not holds for inside, holds in zip(belongs, right, strict=True)]
    half = question["set"]
    if at_home:
        yield Case(
            half=half, answerable=True, rows=with_lags(rows[:GRADED]), right=right[:GRADED], unclear=unclear[:GRADED]
        )
    rest = [row for row, inside in zip(rows, belongs, strict=True) if not inside][:GRADED]
    nothing = [False] * len(rest)
    yield Case(half=half, answerable=False, rows=with_lags(rest), right=nothing, unclear=nothing)


def _answers(question: dict[str, Any]) -> dict[str, str]:
    if question["kind"] == "ambiguous":
        return {reading["document"]: reading["answer"] for reading in question["readings"]}
    return dict.fromkeys([question["document"], *question.get("also", [])], question["answer"])


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[*_`|#>]|<[^>]+>", " ", text).casefold().split())


def _table(cases: list[Case]) -> tuple[Vector, Vector, Vector]:
    taught = [
        (row, right, 1.0 if case.answerable else UNANSWERABLE)
        for case in cases
        for row, right, unclear in zip(case.rows, case.right, case.unclear, strict=True)
        if not unclear
    ]
    rows, right, importance = zip(*taught, strict=True)
    return np.array(rows, dtype=float), np.array(right, dtype=float), np.array(importance)


def _figures(cases: list[Case], weights: Vector) -> dict[str, float]:
    rows, right, importance = _table(cases)
    said = logistic(rows @ weights[1:] + weights[0])
    best = [(case, logistic(np.array(case.rows) @ weights[1:] + weights[0]).max()) for case in cases if case.rows]
    return {
        "passages": len(rows),
        "brier": round(brier(said, right, importance), 4),
        "calibration_error": round(calibration_error(said, right, importance), 4),
        "best_grade_when_answerable": round(float(np.mean([grade for case, grade in best if case.answerable])), 3),
        "best_grade_when_not": round(float(np.mean([grade for case, grade in best if not case.answerable])), 3),
    }


if __name__ == "__main__":
    main()
