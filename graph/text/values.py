"""The values in a text, compared by what they are worth and not by how they are written (pure).

"1,250k", "1.25 million" and "1 250 000" are one number, "15.01.2026" and "15 January 2026" one date, "4 pm" and
"16:00" one time. What can be read in two ways, such as "1.500", has both readings.
"""

import re
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import lru_cache
from itertools import product

from text_to_num import alpha2digit

from graph.text.lexicon import NUMBER_WORDS
from graph.text.quantities import FAMILIES, SCALES, SECONDS, scale_in, unit_after, unit_before
from graph.text.quantities import MONTHS as _MONTHS

_SPELLING = frozenset({"en", "de", "pt", "es", "fr"})
"""Languages whose spelled-out numbers are read."""
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_YEAR_AFTER = r"(?:,?\s+(?:de )?(?P<year>(?:19|20)\d\d))?"
_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<!\d)(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)(?!\d)",
        r"(?<![\d.])(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.(?P<year>(?:19|20)?\d\d)?(?!\d)",
        r"(?<!\d)(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<year>(?:19|20)?\d\d)(?!\d)",
        rf"(?<!\d)(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.|º)?\s+(?:de |of )?(?P<name>{_MONTH})\b\.?{_YEAR_AFTER}",
        rf"\b(?P<name>{_MONTH})\b\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b{_YEAR_AFTER}",
        rf"\b(?P<name>{_MONTH})\b\.?,?\s+(?:de\s+)?(?P<year>(?:19|20)\d\d)",
        r"(?P<year>(?:19|20)\d\d)年(?:(?P<month>\d{1,2})月)?(?:(?P<day>\d{1,2})日)?",
    )
)
_TIME = re.compile(
    r"(?<![\d.,:])(?P<hour>\d{1,2})(?:"
    r"(?:[:h](?P<minute>[0-5]\d)(?![\d:]))?\s?(?P<half>[ap])\.?m\b\.?"
    r"|[:.](?P<german>[0-5]\d)\s?Uhr\b|\s?(?P<uhr>Uhr)\b"
    r"|[:h](?P<plain>[0-5]\d)(?![\d:]))",
    re.IGNORECASE,
)
_GROUPED = r"\d{1,3}(?:[ \u00a0\u202f\u2009'’]\d{3})+(?!\d)(?:[.,]\d+)?"
_NUMBER = re.compile(rf"(?<![A-Za-zÀ-ÿ\d@])(?<![A-Za-z]-)(?<!\d[.,])(?:{_GROUPED}|\d+(?:[.,]\d+)*)")
_SCALED = re.compile(rf"(?<=\d)(\s?)({'|'.join(SCALES)})\b", re.IGNORECASE)
_NOT_A_VALUE = re.compile(r"https?://\S+|\b24/7\b|(?m:^\s*\d{1,2}[.)]\s)|#\d+")
_MARKED = "ǂ"
"""A letter that no word of these languages has."""
_ALSO_WORDS = frozenset({"may", "march", "mar"})
"""Months that are other words in lower case."""
_CENTURY = 2000
_TWO_DIGITS = 100

Day = tuple[int, int, int]
"""Year, month and day; 0 for what is not said."""


@dataclass(frozen=True)
class Number:
    """A number as it stands in a text."""

    text: str
    amounts: frozenset[Decimal]
    """Every reading, its scale word counted in."""
    unit: str = ""
    step: Decimal = Decimal(0)
    """What its last digit is worth: 1.9 million tells no more than 100,000."""


@dataclass(frozen=True)
class Values:
    """What a text holds."""

    numbers: tuple[Number, ...] = ()
    dates: frozenset[Day] = frozenset()
    times: frozenset[int] = frozenset()
    """Minutes since midnight."""
    texts: dict[Day | int, str] = field(default_factory=dict["Day | int", str], compare=False)
    """How a date or a time is written."""


@lru_cache(maxsize=4096)
def values(text: str, language: str = "en") -> Values:
    """Return the values of a text whose citations were taken out."""
    rest = _NOT_A_VALUE.sub(" ", text)
    written: dict[Day | int, str] = {}
    dates: set[Day] = set()
    for pattern in _DATES:
        for match in pattern.finditer(rest):
            found = _days(match)
            dates |= found
            written.update(dict.fromkeys(found, match[0].strip()))
        rest = pattern.sub(lambda match: " " * len(match[0]) if _days(match) else match[0], rest)
    times = {_minutes(match): match[0] for match in _TIME.finditer(rest)}
    rest = _TIME.sub(" ", rest)
    return Values(
        numbers=tuple(_numbers(_in_digits(rest, language))),
        dates=frozenset(dates),
        times=frozenset(times),
        texts={**written, **times},
    )


