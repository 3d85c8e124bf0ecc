"""Evaluates whether the validator tells faithful answers from unfaithful ones, and better than shared words do.

It reads answers that people have rated (MTRAG), and pairs of a right and a made-up answer (HaluEval).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from bot.errors import SettingsError
from bot.evals.measures import Figures, auc, share
from bot.evals.tasks import RIGHT, Bench, Evaluation, Measured, Task, TaskOutcome, evaluation_of, groups_of
from graph.passages import Passage
from graph.routing import CONFIDENT
from graph.text.words import language_of, words

FAITHFUL: Final = "faithful"
UNFAITHFUL: Final = 2
"""The best rating (1–4) of an answer that is not faithful."""


@dataclass(frozen=True, kw_only=True)
class JudgedAnswer:
    """An answer, and whether people found it faithful."""

    question: str
    answer: str
    passages: tuple[Passage, ...]
    is_faithful: bool


def read_groundedness(file: Path) -> Evaluation:
    """Return the evaluation of a JSON-lines file, in either form. Raises `SettingsError` if all answers are alike."""
    evaluation = evaluation_of(file, _tasks, figures)
    if len({task.groups["rated"] for task in evaluation.tasks}) < 2:  # noqa: PLR2004 — Yes and no.
        raise SettingsError(f"{file} must hold faithful and unfaithful answers.")
    return evaluation


def _tasks(id_: str, row: dict[str, Any]) -> Iterator[Task]:
    for rated in _read(row):
        name = FAITHFUL if rated.is_faithful else "unfaithful"
        yield Task(
            id=f"{id_}, {name}",
            asked=(rated.question,),
            groups={**groups_of(row), "rated": name},
            measure=partial(_measure, rated),
        )


async def _measure(rated: JudgedAnswer, bench: Bench) -> TaskOutcome:
    verdict = await bench.context.validator.validate(rated.question, rated.answer, list(rated.passages))
    held = {word for passage in rated.passages for word in words(passage["text"])}
    said = words(rated.answer)
    numbers = {"validator": verdict["faithful"], "shared words": sum(word in held for word in said) / max(1, len(said))}
    is_right = (verdict["faithful"] >= CONFIDENT) is rated.is_faithful
    return TaskOutcome(verdict="right" if is_right else "wrong", numbers=numbers, told={"answer": rated.answer})


def figures(results: Sequence[Measured]) -> Figures:
    """Return how well the validator tells answers apart, beside shared words."""
    good, bad = ([one for one in results if (one.groups["rated"] == FAITHFUL) is kept] for kept in (True, False))
    return {
        "AUC": _auc(good, bad, "validator"),
        "AUC_of_shared_words": _auc(good, bad, "shared words"),
        "faithful_kept": share(one.verdict == RIGHT for one in good),
        "unfaithful_stopped": share(one.verdict == RIGHT for one in bad),
    }


def _auc(good: Sequence[Measured], bad: Sequence[Measured], by: str) -> float | None:
    higher, lower = ([one.numbers[by] for one in own if by in one.numbers] for own in (good, bad))
    return auc(higher, lower) if higher and lower else None


def _read(row: dict[str, Any]) -> Iterator[JudgedAnswer]:
    if "knowledge" in row:
        passages = (passage_of(1, row["knowledge"]),)
        for name, is_faithful in (("right_answer", True), ("hallucinated_answer", False)):
            yield JudgedAnswer(question=row["question"], answer=row[name], passages=passages, is_faithful=is_faithful)
    else:
        yield JudgedAnswer(
            question=row["conversation"][-1]["text"],
            answer=row["response"],
            passages=tuple(passage_of(number, one["text"]) for number, one in enumerate(row["passages"], 1)),
            is_faithful=row["faithfulness_median"] > UNFAITHFUL,
        )


def passage_of(number: int, text: str) -> Passage:
    """Return a text as a passage of a document of its own."""
    return Passage(
        id=number,
        document_id=number,
        title="",
        path=f"{number}",
        heading_path=[],
        text=text,
        language=language_of(text),
        dated=None,
        attributes={},
        score=1.0,
    )
