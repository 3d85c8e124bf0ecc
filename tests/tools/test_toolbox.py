"""A tool computes exactly and in time, or costs only its own result."""

import asyncio
from typing import Any

import pytest

from bot.tools.calculator import calculated
from bot.tools.dates import reckoned
from bot.tools.toolbox import Tool, Toolbox
from graph.tools import LONGEST_RESULT, ToolCall, ToolError


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("3 * 145", "3 × 145 = 435"),
        ("0.1 + 0.2", "0.1 + 0.2 = 0.3"),
        ("12345678901234567890.1 + 0.2", "12345678901234567890.1 + 0.2 = 12345678901234567890.3"),
        ("7 - 7", "7 − 7 = 0"),
        ("100 * 100", "100 × 100 = 10000"),
        ("sqrt(2)", "sqrt(2) ≈ 1.4142135624"),
        ("-3 + 5%", "(-3) × (1 + 5 ÷ 100) = -3.15"),
        ("3 * 145 EUR + 19%", "(3 × 145 EUR) × (1 + 19 ÷ 100) = 517.65 EUR"),
        ("200 EUR + 40 EUR - 25 %", "(200 EUR + 40 EUR) × (1 − 25 ÷ 100) = 180 EUR"),
        ("19% * 200", "19 ÷ 100 × 200 = 38"),
        ("10%3", "10 mod 3 = 1"),
        ("(17 % 5) * 2 + 5%", "((17 mod 5) × 2) × (1 + 5 ÷ 100) = 4.2"),
        ("50 % 20% - 10%", "(50 mod 20 ÷ 100) × (1 − 10 ÷ 100) = 0.09"),
        ("5% + 5%", "5 ÷ 100 + 5 ÷ 100 = 0.1"),
        ("10% * 20% + 5%", "10 ÷ 100 × 20 ÷ 100 + 5 ÷ 100 = 0.07"),
        ("(5%) + 3%", "(5 ÷ 100) + 3 ÷ 100 = 0.08"),
        ("200-10% - 5%", "(200 × (1 − 10 ÷ 100)) × (1 − 5 ÷ 100) = 171"),
        ("5% - 2% + 200", "5 ÷ 100 − 2 ÷ 100 + 200 = 200.03"),
        ("200 - 10% - 5%", "(200 × (1 − 10 ÷ 100)) × (1 − 5 ÷ 100) = 171"),
        ("200 – 10 % + 30", "200 × (1 − 10 ÷ 100) + 30 = 210"),
        ("(100 EUR + 19%) * 2", "(100 EUR × (1 + 19 ÷ 100)) × 2 = 238 EUR"),
        ("max(90, 100 - 5%) + 1", "max(90, 100 × (1 − 5 ÷ 100)) + 1 = 96"),
        ("19% * 200 + 5%", "(19 ÷ 100 × 200) × (1 + 5 ÷ 100) = 39.9"),
        ("100 m + 10% in cm", "100 m × (1 + 10 ÷ 100) in cm: 110.0 ÷ 0.01 = 11000 cm"),
        ("200 + 10% * 50", "200 + 10 ÷ 100 × 50 = 205"),
        ("200 * -5%", "200 × -5 ÷ 100 = -10"),
        ("10^2 + 5%", "(10^2) × (1 + 5 ÷ 100) = 105"),
        ("2^-1", "2^-1 = 0.5"),
        ("3 km + 500 m", "3 km + 500 m = 3.5 km"),
        ("2 hours + 45 minutes + 90 minutes", "2 hours + 45 minutes + 90 minutes = 4 h 15 min"),
        ("1 day + 20 minutes", "1 day + 20 minutes = 1 day 20 min"),
        ("1 h - 90 min", "1 h − 90 min = -30 min"),
        ("1 h - 60 min", "1 h − 60 min = 0 min"),
        ("5 % * 2400 EUR", "5 ÷ 100 × 2400 EUR = 120 EUR"),
        ("$20 * 3 - 5 dollars", "$20 × 3 − 5 dollars = 55 USD"),
        ("10 GB / 250 MB", "10 GB ÷ 250 MB = 40"),
        ("100 EUR / 3", "100 EUR ÷ 3 ≈ 33.3333333333 EUR"),
        ("3 km + 2 h", "3 km + 2 h has no result: km and h are not alike."),
        ("5 EUR + 5 USD", "5 EUR + 5 USD has no result: EUR and USD are not alike."),
        ("5 km in miles", "5 km in miles: 5 × 1000 ÷ 1609.344 ≈ 3.1068559612 miles"),
        ("68 °F in °C", "68 °F in °C: (68 − 32) × 5 ÷ 9 = 20 °C"),
        ("0 K in F", "0 K in F: (0 − 273.15) × 9 ÷ 5 + 32 = -459.67 °F"),
        ("2 hours + 45 minutes in minutes", "2 hours + 45 minutes in minutes: 9900 ÷ 60 = 165 minutes"),
        ("10 in in cm", "10 in in cm: 10 × 0.0254 ÷ 0.01 = 25.4 cm"),
        ("5 km in h", "5 km in h has no result: km and h are not alike."),
        ("100 EUR in USD", "100 EUR in USD has no result: EUR and USD are not alike."),
        ("3 h + 5", "3 h + 5 has no result: h and a number without a unit are not alike."),
    ],
)
def test_sums_are_exact(expression: str, shown: str) -> None:
    assert shown == calculated(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "", "1 / 0", "9 ** 9 ** 9 ** 9", "2 ** 99999999", "__import__('os')", "x + 1", "1 +", "(" * 200, "[1] * 9",
        "1 if 1 else 2", "'a' * 9", "9" * 301, "sqrt(0 - 1)", "min()", "min", "n0 + 1", "1 < 2", "1,5 + 2",
        "2 km * 3 km", "3 apples + 4", "sqrt(4 km)", "2 ^ 3 km", "7 s / 0 s", "(10^1000)^999 * 1 km",
        "10^1000 * 10^1000 * 10^1000 * 10^1000 * 10^1000", "(10^1000)^999", "10^-1000", "3 + 4 # <!>",
        "7 % 0", "7 km % 2", "5 in km", "5 km in apples", "5 km in °C", "20 °C + 5 °C",
    ],
)  # fmt: skip
def test_what_is_no_sum_is_refused(expression: str) -> None:
    with pytest.raises(ToolError):
        calculated(expression)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"operation": "days", "from": "2025-01-01"},
        {"operation": "days", "from": "yesterday", "to": "2025-01-01"},
        {"operation": "working_days", "from": "0001-01-01", "to": "9999-12-31"},
        {"operation": "working_days", "from": "2025-01-01", "to": "2025-02-01", "country": "Atlantis"},
        {"operation": "working_days", "from": "2025-01-01", "to": "2025-02-01", "country": "ZZ"},
        {"operation": "add", "from": "2025-01-01", "amount": "999999999", "unit": "days"},
        {"operation": "add", "from": "9999-12-31", "amount": "1", "unit": "days"},
        {"operation": "add", "from": "2025-01-01", "amount": "1", "unit": "moons"},
        {"operation": "time", "from": "2026-01-15T09:00Z", "zone": "America/New_York", "to_zone": "Europe/Lisbon"},
        {"operation": "time", "from": "2026-01-15T09:00+01:00", "zone": "Europe/Berlin", "to_zone": "Europe/Lisbon"},
        {"operation": "time", "from": "2025-01-01T10:00", "zone": "../../etc/passwd", "to_zone": "Europe/Berlin"},
        {"operation": "working_days", "from": "2025-12-01", "to": "2025-12-31", "country": "NYSE"},
    ],
)
def test_what_is_no_date_is_refused(arguments: dict[str, str]) -> None:
    with pytest.raises(ToolError):
        reckoned(arguments)


