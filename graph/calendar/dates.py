"""Finds the dates in a text: "15.01.2026", "15 January 2026", "May 2024" (pure)."""

from collections.abc import Collection, Iterator, Mapping
from datetime import date
from typing import Final, NamedTuple, TypeAlias

from graph import patterns

Day: TypeAlias = tuple[int, int, int]
"""Year, month and day; 0 for a missing part."""


class Written(NamedTuple):
    """A date as a text has it."""

    begins: int
    ends: int
    days: tuple[Day, ...]
    """Every reading: 02/03/2026 is the second of March first, then the third of February."""


_YEAR: Final = r"(?:19|20)\d\d"
_MONTH: Final = r"(?:0[1-9]|1[0-2])"
_DAY: Final = r"(?:0[1-9]|[12]\d|3[01])"
_ENDING: Final = r"(?:st|nd|rd|th|er|[.ºª°])?"
_OF: Final = r"\s+(?:of\s+|del?\s+|d['’])?"
_IN_DIGITS: Final = tuple(
    patterns.compile(pattern)
    for pattern in (
        rf"(?:^|\D)(?P<it>(?P<year>{_YEAR})[-/](?P<month>{_MONTH})[-/](?P<day>{_DAY}))(?:\D|$)",
        rf"(?:^|[^\d.])(?P<it>(?P<day>\d{{1,2}})\.\s?(?P<month>\d{{1,2}})\.(?P<year>\s?{_YEAR}|\d\d)?)(?:\D|$)",
        rf"(?:^|\D)(?P<it>(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}})/(?P<year>{_YEAR}|\d\d))(?:\D|$)",
    )
)
_TOGETHER: Final = patterns.compile(
    rf"(?:^|[^\d.,])(?P<it>(?P<year>{_YEAR})(?P<month>{_MONTH})(?P<day>{_DAY}))(?:[^\d.,]|[.,](?:\D|$)|$)"
)
_JAPANESE_YEAR: Final = "年"
_IS_YEAR: Final = patterns.compile(_YEAR)
_TWO_DIGITS: Final = 100
_CENTURIES: Final = {True: 2000, False: 1900}
_LAST_OF_OURS: Final = 69
"""Most programs read two digits so: 69 is 2069, and 70 is 1970."""
_LEAP_YEAR: Final = 2000


class Dates:
    """Finds dates with the given names of months. A name that is also a word counts only with a capital.

    `together` also reads 20240503, which may be the number of an order instead.
    """

    def __init__(self, months: Mapping[str, int], *, also_words: Collection[str] = (), together: bool = False) -> None:
        self._months = months
        self._also_words = frozenset(also_words)
        name = rf"(?P<name>{'|'.join(sorted(map(patterns.escape, months), key=len, reverse=True))})\b\.?"
        after = rf"(?:,?{_OF}(?P<year>{_YEAR}))"
        with_names = (
            rf"(?:^|\D)(?P<it>(?P<day>\d{{1,2}}){_ENDING}{_OF}{name}{after}?)(?:\D|$)",
            rf"\b{name}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b{after}?",
            rf"\b{name}{after}",
        )
        in_digits = (*_IN_DIGITS, _TOGETHER) if together else _IN_DIGITS
        self._patterns = (*in_digits, *(patterns.compile(one, patterns.IGNORE_CASE) for one in with_names))

    def find(self, text: str) -> list[Written]:
        """Return the real dates of a text, in order."""
        found: list[Written] = []
        for pattern in (*self._patterns, None):
            more = [*(_japanese_dates(text) if pattern is None else self._by(pattern, text))]
            # What belongs to one date is no part of another, and no space between the parts of another.
            text = blanked(text, [(one.begins, one.ends) for one in more], "\0")
            found += more
        return sorted(found)

    def _by(self, pattern: patterns.Pattern, text: str) -> Iterator[Written]:
        begins = 0
        while match := next(pattern.finditer(text, begins), None):
            days = self._days(match)
            if days:
                yield Written(*match.span(), days)
            begins = match.end() if days else match.start() + 1

    def _days(self, match: patterns.Match) -> tuple[Day, ...]:
        name = match.get("name")
        # Patterns read "março" as "marco", so they also find the name Marco.
        if name in self._also_words or (name and name.casefold() not in self._months):
            return ()
        year = _year(match.get("year"))
        if match.get("a"):
            one, other = int(match["a"]), int(match["b"])
            days = [(year, other, one), (year, one, other)]
        else:
            month = self._months[name.casefold()] if name else int(match["month"])
            days = [(year, month, int(match.get("day") or 0))]
        return tuple(dict.fromkeys(day for day in days if _exists(day)))


def blanked(text: str, spans: list[tuple[int, int]], filling: str) -> str:
    """Return a text with the spans filled with one character."""
    parts: list[str] = []
    done = 0
    for begins, ends in spans:
        parts += [text[done:begins], filling * (ends - begins)]
        done = ends
    return "".join([*parts, text[done:]])


def _year(written: str) -> int:
    year = int(written or 0)
    return year + _CENTURIES[year <= _LAST_OF_OURS] if written and year < _TWO_DIGITS else year


def _exists(day: Day) -> bool:
    year, month, number = day
    try:
        date(year or _LEAP_YEAR, month or 1, number or 1)
    except ValueError:
        return False
    return True


def _japanese_dates(text: str) -> Iterator[Written]:
    """Yield dates such as 2024年3月1日, which patterns cannot find."""
    sign = text.find(_JAPANESE_YEAR)
    while sign >= 0:
        year = text[max(sign - 4, 0) : sign]
        month, ends = _counted(text, sign + 1, "月")
        number, ends = _counted(text, ends, "日")
        if _IS_YEAR.fullmatch(year) and _exists(day := (int(year), month, number)):
            yield Written(sign - len(year), ends, (day,))
        sign = text.find(_JAPANESE_YEAR, sign + 1)


def _counted(text: str, begins: int, sign: str) -> tuple[int, int]:
    """Return the number before a sign, and the sign's end; 0 if there is no number."""
    ends = text.find(sign, begins, begins + 3)
    digits = text[begins:ends] if ends >= 0 else ""
    return (int(digits), ends + 1) if digits.isdecimal() else (0, begins)
