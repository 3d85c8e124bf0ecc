"""Values are equal in any format."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.text.quantities import units_in
from graph.text.values import days_between, readings, same_day, values


def amounts(text: str, language: str = "en") -> list[set[Decimal]]:
    return [set(number.amounts) for number in values(text, language).numbers]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("1,250,000 EUR", "en"),
        ("1.250.000 EUR", "de"),
        ("1 250 000 EUR", "en"),
        ("1’250’000 EUR", "de"),
        ("1´250´000 EUR", "de"),
        ("1250000 EUR", "en"),
        ("1.25 million EUR", "en"),
        ("1,25 Mio. EUR", "de"),
        ("1,25 Millionen Euro", "de"),
        ("1,25 milhões de euros", "pt"),
        ("1,250k EUR", "en"),
        ("1.25M EUR", "en"),
        ("€1.25m", "en"),
    ],
)
def test_an_amount_is_the_same_in_every_form(text: str, language: str) -> None:
    [number, *_] = values(text, language).numbers

    if "m" != text[-1]:
        assert Decimal(1_250_000) in number.amounts
    assert "EUR" == number.unit


@pytest.mark.parametrize(
    ("text", "language", "worth"),
    [
        ("one hundred forty-five euros", "en", 145),
        ("einhundertfünfundvierzig Euro", "de", 145),
        ("cento e quarenta e cinco euros", "pt", 145),
        ("ホテルは145ユーロ", "ja", 145),
        ("four hours", "en", 4),
        ("vier Stunden", "de", 4),
    ],
)
def test_spelled_numbers_are_numbers(text: str, language: str, worth: int) -> None:
    assert any(worth in found for found in amounts(text, language))


def test_what_can_be_read_in_two_ways_has_both_readings() -> None:
    assert {Decimal(1500), Decimal("1.500")} == readings("1.500")
    assert {Decimal("1250.50")} == readings("1.250,50") == readings("1,250.50")
    assert {Decimal("12.5")} == readings("12,5")
    assert set() == readings("1.8.0")


@pytest.mark.parametrize(
    "text",
    ["2026-01-15", "15.01.2026", "15.1.26", "15 January 2026", "January 15th, 2026", "15. Januar 2026",
     "15 de janeiro de 2026", "01/15/2026", "2026年1月15日"],
)  # fmt: skip
def test_a_date_is_the_same_in_every_form(text: str) -> None:
    assert {(2026, 1, 15)} == values(f"It holds from {text}.").dates


@pytest.mark.parametrize("text", ["5 Sept 2025", "Sept 5, 2025", "5. Sept. 2025", "5 September 2025"])
def test_september_has_a_longer_abbreviation_too(text: str) -> None:
    assert {(2025, 9, 5)} == values(f"It ends on {text}.").dates


@pytest.mark.parametrize(
    ("text", "language", "read"),
    [
        ("half a million euros", "en", [("500000", "EUR")]),
        ("a quarter million", "en", [("250000", "")]),
        ("a quarter of a million", "en", [("250000", "")]),
        ("two and a half million", "en", [("2500000", "")]),
        ("a million and a half", "en", [("1500000", "")]),
        ("two and a half hours", "en", [("2.5", "hour")]),
        ("2 and a half hours", "en", [("2.5", "hour")]),
        ("two hours and a half", "en", [("2.5", "hour")]),
        ("an hour and a half", "en", [("1.5", "hour")]),
        ("half an hour", "en", [("0.5", "hour")]),
        ("three quarters of an hour", "en", [("0.75", "hour")]),
        ("half a year", "en", [("0.5", "year")]),
        ("half-day", "en", []),
        ("a million", "en", [("1000000", "")]),
        ("per million tokens", "en", [("1000000", "")]),
        ("millions of people", "en", []),
        ("hundreds of people", "en", []),
        ("a few million", "en", []),
        ("several thousand", "en", []),
        ("three hundred thousand", "en", [("300000", "")]),
        ("eine halbe Million", "de", [("500000", "")]),
        ("eine Viertelmillion", "de", [("250000", "")]),
        ("zweieinhalb Millionen", "de", [("2500000", "")]),
        ("anderthalb Stunden", "de", [("1.5", "hour")]),
        ("eine Viertelstunde", "de", [("0.25", "hour")]),
        ("ein halbes Jahr", "de", [("0.5", "year")]),
        ("Millionen von Menschen", "de", []),
        ("eine Million", "de", [("1000000", "")]),
        ("tausend Euro", "de", [("1000", "EUR")]),
        ("meio milhão", "pt", [("500000", "")]),
        ("um milhão e meio", "pt", [("1500000", "")]),
        ("dois milhões e meio", "pt", [("2500000", "")]),
        ("duas horas e meia", "pt", [("2.5", "hour")]),
        ("meia hora", "pt", [("0.5", "hour")]),
        ("milhões de pessoas", "pt", []),
        ("mil euros", "pt", [("1000", "EUR")]),
    ],
)
def test_halves_and_quarters_are_read_and_a_vague_number_is_none(
    text: str, language: str, read: list[tuple[str, str]]
) -> None:
    expected = [({Decimal(amount)}, unit) for amount, unit in read]

    assert expected == [(set(one.amounts), one.unit) for one in values(f"It is {text}.", language).numbers]


@pytest.mark.parametrize("text", ["4 pm", "16:00", "16 Uhr", "16.00 Uhr", "4:00 p.m.", "16h00", "4.00 pm", "4.00 p.m."])
def test_a_time_is_the_same_in_every_form(text: str) -> None:
    assert {16 * 60} == values(f"until {text}").times


@pytest.mark.parametrize(
    "text",
    ["may 5 people come in", "It may not be", "v1.8.0", "24/7", "#42", "https://x.example/99", "at 98:59", "at 24:30"],
)
def test_what_is_no_date_time_or_version_is_not_read_as_one(text: str) -> None:
    found = values(text)

    assert not found.dates
    assert not found.times
    assert "99" not in str(found.numbers)


def test_a_date_says_less_than_another() -> None:
    assert same_day((2026, 1, 0), (2026, 1, 15))
    assert not same_day((2026, 1, 15), (2026, 1, 0))
    assert {31} == days_between(frozenset({(2026, 1, 1), (2026, 2, 1)}))


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    assert values(text) is not None


@given(st.text(alphabet="0123456789.,' ", min_size=1))
def test_any_digits_can_be_read(text: str) -> None:
    assert values(text) is not None


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("Who owns the R2 router, and is Microsoft 365 in use on 5G, by ISO 27001?", set[str]()),
        ("It shows 7 Grad, not 6 °C", {"°"}),
        ("3 kg in 2 Tagen for 5 €", {"kg", "day", "EUR"}),
        ("18 m/s", {"m"}),
    ],
)
def test_numbers_of_names_have_no_unit(text: str, units: set[str]) -> None:
    assert units == units_in(text)


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("It is -5 °C", "-"),
        ("It is –5 °C", "-"),
        ("It is −€5", "-"),
        ("It is -EUR 5", "-"),
        ("It is EUR -5", "-"),
        ("It is (**-5 %**)", "-"),
        ("It is minus 5 degrees", "-"),
        ("It is 5 °C", "+"),
        ("It is +5 °C", "+"),
        ("Pages 3-5", "+"),
        ("Pages 3 -5", "+"),
        ("It is ±5 °C", ""),
        ("-5 EUR", ""),
        ("It is -5 % less", ""),
        ("A discount of 5 %", ""),
        ("Um 5 % gesunken", ""),
        ("Menos 5 graus", ""),
        ("A lower price. It is 5 EUR", "+"),
    ],
)
def test_a_sign_is_read_that_nothing_touches(text: str, sign: str) -> None:
    assert sign == values(text).numbers[-1].sign
