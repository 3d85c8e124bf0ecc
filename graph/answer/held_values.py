"""The values that the evidence holds, and whether it holds a number, a date or a time of a draft (pure).

A day or a time may also follow from others by a span that is stated: "two months after 22 November".
"""

from calendar import monthrange
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from graph.calendar.dates import Day
from graph.text.quantities import SECONDS
from graph.text.tables import TableBody, tables_in
from graph.text.values import Number, Values, compatible, in_seconds, same_day, values

FREE = 12
"""Numbers up to this that measure nothing count things, which a reader may do."""
_ROUGHLY = Decimal("0.05")
_MONTHS_IN = {"month": 1, "year": 12}
_DAYS_IN = {"day": 1, "week": 7}
_LONGEST_MONTHS = 1_200
_LONGEST_DAYS = 36_600
_MINUTES_A_DAY = 1440
_AROUND_TODAY = 7
"""How many days from today "last Sunday" and "tomorrow" may be."""


@dataclass(frozen=True)
class Held:
    """The values and tables of one or several texts."""

    values: tuple[Values, ...]
    tables: tuple[TableBody, ...] = ()

    @property
    def numbers(self) -> Iterable[Number]:
        """All numbers."""
        return (number for one in self.values for number in one.numbers)

    @property
    def amounts(self) -> frozenset[Decimal]:
        """The readings of all numbers."""
        return frozenset(amount for number in self.numbers for amount in number.amounts)

    @property
    def parts(self) -> frozenset[Decimal]:
        """The readings of the numbers that may be part of a date or a time."""
        return frozenset(amount for number in self.numbers if number.may_be_part for amount in number.amounts)

    @property
    def rough(self) -> frozenset[Decimal]:
        """The numbers in "hundreds" and "millions", and all numbers that people may mean roughly."""
        return self.amounts.union(*(one.rough for one in self.values))

    @property
    def dates(self) -> frozenset[Day]:
        """All dates."""
        return frozenset(day for one in self.values for day in one.dates)

    @property
    def times(self) -> frozenset[int]:
        """All times, in minutes since midnight."""
        return frozenset(minute for one in self.values for minute in one.times)

    def and_of(self, others: Iterable["Held"]) -> "Held":
        """Return the values of these texts and of the others."""
        together = [self, *others]
        return Held(
            tuple(one for held in together for one in held.values),
            tuple(table for held in together for table in held.tables),
        )


def held_in(text: str, language: str) -> Held:
    """Return what a text holds."""
    return Held((values(text, language),), tables_in(text, language))


def is_free(number: Number) -> bool:
    """Tell whether a number needs no evidence: a small count without a unit."""
    return (
        not number.unit
        and number.sign != "-"
        and all(amount <= FREE and amount == int(amount) for amount in number.amounts)
    )


def is_held(
    number: Number, held: Held, reckonable: set[Decimal] | frozenset[Decimal], spans: set[int], *, hedged: bool
) -> bool:
    """Tell whether a number is in the evidence, or follows from its dates, times or computable amounts."""
    if any(agree(number, other, hedged=hedged) for other in held.numbers):
        return True
    if number.unit == "day" and any(amount in spans for amount in number.amounts):
        return True
    if number.may_be_part and not number.amounts.isdisjoint(_parts(held)):
        return True
    if not number.amounts.isdisjoint(_as_decimals(held.dates)):
        return True
    return any(_is_near(amount, other, number, hedged=hedged) for amount in number.amounts for other in reckonable)


def _parts(held: Held) -> set[int]:
    """Return the days, months and years of dates, and the hours and minutes of times."""
    of_dates = {part for day in held.dates for part in day if part}
    return of_dates | {part for minute in held.times for part in divmod(minute, 60)}


def agree(number: Number, other: Number, *, hedged: bool) -> bool:
    """Tell whether two numbers may be the same; "about 20" agrees with 19.5 (`hedged`)."""
    if {number.sign, other.sign} == {"-", "+"}:
        return False
    if not compatible(number.unit, other.unit):
        return not in_seconds(number).isdisjoint(in_seconds(other))
    return any(_is_near(amount, held, number, hedged=hedged) for amount in number.amounts for held in other.amounts)


