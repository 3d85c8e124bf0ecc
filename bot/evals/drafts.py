"""Evaluates whether bad drafts are caught and good ones left alone: by code alone, and with the validator.

A row has a `label` (good or bad), a `question` and a `draft`. Its passages are the row's own `passages` (texts), or
what the search finds for the question in the folder that `corpus` names with its last word.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import prompts
from bot.evals.groundedness import passage_of
from bot.evals.measures import Figures, share
from bot.evals.tasks import Bench, Evaluation, Measured, Task, TaskOutcome, evaluation_of, groups_of
from graph.answer.audit import Audit, audited
from graph.answer.draft import Draft
from graph.answer.evidence import weighed
from graph.answer.selection import selected
from graph.context import Context, Hints
from graph.passages import Passage
from graph.routing import CONFIDENT
from graph.search import best_grades, find

GOOD, BAD = "good", "bad"
BY_CODE: Final = "by code"
WITH_VALIDATOR: Final = "with the validator"


@dataclass(frozen=True, kw_only=True)
class Labelled:
    """A draft, and whether people call it good."""

    question: str
    draft: str
    is_good: bool
    style: str
    texts: tuple[str, ...]
    """Of its passages; empty if they must be searched for."""


def read_drafts(file: Path) -> Evaluation:
    """Return the evaluation of a JSON-lines file."""
    return evaluation_of(file, _tasks, figures)


def _tasks(id_: str, row: dict[str, Any]) -> Iterator[Task]:
    is_good = {GOOD: True, BAD: False}[row["label"]]
    labelled = Labelled(
        question=row["question"],
        draft=row["draft"],
        is_good=is_good,
        style=row.get("style", ""),
        texts=tuple(row.get("passages", ())),
    )
    corpus = "" if labelled.texts else row["corpus"].split()[-1]
    groups = {**groups_of(row), "label": row["label"], **({"folder": corpus} if corpus else {})}
    yield Task(id=id_, asked=(row["question"],), groups=groups, measure=partial(_measure, labelled), folder=corpus)


async def _measure(labelled: Labelled, bench: Bench) -> TaskOutcome:
    context, question = bench.context, labelled.question
    passages = [passage_of(number, text) for number, text in enumerate(labelled.texts, 1)]
    passages = passages or await _searched(context, question)
    today = context.clock.now().date().isoformat()
    audit = audited(_as_shown(labelled.draft, passages), passages, question=question, today=today)
    # A draft is written if the writer found that the passages answer.
    hints = Hints(today=today, doubts=audit.doubts, found=passages, quoted=False, answers=True)
    verdict = await context.validator.validate(question, audit.draft, passages, hints)
    confidence = min(verdict["faithful"], verdict["responsive"], audit.confidence)
    by_code = is_touched(labelled, audit)
    doubted = by_code or confidence < CONFIDENT or bool(verdict.get("refuted") and not labelled.is_good)
    told = {
        "style": labelled.style,
        "draft": labelled.draft,
        "as audited": audit.draft,
        "faults": "\n".join(audit.faults),
        "doubts": "\n".join(audit.doubts),
        "issues": "\n".join(verdict["issues"]),
    }
    is_right = doubted is not labelled.is_good
    return TaskOutcome(
        verdict="right" if is_right else "wrong", numbers={BY_CODE: by_code, WITH_VALIDATOR: doubted}, told=told
    )


def is_touched(labelled: Labelled, audit: Audit) -> bool:
    """Tell whether code has a good draft written again, or whether it does not show a bad one as it is."""
    return bool(audit.faults) or (not labelled.is_good and audit.draft != labelled.draft)


async def _searched(context: Context, question: str) -> list[Passage]:
    """Return what a writer would read."""
    found = await find(context, [question])
    return selected(weighed(found, await best_grades(context.grader, [question], found)))


def _as_shown(draft: str, passages: list[Passage]) -> str:
    """Return a draft as it would be streamed: guarded, without unknown citations."""
    shown = Draft(passages, prompts.load("write").sentences)
    shown.feed(draft)
    shown.rest()
    return shown.text


def figures(results: Sequence[Measured]) -> Figures:
    """Return how many good drafts are written again, and how many bad ones are caught."""
    good, bad = ([one for one in results if one.groups["label"] == label] for label in (GOOD, BAD))
    return {
        f"{name} {how}": share(one.numbers.get(how, 0) for one in own)
        for name, own in (("good: redrafted", good), ("bad: caught", bad))
        for how in (BY_CODE, WITH_VALIDATOR)
    }