def without_calendar(text: str) -> str:
    """Return a text with a letter in the place of each date and time, so that their digits count for nothing."""
    for pattern in _DATES:
        text = pattern.sub(lambda match: _MARKED if _days(match) else match[0], text)
    return _TIME.sub(_MARKED, text)


def readings(written: str) -> frozenset[Decimal]:
    """Return every amount that digits with separators may mean; none for what is a version, such as 1.8.0."""
    plain = re.sub(r"[ \u00a0\u202f\u2009'’]", "", written)
    marks = re.findall(r"[.,]", plain)
    if len(set(marks)) > 1:
        decimal = marks[-1]
        plain = plain.replace("." if decimal == "," else ",", "").replace(",", ".")
        return frozenset({Decimal(plain)}) if plain.count(".") == 1 else frozenset()
    if len(marks) > 1:
        first, *groups = re.split(r"[.,]", plain)
        is_grouped = all(len(group) == 3 for group in groups) and first  # noqa: PLR2004 - thousands
        return frozenset({Decimal(first + "".join(groups))}) if is_grouped else frozenset()
    if not marks:
        return frozenset({Decimal(plain)})
    as_decimal = Decimal(plain.replace(",", "."))
    may_be_grouped = re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", plain)
    return frozenset({as_decimal, Decimal(re.sub(r"[.,]", "", plain))} if may_be_grouped else {as_decimal})


def same_day(one: Day, other: Day) -> bool:
    """Tell whether two dates agree in all that both say, and the second says all that the first does."""
    return all(other_part == part for part, other_part in zip(one, other, strict=True) if part)


def compatible(unit: str, other: str) -> bool:
    """Tell whether a number with one unit may be the number with the other: what has none may be of any."""
    return not unit or not other or unit == other


def in_seconds(number: Number) -> frozenset[Decimal]:
    """Return a span of time in seconds; nothing for what is none."""
    factor = SECONDS.get(number.unit)
    return frozenset(amount * factor for amount in number.amounts) if factor else frozenset()


def family(unit: str) -> str:
    """Return what a unit measures: "money", "time", "share"; empty for none."""
    return FAMILIES.get(unit, "")


def days_between(dates: frozenset[Day]) -> set[int]:
    """Return the days between any two of some dates that are whole."""
    whole = [date(*day) for day in dates if all(day)]
    return {abs((one - other).days) for one, other in product(whole, whole) if one != other}


def _days(match: re.Match[str]) -> set[Day]:
    parts = match.groupdict()
    if parts.get("name") in _ALSO_WORDS:
        return set()
    year = int(parts.get("year") or 0)
    year += _CENTURY if 0 < year < _TWO_DIGITS else 0
    if parts.get("a"):
        one, other = int(parts["a"]), int(parts["b"])
        found = {(year, one, other), (year, other, one)}
    else:
        month = _MONTHS[parts["name"].casefold()] if parts.get("name") else int(parts.get("month") or 0)
        found = {(year, month, int(parts.get("day") or 0))}
    return {day for day in found if _exists(day)}


def _exists(day: Day) -> bool:
    year, month, number = day
    try:
        date(year or _CENTURY, month or 1, number or 1)
    except ValueError:
        return False
    return True


def _minutes(match: re.Match[str]) -> int:
    minute = int(match["minute"] or match["german"] or match["plain"] or 0)
    hour = int(match["hour"])
    if match["half"]:
        hour = hour % 12 + (12 if match["half"].casefold() == "p" else 0)
    return hour * 60 + minute


def _in_digits(text: str, language: str) -> str:
    """Write the spelled-out numbers in digits; a scale word after digits stays what it is."""
    if language in _SPELLING:
        marked = _SCALED.sub(rf"\1{_MARKED}\2{_MARKED}", text)
        text = alpha2digit(marked, language).replace(_MARKED, "")
    return re.sub(r"[^\W\d_]+", lambda match: NUMBER_WORDS.get(match[0].casefold(), match[0]), text)


def _numbers(text: str) -> list[Number]:
    found: list[Number] = []
    for match in _NUMBER.finditer(text):
        amounts = readings(match[0])
        if not amounts:
            continue
        factor, length = scale_in(text[match.end() :])
        after = text[match.end() + length :]
        unit = unit_after(after) or unit_before(text[: match.start()])
        # Of "145 to 190 EUR" and "EUR 5–10" both have the unit.
        written = text[match.start() : match.end() + length]
        decimals = max(-int(amount.as_tuple().exponent) for amount in amounts)
        found.append(
            Number(
                written.strip(), frozenset(amount * factor for amount in amounts), unit,
                Decimal(factor) / Decimal(10) ** decimals,
            )
        )  # fmt: skip
    return found
