"""Days and times that follow from others by a span that is said: "two months after 22 November" (pure)."""

from calendar import monthrange
from collections.abc import Iterable
from datetime import date, timedelta
from decimal import Decimal

from graph.text.quantities import SECONDS
from graph.text.values import Day, Number, same_day

_MONTHS_IN = {"month": 1, "year": 12}
_DAYS_IN = {"day": 1, "week": 7}
_MINUTES_A_DAY = 1440
_LONGEST_MONTHS = 1200
_LONGEST_DAYS = 36_600
_AROUND_TODAY = 7
"""Days before and after today that "last Sunday" and "tomorrow" may mean."""


def may_follow(day: Day, known: Iterable[Day], spans: Iterable[Number], today: date | None) -> bool:
    """Tell whether a day, or what is said of it, is a known day or one near today, a span earlier or later."""
    around = [today + timedelta(days=days) for days in range(-_AROUND_TODAY, _AROUND_TODAY + 1)] if today else []
    begins = {*around, *(date(*one) for one in known if all(one))}
    spans = list(spans)
    later = (moved for begin in begins for span in spans for moved in _moved(begin, span))
    return any(same_day(day, (one.year, one.month, one.day)) for one in (*begins, *later))


def may_follow_at(minute: int, known: Iterable[int], spans: Iterable[Number]) -> bool:
    """Tell whether a minute of the day is a known one, some hours or minutes earlier or later."""
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
