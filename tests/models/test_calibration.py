"""Fitted probabilities match known odds."""

import numpy as np
import pytest

from benchmarks.fitting.calibration import brier, calibration_error, fit, fit_upwards, ranking_quality
from bot.models.grading import logistic


def test_the_odds_that_made_the_outcomes_are_found_again() -> None:
    random = np.random.default_rng(1)
    rows = random.normal(size=(20_000, 2))
    happened = (random.random(20_000) < logistic(-1 + rows @ [2.0, -0.5])).astype(float)

    constant, *slopes = fit(rows, happened, np.ones(20_000))

    assert [constant, *slopes] == pytest.approx([-1, 2, -0.5], abs=0.1)
    said = logistic(constant + rows @ slopes)
    assert calibration_error(said, happened, np.ones(20_000)) < 0.02


def test_a_signal_that_would_count_against_another_counts_nothing() -> None:
    random = np.random.default_rng(1)
    first, noise = random.normal(size=(2, 5_000))
    rows = np.column_stack([first, first + noise / 2])
    happened = (random.random(5_000) < logistic(2 * first - noise)).astype(float)

    _, held, dropped = fit_upwards(rows, happened, np.ones(5_000))

    assert held > 1
    assert dropped == 0


def test_a_signal_that_tells_nothing_leaves_the_constant() -> None:
    constant, slope = fit_upwards(np.array([[1.0], [0.0]]), np.array([0.0, 1.0]), np.ones(2))

    assert (constant, slope) == (pytest.approx(0), 0)


def test_ranking_is_perfect_if_all_that_is_right_is_above_all_that_is_wrong() -> None:
    assert ranking_quality(np.array([0.9, 0.8]), np.array([0.7, 0.1])) == 1
    assert ranking_quality(np.array([0.9, 0.1]), np.array([0.5])) == 0.5
    assert ranking_quality(np.array([0.5]), np.array([0.5])) == 0.5


def test_a_weighted_row_counts_as_often_as_its_weight() -> None:
    rows, happened = np.zeros((2, 1)), np.array([1.0, 0.0])

    constant = fit(rows, happened, np.array([3.0, 1.0]))[0]

    assert logistic(np.array([constant]))[0] == pytest.approx(0.75)


def test_certainty_that_is_wrong_costs_most() -> None:
    happened, once = np.array([1.0, 0.0]), np.ones(2)

    assert brier(np.array([1.0, 0.0]), happened, once) == 0
    assert brier(np.array([0.5, 0.5]), happened, once) == 0.25
    assert brier(np.array([0.0, 1.0]), happened, once) == 1
    assert calibration_error(np.array([0.5, 0.5]), happened, once) == 0
