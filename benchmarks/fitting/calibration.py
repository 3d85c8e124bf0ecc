"""Logistic regression, fitted offline, and measures of how well its probabilities are calibrated."""

import math

import numpy as np

from bot.models.grading import Vector, logistic

_STEPS = 30
_PENALTY = 1.0
"""Weight of the squared coefficients of standardised signals; the constant is not penalised."""
_BINS = 10


def fit(signals: Vector, relevant: Vector, importance: Vector) -> Vector:
    """Return the constant and one coefficient a column, by Newton's method; `relevant` holds 0 or 1 a row."""
    spread = signals.std(axis=0) + 1e-9
    centre = signals.mean(axis=0)
    rows = np.column_stack([np.ones(len(signals)), (signals - centre) / spread])
    penalty = np.diag([0.0, *([_PENALTY] * signals.shape[1])])
    weights = np.zeros(rows.shape[1])
    for _ in range(_STEPS):
        probability = logistic(rows @ weights)
        gradient = rows.T @ (importance * (probability - relevant)) + penalty @ weights
        curvature = (rows * (importance * probability * (1 - probability))[:, None]).T @ rows + penalty
        weights -= np.linalg.solve(curvature, gradient)
    slopes = weights[1:] / spread
    return np.array([weights[0] - slopes @ centre, *slopes])


def fit_upwards(signals: Vector, relevant: Vector, importance: Vector) -> Vector:
    """Fit as `fit` does, with no coefficient below 0.

    If two signals say nearly the same, a negative coefficient for one of them fits the training questions only.
    """
    kept = list(range(signals.shape[1]))
    while True:
        constant, *slopes = fit(signals[:, kept], relevant, importance)
        effects = np.array(slopes) * signals[:, kept].std(axis=0)
        if not kept or effects.min() >= 0:
            break
        del kept[int(effects.argmin())]
    weights = np.zeros(1 + signals.shape[1])
    weights[[0, *(1 + column for column in kept)]] = [constant, *slopes]
    return weights


def ranking_quality(right: Vector, wrong: Vector) -> float:
    """Return how often a right example has a higher figure than a wrong one; a tie counts half (AUC)."""
    behind = np.searchsorted(np.sort(wrong), right, side="left") + np.searchsorted(np.sort(wrong), right, side="right")
    return float(behind.mean() / (2 * len(wrong))) if len(right) and len(wrong) else math.nan


def brier(probabilities: Vector, relevant: Vector, importance: Vector) -> float:
    """Return the mean squared error of the probabilities; 0 is best (Brier 1950)."""
    return float(np.average((probabilities - relevant) ** 2, weights=importance))


def calibration_error(probabilities: Vector, relevant: Vector, importance: Vector) -> float:
    """Return the mean gap between predicted and observed frequency, over ten weighted bins (ECE, Naeini 2015)."""
    bins = np.minimum((probabilities * _BINS).astype(int), _BINS - 1)
    gaps = [abs(np.sum((importance * (probabilities - relevant))[bins == place])) for place in range(_BINS)]
    return float(np.sum(gaps) / importance.sum())
