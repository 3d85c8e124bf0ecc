"""Reckons with dates: days, working days without public holidays, weekdays and time zones (pure)."""

from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import holidays
from babel import Locale
from dateutil.relativedelta import relativedelta

from graph.tools import ToolError

LARGEST_AMOUNT = 100_000
LONGEST_YEARS = 100
"""Working days are counted one by one."""
_LANGUAGES = ("en", "de", "pt")


def reckoned(arguments: dict[str, str]) -> str:
    """Return a sentence with the result. `operation` is days, working_days, add, weekday or time.

    Dates are ISO. Raises `ToolError` if an argument is missing or wrong.
    """
    try:
        return _of_operation(arguments)
    except (KeyError, ValueError, OverflowError, NotImplementedError) as error:
        raise ToolError("The dates cannot be reckoned with.") from error


def _of_operation(arguments: dict[str, str]) -> str:
    match arguments.get("operation"):
        case "days":
            begin, end = _span(arguments)
            days = (end - begin).days
            return f"From {_day(begin)} to {_day(end)} is {_counted(days, 'day')}, or {days + 1} if both days count."
        case "working_days":
            return _working_days(arguments)
        case "add":
            return _added(arguments)
        case "weekday":
            day = date.fromisoformat(arguments["from"])
            return f"{_day(day)} is a {day:%A}."
        case "time":
            return _in_zone(arguments)
        case _:
            raise ToolError("There is no such operation.")


def _working_days(arguments: dict[str, str]) -> str:
    begin, end = _span(arguments)
    calendar, note = _calendar(arguments)
    days = calendar.get_working_days_count(begin, end)
    return f"From {_day(begin)} to {_day(end)}, both included, is {_counted(days, 'working day')} ({note})."


def _added(arguments: dict[str, str]) -> str:
    begin, amount, unit = date.fromisoformat(arguments["from"]), int(arguments["amount"]), arguments["unit"]
    if abs(amount) > LARGEST_AMOUNT:
        raise ToolError("The amount is too large.")
    note = ""
    if unit == "working_days":
        calendar, said = _calendar(arguments)
        end, note = calendar.get_nth_working_day(begin, amount), f" ({said})"
    else:
        spans = {
            "days": relativedelta(days=amount),
            "weeks": relativedelta(weeks=amount),
            "months": relativedelta(months=amount),
            "years": relativedelta(years=amount),
        }
        end = begin + spans[unit]
    side = "after" if amount >= 0 else "before"
    counted = _counted(abs(amount), unit.replace("_", " ").removesuffix("s"))
    return f"{counted} {side} {_day(begin)} is {_day(end)}{note}."


def _in_zone(arguments: dict[str, str]) -> str:
    zone, other = ZoneInfo(arguments["zone"]), ZoneInfo(arguments["to_zone"])
    written = datetime.fromisoformat(arguments["from"])
    if written.tzinfo:
        raise ToolError("The time has an offset, which its zone may contradict.")
    given = written.replace(tzinfo=zone)
    there = given.astimezone(other)
    return f"{given:%H:%M} on {_day(given)} in {zone.key} is {there:%H:%M} on {_day(there)} in {other.key}."


def _span(arguments: dict[str, str]) -> tuple[date, date]:
    begin, end = sorted(date.fromisoformat(arguments[name]) for name in ("from", "to"))
    if end - begin > timedelta(days=366 * LONGEST_YEARS):
        raise ToolError("The span is too long.")
    return begin, end


def _calendar(arguments: dict[str, str]) -> tuple[holidays.HolidayBase, str]:
    country = arguments.get("country", "").strip()
    if not country:
        return holidays.HolidayBase(), "Monday to Friday; public holidays are not taken off"
    calendar = _calendar_of(country)
    name = _territories("en").get(calendar.country, calendar.country)
    return calendar, f"without weekends and the national public holidays of {name}"


def _calendar_of(country: str) -> holidays.HolidayBase:
    """Return the calendar of a country by its code of two or three letters, or by its name."""
    try:
        calendar = holidays.country_holidays(country.upper())
    except NotImplementedError:  # The library has no such code.
        calendar = holidays.country_holidays(_code_of(country))
    # The library also has calendars of markets, such as that of New York's stock exchange.
    if getattr(calendar, "country", None) is None:
        raise ToolError("There is no such country.")
    return calendar


def _code_of(country: str) -> str:
    for language in _LANGUAGES:
        for code, name in _territories(language).items():
            if name.casefold() == country.casefold() and code.isalpha():
                return code
    raise ToolError("There is no such country.")


def _territories(language: str) -> dict[str, str]:
    names: Any = Locale(language).territories
    return dict(names)


def _day(day: date) -> str:
    return f"{day:%A}, {day.day} {day:%B} {day.year}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
