"""Fits the grader on questions whose passages are known, and writes `bot/models/grading.json`.

Run `python -m benchmarks.fitting.grader [PUBLIC [KEPT]]`; it fits for the embedding of `ASKBACK_EMBEDDING`. PUBLIC is a
folder with the public sets. KEPT is a folder that keeps the database, so that the next fit need not embed again. Each
question is asked of its own folder, and again without the documents that answer it. Small talk and questions of other
folders are asked of every folder. Passages of a right document without the answer are skipped, because they may be
relevant.

The printed figures of a set come from weights that were fitted without its folder.
"""

import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.databases import as_app, let_serve
from benchmarks.fitting.calibration import brier, calibration_error, fit_upwards
from benchmarks.fitting.report import Judged, table
from benchmarks.fitting.sets import IN_PART, Asked, folders, questions
from bot.evals.outcomes import holds as holds_value
from bot.knowledge.ingest import ingest
from bot.knowledge.search import Library, Search, everything
from bot.models.choice import OpenedEmbeddings, chosen_model
from bot.models.embedding import Embedding
from bot.models.grading import COEFFICIENTS, Vector, fitted_weights, logistic
from bot.models.offline.strictness import doubted
from bot.models.reranking import SignalReranker
from bot.models.signals import Signals, signals
from bot.postgres import embedded
from bot.postgres.migrations import migrate
from bot.postgres.pool import Database
from bot.settings import EmbeddingSettings, Settings
from graph.passages import Passage
from graph.search import CANDIDATES, best_of_documents

FOUND = 60
"""Passages to request, so that enough are left without the answering documents."""
UNANSWERABLE = 0.3
"""The weight of an unanswerable question, relative to an answerable one."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A question and its found passages."""

    asked: Asked
    name: str
    passages: list[Passage]
    rows: Sequence[tuple[float, ...]]
    """Each passage's signals."""
    right: list[bool | None]
    """`None` if unknown."""


def main() -> None:
    """Fit, report, write."""
    model, found, cases = asked_cases()
    now = fitted_weights(model.model)
    print("As it was:", table(_judged(cases, np.array([now.constant, *now.by_signal]))), sep="\n\n")
    strangers = [case for name in found for case in _judged_by_strangers(name, cases)]
    print("Fitted without the set's folder:", table(strangers), sep="\n\n")
    stored = json.loads(COEFFICIENTS.read_text("utf-8"))
    stored[model.model] = {**_stored(cases, found), "ranking": stored[model.model]["ranking"]}
    COEFFICIENTS.write_text(json.dumps(stored, indent=2) + "\n", "utf-8")


def asked_cases() -> tuple[Embedding, list[str], list[Case]]:
    """Return the embedding, the folders' names and every question with its passages, for the command's arguments."""
    public, kept = [*(Path(argument) for argument in sys.argv[1:3]), None, None][:2]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # If we are root, the server runs as another account.
        home = kept or Path(folder)
        found = folders(public, home / "documents")
        with embedded.running(home / "server") as url:
            let_serve(url)
            migrate(url)
            model = _model(Settings.read().of_embedding)
            return model, list(found), asyncio.run(_ask_all(url, model, found, questions(public, found)))


def _model(settings: EmbeddingSettings) -> Embedding:
    return OpenedEmbeddings(settings).of(chosen_model(settings, None))


async def _ask_all(url: str, model: Embedding, found: dict[str, Path], asked: list[Asked]) -> list[Case]:
    cases: list[Case] = []
    async with Database.open(as_app(url), size=4, workspace="") as database:
        for name, folder in found.items():
            await ingest(database, model, name, [folder])
            search = Search(Library(database, name, reader=everything), model)
            for question in [one for one in asked if one.folder == name]:
                passages = await search.search(question.question, limit=FOUND)
                cases += await _cases(model, question, passages)
    return cases


async def _cases(model: Embedding, asked: Asked, found: list[Passage]) -> list[Case]:
    cases = [await _case(model, asked, asked.name, found)]
    # If people judged only some passages, others may answer too.
    if asked.answers and asked.folder not in IN_PART:
        rest = [passage for passage in found if passage["path"] not in asked.answers]
        cases.append(await _case(model, asked, f"{asked.name}, its documents removed", rest))
    return cases


