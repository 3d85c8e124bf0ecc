"""Evaluates answers end to end, including the answer after a click.

The answering side is a function argument, so that the counting needs no database and no model.
"""

import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any, Literal, TypeAlias

from graph import patterns
from graph.text.grounding import without_citations
from graph.text.words import content_words

Kind = Literal["clear", "ambiguous", "unanswerable"]
_CONFIDENT = {"answered", "asked"}
"""Outcomes that claim that the documents hold an answer."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One interpretation of a question, and what its answer must say."""

    label: str
    documents: frozenset[str]
    """Paths of documents, any of which is right."""
    phrases: tuple[str, ...]
    """Phrases that must all be in the answer."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A question of an evaluation set."""

    text: str
    folder: str
    half: str
    kind: Kind
    readings: tuple[Reading, ...]
    """One for a clear question, none if no document answers it."""
    cites: frozenset[str] = frozenset()
    """Paths of documents that the answer must cite, for a question about documents."""


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

    def cites(self, path: str) -> bool:
        """Tell whether the answer cites the document at a path."""
        return path in self.documents


Ask: TypeAlias = Callable[[str, str | None], Awaitable[Told]]
"""Asks a question in a new thread, and clicks the option with this label if there is a question back."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """The judgement of a question."""

    asked: Asked
    told: Told
    right: bool
    """Whether the first answer is right."""
    offered: int = 0
    """Readings among the options."""
    clicked_right: int = 0
    """Those among them whose answer is right."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """The results of a set of questions."""

    results: tuple[Result, ...]

    def table(self) -> str:
        """Return the figures as Markdown, a row for each half and folder."""
        halves = sorted({result.asked.half for result in self.results})
        folders = [None, *sorted({result.asked.folder for result in self.results})]
        head = (
            "| half | folder | clear | answered | right | unanswerable | answered all the same"
            " | readings offered | right after the click |"
        )
        rows = [self._row(half, folder) for half in halves for folder in folders]
        return "\n".join([head, f"|---|---|{'---:|' * 7}", *rows])

    def missed(self, half: str) -> list[Result]:
        """Return the wrong results of one half."""
        return [result for result in self.results if result.asked.half == half and not _is_well(result)]

    def answered(self, half: str, folder: str | None = None) -> float:
        """Return the share (0–1) of clear questions that got an answer at once."""
        return _share(result.told.outcome == "answered" for result in self._of(half, folder, "clear"))

    def confident(self, half: str, folder: str | None = None) -> float:
        """Return the share (0–1) of unanswerable questions that got an answer or options."""
        return _share(result.told.outcome in _CONFIDENT for result in self._of(half, folder, "unanswerable"))

    def right(self, half: str, folder: str | None = None) -> float:
        """Return the share (0–1) of clear questions whose first answer is right."""
        return _share(result.right for result in self._of(half, folder, "clear"))

    def clicked_right(self, half: str, folder: str | None = None) -> float:
        """Return the share (0–1) of offered readings whose answer after the click is right."""
        results = self._of(half, folder, "ambiguous")
        offered = sum(result.offered for result in results)
        return sum(result.clicked_right for result in results) / offered if offered else 0.0

    def _row(self, half: str, folder: str | None) -> str:
        clear, unanswerable = (self._of(half, folder, kind) for kind in ("clear", "unanswerable"))
        offered = sum(result.offered for result in self._of(half, folder, "ambiguous"))
        cells = [
            *_counted(len(clear), self.answered(half, folder), self.right(half, folder)),
            *_counted(len(unanswerable), self.confident(half, folder)),
            *_counted(offered, self.clicked_right(half, folder)),
        ]
        return f"| {half} | {folder or 'all'} | {' | '.join(cells)} |"

    def _of(self, half: str, folder: str | None, kind: Kind) -> list[Result]:
        return [
            result
            for result in self.results
            if result.asked.half == half and folder in (None, result.asked.folder) and result.asked.kind == kind
        ]


def read_asked(file: Path) -> list[Asked]:
    """Read the questions of a JSON-lines file like those in `tests/evals`."""
    return [_read(json.loads(line)) for line in file.read_text("utf-8").splitlines()]


async def evaluate_answers(questions: Sequence[Asked], ask: Ask) -> Report:
    """Ask every question, click every option that matches a reading, and judge the answers."""
    return Report(results=tuple([await _result(question, ask) for question in questions]))


def says(told: Told, reading: Reading) -> bool:
    """Tell whether an answer holds the phrases of a reading."""
    said = plain(told.text)
    return told.outcome == "answered" and all(plain(phrase) in said for phrase in reading.phrases)


def option_for(reading: Reading, told: Told) -> str | None:
    """Return the label of the option that matches a reading, by name or by documents."""
    named = set(content_words(reading.label))
    behind = [(label, paths) for label, paths in told.options if paths & reading.documents]
    by_name = [label for label, _ in behind if named & set(content_words(label))]
    return next(iter([*by_name, *(label for label, _ in behind)]), None)


async def _result(question: Asked, ask: Ask) -> Result:
    told = await ask(question.text, None)
    right = bool(question.readings) and says(told, question.readings[0]) and all(map(told.cites, question.cites))
    if question.kind != "ambiguous":
        return Result(asked=question, told=told, right=right)
    clicked = [
        says(await ask(question.text, label), reading)
        for reading in question.readings
        if (label := option_for(reading, told)) is not None
    ]
    return Result(asked=question, told=told, right=right, offered=len(clicked), clicked_right=sum(clicked))


def _read(row: dict[str, Any]) -> Asked:
    readings = [row] if row["kind"] == "clear" else row.get("readings", [])
    return Asked(
        text=row["question"],
        folder=row["folder"],
        half=row["set"],
        kind=row["kind"],
        readings=tuple(_reading(reading) for reading in readings),
        cites=frozenset(row.get("documents", [])),
    )


def _reading(row: dict[str, Any]) -> Reading:
    return Reading(
        label=row.get("label", ""),
        documents=frozenset(row["documents"] if "documents" in row else [row["document"], *row.get("also", [])]),
        phrases=tuple(row["answers"]) if "answers" in row else (row["answer"],),
    )


def _is_well(result: Result) -> bool:
    if result.asked.kind == "unanswerable":
        return result.told.outcome not in _CONFIDENT
    if result.asked.kind == "clear":
        return result.right
    return len(result.asked.readings) == result.offered == result.clicked_right


def _counted(count: int, *shares: float) -> list[str]:
    return [str(count), *(f"{share:.1%}" if count else "–" for share in shares)]


_MARKUP = patterns.compile(r"<[^>]+>|[*|`]")


def plain(text: str) -> str:
    """Return only the words of a text: no tags, citations, emphasis, table bars, line breaks or capitals."""
    return " ".join(_MARKUP.sub(" ", unescape(without_citations(text))).casefold().split())


def _share(found: Iterable[bool]) -> float:
    counted = list(found)
    return sum(counted) / len(counted) if counted else 0.0
