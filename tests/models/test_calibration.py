"""Fitted probabilities are right about known odds."""

import numpy as np
import pytest

from bot.models.calibration import brier, calibration_error, fit, logistic


def test_the_odds_that_made_the_outcomes_are_found_again() -> None:
    random = np.random.default_rng(1)
    rows = random.normal(size=(20_000, 2))
    happened = (random.random(20_000) < logistic(-1 + rows @ [2.0, -0.5])).astype(float)

    constant, *slopes = fit(rows, happened, np.ones(20_000))

    assert [constant, *slopes] == pytest.approx([-1, 2, -0.5], abs=0.1)
    said = logistic(constant + rows @ slopes)
    assert calibration_error(said, happened, np.ones(20_000)) < 0.02


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
