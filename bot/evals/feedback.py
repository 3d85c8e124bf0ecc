"""Fits the bands of answers to what people think of them: 👍 and 👎, with the grades of the runs behind (pure).

Every second answer is held back: the map is fitted to the others, and judged on these.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean
from typing import Final

import numpy as np

from bot.conversation.traces.kept_run import KeptRun
from bot.errors import AskbackError
from bot.evals.measures import Figures, ratio
from bot.models.bands import Bands
from bot.models.grading import Vector, log_odds, logistic, probability
from graph.answer.evidence import POSSIBLE, RELEVANT, SURE, UNSURE

LEAST: Final = 40
"""Ratings that a fit needs…"""
LEAST_OF_EACH: Final = 5
"""… and the part of these that must be 👍, and 👎: a fifth."""
_ROUNDED: Final = 0.005
"""Records keep two digits of a grade."""
OF_THE_DOCUMENT: Final = "bad (outdated)"
"""A 👎 that says nothing against the search."""
THRESHOLDS: Final = {"sure": SURE, "relevant": RELEVANT, "possible": POSSIBLE, "unsure": UNSURE}
_STEPS: Final = 50
_EXACT: Final = 1e-9
_TRUST: Final = np.diag([10.0, 0.2])
"""How much slope and offset are drawn to what changes nothing. If all grades are alike, the offset explains them."""


class TooLittleFeedbackError(AskbackError):
    """There is too little feedback to fit the bands."""


class NoBetterBandsError(AskbackError):
    """What people think of answers does not follow from their grades."""


@dataclass(frozen=True, kw_only=True)
class Rated:
    """A rating of an answer."""

    grade: float
    """Of the best passage."""
    is_good: bool


@dataclass(frozen=True, kw_only=True)
class Fit:
    """The new bands, and what they do to the answers that were held back."""

    bands: Bands
    before: Figures
    after: Figures


def answers_of(runs: Iterable[KeptRun]) -> list[list[Rated]]:
    """Return the ratings of each answer whose run is kept with its grades; the newest run of an item counts.

    A model reads the passages itself, so the bands decide only what is answered without one.
    """
    newest: dict[str, KeptRun] = {}
    for run in runs:
        newest.setdefault(run.reference, run)
    return [rated for run in newest.values() if not run.calls and (rated := list(_ratings(run)))]


def _ratings(run: KeptRun) -> Iterator[Rated]:
    grades = [float(str(step["facts"]["best"])) for step in run.steps if "best" in step["facts"]]
    for verdict in run.ratings:
        if grades and verdict != OF_THE_DOCUMENT:
            yield Rated(grade=min(max(grades[-1], _ROUNDED), 1 - _ROUNDED), is_good=verdict == "good")


def fitted(
    answers: Sequence[Sequence[Rated]], *, embedding: str, now: datetime, current: Bands | None, least: int = LEAST
) -> Fit:
    """Fit the bands to one half of the answers, and judge them on the other.

    `current` has mapped the grades already; the new bands then do both. Raises `TooLittleFeedbackError`, or
    `NoBetterBandsError` if the new bands predict the ratings of the other half no better.
    """
    every = [rated for own in answers for rated in own]
    good = sum(rated.is_good for rated in every)
    of_each = least // LEAST_OF_EACH
    if len(every) < least or min(good, len(every) - good) < of_each:
        raise TooLittleFeedbackError(
            f"There are {good} 👍 and {len(every) - good} 👎 for answers without a model whose runs are kept; the bands"
            f" need {least} ratings, and at least {of_each} of each."
        )
    seen, held = ([rated for own in answers[half::2] for rated in own] for half in (0, 1))
    slope, offset = fit(seen)
    if slope > 0 and held:
        new = Bands(embedding=embedding, slope=slope, offset=offset, fitted_at=now.isoformat(), ratings=len(every))
        given, mapped = [one.grade for one in held], [new.of(one.grade) for one in held]
        if log_loss(mapped, held) < log_loss(given, held):
            return Fit(bands=after_both(current, new), before=judged(given, held), after=judged(mapped, held))
    raise NoBetterBandsError(
        "New bands would predict the ratings of the answers held back no better, so they stay as they are."
    )


def after_both(current: Bands | None, new: Bands) -> Bands:
    """Return the bands that do what both do, one after the other."""
    if current is None:
        return new
    both = {"slope": new.slope * current.slope, "offset": new.slope * current.offset + new.offset}
    return new.model_copy(update=both)


def fit(rated: Sequence[Rated]) -> tuple[float, float]:
    """Return slope and offset by Newton's method, drawn towards 1 and 0."""
    rows = np.array([[log_odds(one.grade), 1.0] for one in rated])
    good = np.array([one.is_good for one in rated], dtype=np.float64)
    unchanged = np.array([1.0, 0.0])

    def loss(weights: Vector) -> float:
        odds, away = rows @ weights, weights - unchanged
        return float(np.sum(np.logaddexp(0, odds) - good * odds) + away @ _TRUST @ away / 2)

    weights = unchanged.copy()
    for _ in range(_STEPS):
        chances = logistic(rows @ weights)
        gradient = rows.T @ (chances - good) + _TRUST @ (weights - unchanged)
        curvature = (rows * (chances * (1 - chances))[:, None]).T @ rows + _TRUST
        step: Vector = np.linalg.solve(curvature, gradient).astype(np.float64)
        while loss(weights - step) > loss(weights) and np.abs(step).max() > _EXACT:
            # A whole step may go too far if all grades are near 1.
            step /= 2
        weights -= step
    return float(weights[0]), float(weights[1])


def judged(grades: Sequence[float], rated: Sequence[Rated]) -> Figures:
    """Return how well the band "sure" tells what people call good, and how well grades predict it."""
    sure = [grade >= SURE for grade in grades]
    both = sum(one and each.is_good for one, each in zip(sure, rated, strict=True))
    return {
        "ratings": len(rated),
        "precision": ratio(both, sum(sure)),
        "recall": ratio(both, sum(one.is_good for one in rated)),
        "surprise": log_loss(grades, rated),
    }


def log_loss(grades: Sequence[float], rated: Sequence[Rated]) -> float:
    """Return how much the ratings surprise a person who believes the grades. There must be one."""
    chances = (grade if one.is_good else 1 - grade for grade, one in zip(grades, rated, strict=True))
    return fmean(-math.log(probability(log_odds(chance))) for chance in chances)