async def _case(model: Embedding, asked: Asked, name: str, found: list[Passage]) -> Case:
    ranked = await SignalReranker(model).rerank(asked.question, found[:CANDIDATES], keep=CANDIDATES)
    passages = best_of_documents(ranked)
    rows = await signals(model, asked.question, passages)
    return Case(asked=asked, name=name, passages=passages, rows=rows, right=_right(asked, passages))


def _right(asked: Asked, passages: list[Passage]) -> list[bool | None]:
    best = {passage["path"]: passage["id"] for passage in reversed(passages)}
    return [_is_right(asked, passage, is_best=best[passage["path"]] == passage["id"]) for passage in passages]


def _is_right(asked: Asked, passage: Passage, *, is_best: bool) -> bool | None:
    if passage["path"] not in asked.answers:
        return None if asked.answers and asked.folder in IN_PART else False
    phrase = asked.answers[passage["path"]]
    holds = holds_value(passage["text"], phrase) if phrase else is_best
    return True if holds else None


def _judged_by_strangers(name: str, cases: list[Case]) -> list[Judged]:
    others = [case for case in cases if case.asked.folder != name]
    return _judged([case for case in cases if case.asked.folder == name], fitted(others))


def _judged(cases: list[Case], weights: Vector) -> list[Judged]:
    return [judged(case, weights) for case in cases]


def judged(case: Case, weights: Vector) -> Judged:
    """Return a case with its passages' grades by weights: the constant, then one for each figure."""
    grades = logistic(np.array(case.rows, dtype=float).reshape(-1, len(weights) - 1) @ weights[1:] + weights[0])
    return Judged(
        name=case.name,
        right=case.right,
        documents=frozenset(case.asked.answers) if case.name == case.asked.name else frozenset(),
        passages=case.passages,
        grades=doubted(case.asked.question, case.passages, grades.tolist()),
    )


def fitted(cases: list[Case], unanswerable: float = UNANSWERABLE) -> Vector:
    """Return the weights for the cases that are for fitting: the constant, then one for each figure.

    `unanswerable` is the weight of a question without an answer.
    """
    return fit_upwards(*_taught([case for case in cases if case.asked.fitted], unanswerable))


def _taught(cases: list[Case], unanswerable: float) -> tuple[Vector, Vector, Vector]:
    """Return each passage's figures, label and weight. The right passages of each folder have the same total weight."""
    labelled = [
        (case.asked.folder, row, right, 1.0 if any(case.right) else unanswerable)
        for case in cases
        if any(case.right) or case.name != case.asked.name or not case.asked.answers
        for row, right in zip(case.rows, case.right, strict=True)
        if right is not None
    ]
    names, rows, right, importance = (np.array(column) for column in zip(*labelled, strict=True))
    for name in set(names):
        importance[names == name] *= 300 / importance[(names == name) & right].sum()
    return rows, right.astype(float), importance


def _stored(cases: list[Case], names: list[str]) -> dict[str, object]:
    weights = fitted(cases)
    held = [case for case in cases if not case.asked.fitted]
    rows, right, importance = _taught(held, UNANSWERABLE)
    said = logistic(rows @ weights[1:] + weights[0])
    taught = sorted({case.asked.folder for case in cases if case.asked.fitted})
    return {
        "written_by": "benchmarks/fitting/grader.py",
        "fitted_on": f"questions about {', '.join(taught)}",
        "judged_on": f"others about {', '.join(sorted({case.asked.folder for case in held} & set(names)))}",
        "passages": len(rows),
        "brier": round(brier(said, right, importance), 4),
        "calibration_error": round(calibration_error(said, right, importance), 4),
        "constant": round(float(weights[0]), 4),
        "weights": dict(zip(Signals._fields, (round(float(weight), 4) for weight in weights[1:]), strict=True)),
    }


if __name__ == "__main__":
    main()
