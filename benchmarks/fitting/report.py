"""Reports the quality of grades on a set of questions: separation, answers, search."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from benchmarks.fitting.calibration import ranking_quality
from graph.answer.evidence import UNSURE, is_enough, relevant, weighed
from graph.passages import Passage


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A question with the grades of its passages."""

    name: str
    """The name of its set."""
    right: list[bool | None]
    """Whether each passage is right; `None` if unknown."""
    documents: frozenset[str]
    """The documents that answer it; empty if none does."""
    passages: list[Passage]
    grades: list[float]

    @property
    def band(self) -> str:
        """Return what a person would get: an answer, the nearest passages, or nothing."""
        if is_enough(relevant(weighed(self.passages, self.grades))):
            return "answered"
        return "nearest" if max(self.grades, default=0.0) >= UNSURE else "nothing"

    @property
    def ranking(self) -> list[str]:
        """Return the documents in the order of their best passage."""
        return list(dict.fromkeys(passage["path"] for passage in self.passages))


def table(cases: list[Judged]) -> str:
    """Return the figures of each set as Markdown."""
    names = dict.fromkeys(case.name for case in cases)
    head = "| set | questions | AUC | answered | nearest | nothing | recall@5 | recall@10 | MRR |"
    rows = [_row(name, [case for case in cases if case.name == name]) for name in names]
    return "\n".join([head, f"|---|{'---:|' * 8}", *rows])


def _row(name: str, cases: list[Judged]) -> str:
    bands = [_share(case.band == band for case in cases) for band in ("answered", "nearest", "nothing")]
    answerable = [case for case in cases if case.documents]
    found = [_retrieved(answerable, place) for place in (5, 10)] if answerable else []
    figures = [*bands, *found, *([fmean(_reciprocal_rank(case) for case in answerable)] if answerable else [])]
    cells = [f"{figure:.3f}" for figure in figures] + ["–"] * (6 - len(figures))
    return f"| {name} | {len(cases)} | {_told_apart(cases)} | {' | '.join(cells)} |"


def _told_apart(cases: list[Judged]) -> str:
    pairs = [pair for case in cases for pair in zip(case.grades, case.right, strict=True)]
    right, wrong = (np.array([grade for grade, held in pairs if held is kind]) for kind in (True, False))
    return f"{ranking_quality(right, wrong):.3f}" if len(right) and len(wrong) else "–"


def _retrieved(cases: list[Judged], place: int) -> float:
    return fmean(len(case.documents & set(case.ranking[:place])) / len(case.documents) for case in cases)


def _reciprocal_rank(case: Judged) -> float:
    places = (1 / place for place, path in enumerate(case.ranking, start=1) if path in case.documents)
    return next(places, 0.0)


def _share(values: Iterable[bool]) -> float:
    return fmean(float(value) for value in values)