def test_a_time_is_told_in_another_zone() -> None:
    given = {"operation": "time", "from": "2025-07-01T15:00", "zone": "Europe/Berlin", "to_zone": "America/New_York"}

    assert "09:00 on Tuesday, 1 July 2025 in America/New_York" in reckoned(given)


@pytest.mark.parametrize(
    ("country", "days", "note"),
    [
        ("", 23, "Monday to Friday; public holidays are not taken off"),
        ("DE", 21, "without weekends and the national public holidays of Germany"),
        ("deu", 21, "without weekends and the national public holidays of Germany"),
        ("Deutschland", 21, "without weekends and the national public holidays of Germany"),
        ("USA", 22, "without weekends and the national public holidays of United States"),
        ("United States", 22, "without weekends and the national public holidays of United States"),
    ],
)
def test_working_days_are_counted_by_a_countrys_holidays(country: str, days: int, note: str) -> None:
    given = {"operation": "working_days", "from": "2025-12-01", "to": "2025-12-31", "country": country}

    assert reckoned(given).endswith(f"both included, is {days} working days ({note}).")


async def hangs(arguments: dict[str, str]) -> str:
    await asyncio.Event().wait()
    return ""


async def raises(arguments: dict[str, str]) -> str:
    raise RuntimeError


async def is_silent(arguments: dict[str, str]) -> str:
    return " \n"


@pytest.mark.parametrize("use", [hangs, raises, is_silent])
async def test_a_tool_that_gives_nothing_in_time_raises_our_error(use: Any) -> None:
    with pytest.raises(ToolError):
        await Toolbox({"any": Tool("Any", use, seconds=0.05)}).use(ToolCall(tool="any", arguments={}))


async def test_an_unknown_tool_raises_our_error() -> None:
    with pytest.raises(ToolError):
        await Toolbox({}).use(ToolCall(tool="any", arguments={}))


async def test_ten_megabytes_are_cut() -> None:
    async def floods(arguments: dict[str, str]) -> str:
        return "word " * 2_000_000

    (result,) = await Toolbox({"any": Tool("Any", floods)}).use(ToolCall(tool="any", arguments={}))

    assert LONGEST_RESULT == len(result["text"])
