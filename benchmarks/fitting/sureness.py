"""Fits how surely passages answer, on the questions of `fit_grader`, and writes it beside the grader's weights.

Run `python -m benchmarks.fitting.sureness [PUBLIC [KEPT]]` after `fit_grader`, whose arguments it takes. The printed
figures of a set come from weights that were fitted without its folder.
"""

import asyncio
import json
from dataclasses import replace

import numpy as np

from benchmarks.fitting.grader import Case, asked_cases, fitted, judged
from benchmarks.fitting.report import table
from bot.models.embedding import Embedding
from bot.models.grading import COEFFICIENTS, CalibratedGrader
from bot.models.offline.likeness import likeness
from bot.models.sureness import Signs, signs

UNANSWERABLE = 0.5
"""The weight of a question without an answer: a wrong answer costs more than one that is shown as not sure."""


def main() -> None:
    """Fit, report, write."""
    model, folders, cases = asked_cases()
    cases = asyncio.run(_with_signs(model, cases))
    alone = [judged(case, np.array([0.0, 1.0, *[0.0] * (len(Signs._fields) - 1)])) for case in cases]
    print("By the grader alone:", table(alone), sep="\n\n")
    strangers = [
        judged(case, weights)
        for name in folders
        for weights in [fitted([case for case in cases if case.asked.folder != name], UNANSWERABLE)]
        for case in cases
        if case.asked.folder == name
    ]
    print("Fitted without the set's folder:", table(strangers), sep="\n\n")
    constant, *weights = (round(float(weight), 4) for weight in fitted(cases, UNANSWERABLE))
    stored = json.loads(COEFFICIENTS.read_text("utf-8"))
    sureness = {"constant": constant, "weights": dict(zip(Signs._fields, weights, strict=True))}
    stored[model.model] = {**stored[model.model], "sureness": sureness}
    COEFFICIENTS.write_text(json.dumps(stored, indent=2) + "\n", "utf-8")


async def _with_signs(model: Embedding, cases: list[Case]) -> list[Case]:
    grader, similarity = CalibratedGrader(model), likeness(model)
    return [
        replace(case, rows=signs(question, case.passages, await grader.grade(question, case.passages), similarity))
        for case in cases
        for question in [case.asked.question]
        if case.passages
    ]


if __name__ == "__main__":
    main()
