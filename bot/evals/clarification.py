"""Evaluates when the bot asks back: on ambiguous and on clear questions."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.evals.answers import Ask


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question about a folder, and the documents of its readings."""

    text: str
    folder: str
    half: str
    """"dev", which we looked at while writing the rules, or "held"."""
    readings: frozenset[str]
    """Paths of the documents for each reading; empty for a clear question."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The judgement of a question."""

    question: Question
    asked: bool
    complete: bool
    """Whether the options hold a passage of every reading."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """The results of a set of questions."""

    outcomes: tuple[Outcome, ...]

    def recall(self, half: str, folder: str | None = None) -> float:
        """Return the share (0–1) of ambiguous questions that led to a question back."""
        return _share(outcome.asked for outcome in self._of(half, folder, ambiguous=True))

    def false_asks(self, half: str, folder: str | None = None) -> float:
        """Return the share (0–1) of clear questions that led to a needless question back."""
        return _share(outcome.asked for outcome in self._of(half, folder, ambiguous=False))

    def complete(self, half: str, folder: str | None = None) -> float:
        """Return the share (0–1) of right questions back whose options hold every reading."""
        return _share(outcome.complete for outcome in self._of(half, folder, ambiguous=True) if outcome.asked)

    def table(self) -> str:
        """Return the figures as Markdown, a row for each half and folder."""
        halves = sorted({outcome.question.half for outcome in self.outcomes})
        folders = [None, *sorted({outcome.question.folder for outcome in self.outcomes})]
        head = "| half | folder | ambiguous | asked | every reading offered | clear | asked all the same |"
        rows = [self._row(half, folder) for half in halves for folder in folders]
        return "\n".join([head, "|---|---|---:|---:|---:|---:|---:|", *rows])

    def _row(self, half: str, folder: str | None) -> str:
        counts = [len(self._of(half, folder, ambiguous=ambiguous)) for ambiguous in (True, False)]
        shares = [measure(half, folder) for measure in (self.recall, self.complete, self.false_asks)]
        recall, complete, false_asks = (f"{share:.1%}" for share in shares)
        return f"| {half} | {folder or 'all'} | {counts[0]} | {recall} | {complete} | {counts[1]} | {false_asks} |"

    def _of(self, half: str, folder: str | None, *, ambiguous: bool) -> list[Outcome]:
        return [
            outcome
            for outcome in self.outcomes
            if outcome.question.half == half
            and folder in (None, outcome.question.folder)
            and bool(outcome.question.readings) is ambiguous
        ]


def read_questions(file: Path) -> list[Question]:
    """Read the questions of a JSON-lines file like `tests/evals/questions.jsonl`."""
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return [
        Question(
            text=row["question"],
            folder=row["folder"],
            half=row["set"],
            readings=frozenset(reading["document"] for reading in row.get("readings", [])),
        )
        for row in rows
    ]


async def evaluate_clarification(questions: Sequence[Question], ask: Ask) -> Report:
    """Ask every question, and compare whether the bot asked back."""
    return Report(outcomes=tuple([await _outcome(question, ask) for question in questions]))


async def _outcome(question: Question, ask: Ask) -> Outcome:
    told = await ask(question.text, None)
    offered = frozenset[str]().union(*(paths for _, paths in told.options))
    return Outcome(question=question, asked=told.outcome == "asked", complete=question.readings <= offered)


def _share(found: Iterable[bool]) -> float:
    counted = list(found)
    return sum(counted) / len(counted) if counted else 0.0
