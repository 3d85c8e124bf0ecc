"""What every evaluation is made of: tasks, what is measured of each, and what it took (pure)."""

import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from bot.errors import SettingsError
from bot.evals.measures import Figures
from graph.context import Context, Retriever

RIGHT: Final = "right"
FAILED: Final = "failed"
GROUPS: Final = {
    "set": "half",
    "folder": "folder",
    "kind": "kind",
    "difficulty": "difficulty",
    "language": "language",
}
"""Fields of a row by which every evaluation reports, and what the report calls them."""
UNREADABLE: Final = (ValueError, KeyError, TypeError, AttributeError)
"""Errors of a row that has another form."""


@dataclass(frozen=True, kw_only=True)
class Effort:
    """What a result took, as the record of its runs tells."""

    seconds: float = 0.0
    calls: int = 0
    """To language models."""
    tokens: int = 0
    """In and out."""
    searches: int = 0
    retries: int = 0
    """Rounds from evidence to draft after the first."""
    faithful: float | None = None
    """The share (0–1) of the last draft that the validator found supported; `None` if it judged none."""


NOTHING: Final = Effort()


@dataclass(frozen=True, kw_only=True)
class Told:
    """The result of a question: an answer, or options."""

    outcome: str
    """As in `AnswerCompleted`, or "asked"."""
    text: str = ""
    documents: tuple[str, ...] = ()
    """The paths of the cited documents."""
    options: tuple[tuple[str, frozenset[str]], ...] = ()
    """Each option's label, with the paths of its documents."""
    sections: tuple[tuple[str, str], ...] = ()
    """The title and the innermost heading of each cited section."""
    offers: tuple[str, ...] = ()
    """The questions that the answer offers."""

    def in_words(self) -> dict[str, str]:
        """Return everything that a judge reads."""
        options = " · ".join(label for label, _ in self.options)
        return {
            "outcome": self.outcome,
            "text": self.text,
            "documents": ", ".join(self.documents),
            "options": options,
        }


@dataclass(frozen=True, kw_only=True)
class Bench:
    """What a task is measured with: the documents of its folder, and the bot that read them."""

    context: Context
    ask: Callable[[str, str | None], Awaitable[Told]]
    """Asks a question in a new thread, and clicks the option with this label if there is a question back."""
    converse: Callable[[Sequence[str]], Awaitable[Told]]
    """Sends messages in one thread, and returns the result of the last one."""
    searching: Callable[[str], Retriever]
    """Returns what searches by one step of `bot.evals.retrieval.STEPS`."""
    candidates: int
    """Passages that the bot reranks."""
    standalone: Callable[[str, Sequence[tuple[str, str]]], Awaitable[str]]
    """Makes a question stand alone, as the bot does, after its thread's earlier questions with their answers."""


@dataclass(frozen=True, kw_only=True)
class TaskOutcome:
    """What a task came to."""

    verdict: str
    """`RIGHT`, or what it is instead."""
    numbers: dict[str, float] = field(default_factory=dict[str, float])
    told: dict[str, str] = field(default_factory=dict[str, str])
    """For people, each text with its name."""


Measure: TypeAlias = Callable[[Bench], Awaitable[TaskOutcome]]


@dataclass(frozen=True, kw_only=True)
class Task:
    """A row of a data file, or a part of one."""

    id: str
    asked: tuple[str, ...]
    groups: dict[str, str]
    """What it is counted by, for example its half."""
    measure: Measure
    folder: str = ""
    """The beginning of its folder's name; empty if it concerns all folders that are given."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A task that was measured; plain JSON, so that an evaluation can go on."""

    id: str
    asked: tuple[str, ...]
    groups: dict[str, str]
    verdict: str
    numbers: dict[str, float] = field(default_factory=dict[str, float])
    told: dict[str, str] = field(default_factory=dict[str, str])
    effort: Effort = NOTHING


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """A set of tasks, and what is counted of their results."""

    tasks: Sequence[Task]
    figures: Callable[[Sequence[Measured]], Figures]
    failed: Sequence[Measured] = ()
    """Rows that could not be read."""
    beside: Mapping[str, Figures] = field(default_factory=dict[str, Figures])
    """Published figures, by name."""


def evaluation_of(
    file: Path,
    read: Callable[[str, dict[str, Any]], Iterable[Task]],
    figures: Callable[[Sequence[Measured]], Figures],
) -> Evaluation:
    """Return the evaluation of a JSON-lines file. `read` makes tasks of a row; it gets the row's id too.

    A row that cannot be read is reported as failed. Raises `SettingsError` if no row can be read.
    """
    tasks, failed = list[Task](), list[Measured]()
    for id_, line in _lines(file):
        try:
            row = json.loads(line)
            tasks += read(row.get("id", id_), row)
        except UNREADABLE as error:
            failed.append(failed_row(id_, (line[:200],), {}, f"{type(error).__name__}: {error}"))
    if not tasks:
        raise SettingsError(f"{file} does not hold questions in the expected form: see tests/evals.")
    return Evaluation(tasks=tasks, failed=failed, figures=figures)


def _lines(file: Path) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        if line.strip():
            yield f"line {number}", line


def failed_row(id_: str, asked: tuple[str, ...], groups: dict[str, str], why: str) -> Measured:
    """Return the result of a row that failed."""
    return Measured(id=id_, asked=asked, groups=groups, verdict=FAILED, told={"error": why})


def groups_of(row: dict[str, Any]) -> dict[str, str]:
    """Return what a row is counted by, as far as it says."""
    return {name: str(row[key]) for key, name in GROUPS.items() if row.get(key)}