def _is_near(amount: Decimal, held: Decimal, number: Number, *, hedged: bool) -> bool:
    # 1.88 million may round 1,875,000, and 20.8 percent 20.8333. One hour rounds no half hour.
    rounded = number.step / 2
    if number.step == 1:
        rounded = min(rounded, held * _ROUGHLY) if held != int(held) else Decimal(0)
    return abs(amount - held) <= max(rounded, held * _ROUGHLY if hedged else Decimal(0))


def is_held_day(day: Day, held: Held) -> bool:
    """Tell whether a date is in the evidence, as a date or in parts."""
    if any(same_day(day, other) for other in held.dates):
        return True
    # "From 3 January 2026 to the 15th" gives the month and the year, and the 15 alone.
    year, month, number = day
    near = [other for other in held.dates if other[1] == month] if month else [(0, 0, 0)]
    parts = {0, *held.parts}
    is_there = any(year in ({0, other[0]} if other[0] else parts) and number in {*parts, other[2]} for other in near)
    return is_there or not held.amounts.isdisjoint(_as_decimals([day]))


def _as_decimals(days: Iterable[Day]) -> set[Decimal]:
    """Return the numbers that dates without a year may be: "3.12." ends a sentence about a version, or is a day."""
    return {
        Decimal(written)
        for year, month, number in days
        if not year
        for written in (f"{number}.{month}", f"{number}.{month:02}")
    }


def is_timed(minute: int, held: Held, said: Values, follows: bool) -> bool:  # noqa: FBT001 - It is passed on.
    """Tell whether a time is in the evidence or, if `follows`, a stated span before or after a time there."""
    hour, rest = divmod(minute, 60)
    is_there = minute in held.times or (not rest and not held.parts.isdisjoint((hour, hour % 12)))
    return is_there or (follows and may_follow_at(minute, held.times, [*held.numbers, *said.numbers]))


def may_follow(day: Day, known: Iterable[Day], spans: Iterable[Number], today: date | None) -> bool:
    """Tell whether a date, maybe without its year, is a known or nearby day, or a span before or after one."""
    around = [today + timedelta(days=days) for days in range(-_AROUND_TODAY, _AROUND_TODAY + 1)] if today else []
    begins = {*around, *(date(*one) for one in known if all(one))}
    spans = list(spans)
    later = (moved for begin in begins for span in spans for moved in _moved(begin, span))
    return any(same_day(day, (one.year, one.month, one.day)) for one in (*begins, *later))


def may_follow_at(minute: int, known: Iterable[int], spans: Iterable[Number]) -> bool:
    """Tell whether a minute of the day is a known one, plus or minus a span of hours or minutes."""
    minutes = {
        int(amount * SECONDS[span.unit] / SECONDS["minute"])
        for span in spans
        if span.unit in ("hour", "minute")
        for amount in span.amounts
    }
    return any(
        (one + sign * span - minute) % _MINUTES_A_DAY == 0 for one in known for span in minutes for sign in (1, -1)
    )


def _moved(begin: date, span: Number) -> Iterable[date]:
    for amount in span.amounts:
        if months := _whole(amount * _MONTHS_IN.get(span.unit, 0), _LONGEST_MONTHS):
            yield from (_by_months(begin, sign * months) for sign in (1, -1) if _is_in_range(begin, sign * months))
        if days := _whole(amount * _DAYS_IN.get(span.unit, 0), _LONGEST_DAYS):
            yield from (begin + timedelta(days=sign * days) for sign in (1, -1))


def _whole(amount: Decimal, longest: int) -> int:
    return int(amount) if 0 < amount <= longest and amount == int(amount) else 0


def _is_in_range(begin: date, months: int) -> bool:
    return date.min.year < begin.year + months // 12 < date.max.year


def _by_months(begin: date, months: int) -> date:
    year, month = divmod(begin.year * 12 + begin.month - 1 + months, 12)
    return date(year, month + 1, min(begin.day, monthrange(year, month + 1)[1]))
