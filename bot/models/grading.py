"""Grades passages: the probability that a passage is relevant to a question, fitted on labelled questions."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bot.models.embedding import Embedding
from bot.models.signals import Signals, signals
from graph.context import ModelError
from graph.passages import Passage

Vector = NDArray[np.float64]

COEFFICIENTS = Path(__file__).with_name("grading.json")
"""Written by `benchmarks/fitting/grader.py`, with the sources of the data and the measured quality."""
_LEAST = 1e-6


@dataclass(frozen=True, kw_only=True)
class Weights:
    """The weight of each signal, in log odds."""

    constant: float
    by_signal: tuple[float, ...]
    """In the order of `Signals`, or of `bot.models.sureness.Signs`."""

    def log_odds(self, rows: Sequence[tuple[float, ...]]) -> Vector:
        """Return one figure for each passage. A higher one means that the passage is more likely relevant."""
        return np.array(rows, dtype=np.float64).reshape(-1, len(self.by_signal)) @ self.by_signal + self.constant


class RankingWeights(NamedTuple):
    """What is added to the log odds when passages are ranked. Chosen by docs/evaluation.md, and not fitted."""

    score: float
    """For the search's score, which says only at which places a passage was found."""
    word_match: float
    """For how well words match."""
    title: float
    """For the share of its title's words that the question holds."""

    def of(self, passage: Passage, titled: float) -> float:
        """Return what is added for a passage. `titled` is the share of its title's words that the question holds."""
        word_match = passage.get("word_match", 0.0)
        return self.score * passage["score"] + self.word_match * word_match + self.title * titled


def log_odds(grade: float) -> float:
    """Return the log odds of a grade, also of 0 and 1."""
    return math.log((grade + _LEAST) / (1 - grade + _LEAST))


def probability(odds: float) -> float:
    """Return the probability of log odds."""
    return float(logistic(np.array(odds)))


def logistic(score: Vector) -> Vector:
    """Return probabilities for log odds."""
    return 1 / (1 + np.exp(-np.clip(score, -30, 30)))


class CalibratedGrader:
    """A grader without a model call: it weighs signals of words and meaning by fitted weights."""

    def __init__(self, model: Embedding) -> None:
        self._model = model
        self._weights = fitted_weights(model.local.model)

    async def grade(self, question: str, passages: list[Passage]) -> list[float]:
        """Return one calibrated probability (0–1) for each passage, in their order."""
        rows = await signals(self._model, question, passages)
        return [float(probability) for probability in logistic(self._weights.log_odds(rows))]


@cache
def fitted_weights(model: str) -> Weights:
    """Return the committed weights for an embedding. Raises `ModelError` if there are none for it and these signals."""
    return _weights(model, _stored(model), Signals._fields, fitted_by="grader")


@cache
def ranking_weights(model: str) -> RankingWeights:
    """Return the committed weights of the ranking for an embedding that has a grader."""
    return RankingWeights(**_stored(model)["ranking"])


@cache
def sureness_weights(model: str, signs: tuple[str, ...]) -> Weights | None:
    """Return the committed weights of these signs for an embedding, if it has any.

    Raises `ModelError` if they are for other signs.
    """
    stored = _stored(model).get("sureness")
    return _weights(model, stored, signs, fitted_by="sureness") if stored else None


def _stored(model: str) -> dict[str, Any]:
    return json.loads(COEFFICIENTS.read_text("utf-8")).get(model, {})


def _weights(model: str, stored: dict[str, Any], names: tuple[str, ...], *, fitted_by: str) -> Weights:
    weights = stored.get("weights", {})
    if set(weights) != set(names):
        raise ModelError(f"There are no weights for {model} and these signals: run benchmarks/fitting/{fitted_by}.py.")
    return Weights(constant=float(stored["constant"]), by_signal=tuple(float(weights[name]) for name in names))
