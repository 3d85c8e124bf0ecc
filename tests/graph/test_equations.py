"""Sums that an answer shows are computed again."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.text.sums.equations import equations


@pytest.mark.parametrize(
    "sentence",
    [
        "3 nights × 60 EUR = 180 EUR [1].",
        "It rose by 20.8 percent: (145 − 120) ÷ 120 = 0.208 [1][2].",
        "350 + 2 × 60 = 470 EUR",
        "1,875,000 / 1,250,000 = 1.5",
        "1.875.000 / 1.250.000 = 1,5",
        "20 % × 200 EUR = 40 EUR",
        "22 + 3 = 25 days",
        "Of 200, 0.25 * 200 = 50",
        "10 / 3 ≈ 3.33",
        "08 + 2 = 10",
        "- Together: 3,600 EUR + 600 EUR = 4,200 EUR",
        "8 percent × 45,000 EUR + 3 Prozent × 20,000 EUR = 4,200 EUR",
        "Das sind 12,5 × 24,00 EUR = 300,00 EUR",
        "Com o pequeno-almoço no preço do quarto: 55 EUR − 12 EUR = 43 EUR [1].",
        "Check-in is free – 55 − 12 = 43",
        "-5 + 3 = -2",
        "12 EUR − 15 EUR = −3 EUR",
        "120 / 125 = 96 %",
        "5 % − 3 % = 2 percentage points",
        "200 EUR − 10 % = 180 EUR",
        "150 EUR + 50 EUR + 19 % = 238 EUR",
        "100 + 5 % + 10 % = 115.5",
        "200 − 10 % − 5 % = 171",
        "2 × (100 EUR + 5 % + 10 %) = 231 EUR",
        "(100 EUR + 19 %) × 2 = 238 EUR",
        "100 EUR + 10 % × 50 EUR = 105 EUR",
        "2 × EUR 18 = EUR 36",
        "0.5 + 0.25 = 75 %",
    ],
)
def test_a_right_sum_is_right(sentence: str) -> None:
    assert [True] == [equation.right for equation in equations(sentence)]


def test_a_sum_may_go_on_with_another_sum() -> None:
    first, second = equations("8 percent × 45,000 + 3 percent × 20,000 = 3,600 EUR + 600 EUR = 4,200 EUR")

    assert (True, True) == (first.right, second.right)
    assert {3600, 600} <= first.results


@pytest.mark.parametrize(
    "sentence",
    ["1 March 2023 + 48 months = 1 March 2027", "14:00 − 2 h = 12:00", "10.04.2026 + 6 Monate = 10.10.2026"],
)
def test_dates_and_times_are_no_numbers(sentence: str) -> None:
    assert [] == equations(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "3 × 60 EUR = 190 EUR",
        "(145 − 120) ÷ 120 = 0.308",
        "In 2026, 22 + 3 = 26",
        "2 + 3 = 500",
        "7 × 3 = 2100",
        "4 x 5 = 2000 EUR",
        "120 / 4 = 3000 EUR",
        "3 - 5 = 2",
        "5 - 3 = -2",
        "200 EUR + 10 % = 210 EUR",
        "100 + 5 % + 10 % = 100.15",
        "200 EUR − 10 % − 5 % = 199.85 EUR",
        "2 × EUR 18 = EUR 38",
    ],
)
def test_a_wrong_sum_is_wrong(sentence: str) -> None:
    assert [False] == [equation.right for equation in equations(sentence)]


@pytest.mark.parametrize(
    ("sentence", "shares"),
    [
        ("150 / 120 = 1.25", {125, 25}),
        ("96 / 120 = 0.8", {80, -20, 20}),
        ("2 + 3 = 5", set[int]()),
        ("2.50 EUR + 1 EUR = 3.50 EUR", set[int]()),
    ],
)
def test_only_a_ratio_is_a_percentage_too(sentence: str, shares: set[int]) -> None:
    assert [shares] == [equation.shares for equation in equations(sentence)]


@pytest.mark.parametrize(
    "sentence",
    [
        "a = b",
        "kubectl --timeout=300s",
        "x = 5",
        "2 ** 3 = 8",
        "1 / 0 = 5",
        "__import__('os') + 1 = 2",
        "5 = 5",
        "=" * 50,
    ],
)
def test_what_is_no_sum_is_none(sentence: str) -> None:
    assert [] == equations(sentence)


@given(st.text(alphabet="0123456789.,()+-*/=×÷% abx", max_size=300))
def test_whatever_stands_there_it_ends(sentence: str) -> None:
    assert equations(sentence) is not None


@pytest.mark.parametrize(
    "sentence",
    [
        f"1 / 0 % + {' + '.join(['1.500 %'] * 30)} = 7",
        f"1 / 0 + {' + '.join(['1.500'] * 45)} = 5",
        f"{'(' * 150}1 + 2 = 3",
    ],
)
def test_a_division_by_nothing_takes_no_longer_than_a_sum(sentence: str) -> None:
    begun = time.process_time()

    equations(sentence)

    # Each number has two readings, and the combinations are too many to try.
    assert time.process_time() - begun < 1
