"""Dates are found in every format, and in order."""

import pytest

from graph.calendar.dates import Dates, Day
from graph.calendar.names import MONTHS
from graph.text.values import values, without_calendar

DATES = Dates(MONTHS, also_words=("may",), together=True)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2024-05-03", [(2024, 5, 3)]),
        ("2024/05/03", [(2024, 5, 3)]),
        ("minutes-20240503.md", [(2024, 5, 3)]),
        ("3.5.2024", [(2024, 5, 3)]),
        ("3. 5. 2024", [(2024, 5, 3)]),
        ("am 3.5. um acht", [(0, 5, 3)]),
        ("3.5.24", [(2024, 5, 3)]),
        ("3.5.99", [(1999, 5, 3)]),
        ("02/03/2026", [(2026, 3, 2), (2026, 2, 3)]),
        ("15/01/2026", [(2026, 1, 15)]),
        ("01/15/26", [(2026, 1, 15)]),
        ("the 3rd of May 1999", [(1999, 5, 3)]),
        ("1er août 2025", [(2025, 8, 1)]),
        ("3 de maio de 2024", [(2024, 5, 3)]),
        ("May 3, 2024", [(2024, 5, 3)]),
        ("Mai 2024", [(2024, 5, 0)]),
        ("2024年3月1日", [(2024, 3, 1)]),
        ("3 may 2024", []),
        ("Marco 3, 2024", []),
        ("2024-02-30", []),
        ("1202405031", []),
        ("0.20240503", []),
        ("20240503.50 EUR", []),
    ],
)
def test_a_date_is_found_in_every_format(text: str, days: list[Day]) -> None:
    assert days == [day for one in DATES.find(text) for day in one.days]


def test_dates_are_found_in_order_and_each_once() -> None:
    text = "From 1 May 2024 (printed 2023-12-24) to 30.9.2024."

    assert ["1 May 2024", "2023-12-24", "30.9.2024"] == [text[one.begins : one.ends] for one in DATES.find(text)]


@pytest.mark.parametrize("text", ["2024/05/03", "on 3. 5. 2024", "May 3 of 2024", "3.5.24"])
def test_a_document_and_an_answer_write_one_day_differently(text: str) -> None:
    assert values("3 May 2024").dates == values(text).dates
    assert not values(text).numbers


@pytest.mark.parametrize("text", ["The order number is 20240503.", "The deposit is 20240503 EUR.", "Call 20240503!"])
def test_eight_digits_of_an_answer_are_a_number(text: str) -> None:
    assert [20240503] == [int(amount) for one in values(text).numbers for amount in one.amounts]
    assert not values(text).dates


def test_a_date_is_no_part_of_another_one() -> None:
    text = "January 15.01.2026 2027 end"

    assert len(text) == len(without_calendar(text))
    assert {(2026, 1, 15)} == values(text, "en").dates
