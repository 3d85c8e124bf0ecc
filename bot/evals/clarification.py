"""Evaluates when the bot asks back: on ambiguous and on clear questions."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from bot.evals.measures import Figures, share
from bot.evals.tasks import Bench, Evaluation, Measured, Task, TaskOutcome, evaluation_of, groups_of

AMBIGUOUS, CLEAR = "ambiguous", "clear"


def read_clarification(file: Path) -> Evaluation:
    """Return the evaluation of a JSON-lines file like `tests/evals/questions.jsonl`."""
    return evaluation_of(file, _tasks, figures)


def _tasks(id_: str, row: dict[str, Any]) -> Iterator[Task]:
    readings = frozenset[str](reading["document"] for reading in row.get("readings", []))
    yield Task(
        id=id_,
        asked=(row["question"],),
        groups={**groups_of(row), "kind": AMBIGUOUS if readings else CLEAR},
        measure=partial(_measure, row["question"], readings),
        folder=row["folder"],
    )


async def _measure(question: str, readings: frozenset[str], bench: Bench) -> TaskOutcome:
    told = await bench.ask(question, None)
    asked = told.outcome == "asked"
    offered = frozenset[str]().union(*(paths for _, paths in told.options))
    if readings:
        verdict = ("right" if readings <= offered else "partly") if asked else "guessed"
    else:
        verdict = "needless" if asked else "right"
    return TaskOutcome(verdict=verdict, numbers={"asked": asked}, told=told.in_words())


def figures(results: Sequence[Measured]) -> Figures:
    """Return how often it asked back about ambiguous and about clear questions, and how often it was right to."""
    ambiguous, clear = ([one for one in results if one.groups["kind"] == kind] for kind in (AMBIGUOUS, CLEAR))
    asked = [one for one in results if one.numbers.get("asked")]
    return {
        "ambiguous_asked": share(one in asked for one in ambiguous),
        "every_reading_offered": share(one.verdict == "right" for one in ambiguous if one in asked),
        "clear_asked_needlessly": share(one in asked for one in clear),
        "questions_back_right": share(one.groups["kind"] == AMBIGUOUS for one in asked),
    }
