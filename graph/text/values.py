"""The values in a text, comparable whatever their format (pure).

"1,250k", "1.25 million" and "1 250 000" are one number, "15.01.2026" and "15 January 2026" one date, "4 pm" and
"16:00" one time. An ambiguous number, such as "1.500", has both readings.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import lru_cache
from itertools import product

from text_to_num import alpha2digit

from graph import patterns
from graph.calendar.dates import Dates, Day, blanked
from graph.calendar.names import MONTHS
from graph.text.lexicon import NUMBER_WORDS
from graph.text.quantities import (
    FAMILIES,
    LOOKED_AT,
    SCALED,
    SECONDS,
    UNSCALED,
    is_vague,
    scale_in,
    sign_of,
    stands_for_many,
    unit_after,
    unit_before,
    with_halves_in_digits,
    with_parts_in_digits,
)

_SPELLING = frozenset({"en", "de", "pt", "es", "fr"})
"""Languages whose number words are read."""
_ALSO_WORDS = frozenset({"may", "march", "mar"})
"""Month names that are ordinary words in lower case."""
_DATES = Dates(MONTHS, also_words=_ALSO_WORDS)
_TIME = patterns.compile(
    r"(?:^|[^\d.,:])(?P<it>(?P<hour>\d{1,2})(?:"
    r"(?:[:.h](?P<minute>[0-5]\d))?\s?(?P<half>[ap])\.?m\b\.?"
    r"|[:.](?P<german>[0-5]\d)\s?Uhr\b|\s?(?P<uhr>Uhr)\b"
    r"|[:h](?P<plain>[0-5]\d)))(?P<more>[\d:])?",
    patterns.IGNORE_CASE,
)
_GROUPED = r"\d{1,3}(?:[ '’]\d{3})+(?:[.,]\d+)?"
_NUMBER = patterns.compile(rf"(?P<it>{_GROUPED}|\d+(?:[.,]\d+)*)(?:\D|$)")
_LETTERS = patterns.compile(r"[^\W\d_]+")
_GAPS = str.maketrans("", "", f" \u00a0\u202f\u2009{patterns.APOSTROPHES}")
_NOT_A_VALUE = patterns.compile(r"https?://\S+|\b24/7\b|(?m:^\s*\d{1,2}[.)]\s)|#\d+")
_PARTS = ("日", "分")
"""The signs of a day of the month and a minute, which are those of days and minutes as well."""
_MARKED = "ǂ"
"""A letter that occurs in no word of these languages."""
_MINUTES_A_DAY = 1440


@dataclass(frozen=True)
class Number:
    """A number in a text."""

    text: str
    amounts: frozenset[Decimal]
    """Every reading, multiplied by the scale word."""
    unit: str = ""
    step: Decimal = Decimal(0)
    """The value of its last digit: 100,000 for 1.9 million."""
    sign: str = "+"
    """"-" below zero; empty if words beside it may say that it is, or not: "5 % less"."""
    may_be_part: bool = True
    """Whether it may be a part of a date or a time: it has no unit, or one as in "15日" and "9h"."""


@dataclass(frozen=True)
class Values:
    """The values of a text."""

    numbers: tuple[Number, ...] = ()
    dates: frozenset[Day] = frozenset()
    times: frozenset[int] = frozenset()
    """Minutes since midnight."""
    texts: dict[Day | int, str] = field(default_factory=dict["Day | int", str], compare=False)
    """The original text of each date and time."""
    rough: dict[Decimal, str] = field(default_factory=dict["Decimal", str], compare=False)
    """What stands for no number in particular, by the number that it is made of: "millions of people"."""


@lru_cache(maxsize=4096)
def values(text: str, language: str = "en") -> Values:
    """Return the values of a text. Remove its citations first."""
    rest, written, times = _calendar(_NOT_A_VALUE.sub(" ", text), " ")
    return Values(
        numbers=tuple(_numbers(_in_digits(rest, language))),
        dates=frozenset(written),
        times=frozenset(times),
        texts={**written, **times},
        rough=_rough(rest, language),
    )


def without_calendar(text: str) -> str:
    """Return a text with letters in place of dates and times, so that their digits are no numbers."""
    return _calendar(text, "x")[0]


def _calendar(text: str, filling: str) -> tuple[str, dict[Day, str], dict[int, str]]:
    """Return a text without dates and times, and the dates and times with their original text."""
    dates = _DATES.find(text)
    written = {day: text[one.begins : one.ends].strip() for one in dates for day in one.days}
    text = blanked(text, [(one.begins, one.ends) for one in dates], filling)
    clock = [match for match in _TIME.finditer(text) if not (match.has("plain") and match.has("more"))]
    clock = [match for match in clock if _minutes(match) <= _MINUTES_A_DAY]
    times = {_minutes(match): match[0] for match in clock}
    return blanked(text, [match.span() for match in clock], filling), written, times


def readings(written: str) -> frozenset[Decimal]:
    """Return every amount that digits with separators may mean; none for a version, such as 1.8.0."""
    plain = written.translate(_GAPS)
    marks = [sign for sign in plain if sign in ".,"]
    if len(set(marks)) > 1:
        decimal = marks[-1]
        plain = plain.replace("." if decimal == "," else ",", "").replace(",", ".")
        return frozenset({Decimal(plain)}) if plain.count(".") == 1 else frozenset()
    if len(marks) > 1:
        first, *groups = plain.replace(",", ".").split(".")
        is_grouped = all(len(group) == 3 for group in groups) and first  # noqa: PLR2004 - thousands
        return frozenset({Decimal(first + "".join(groups))}) if is_grouped else frozenset()
    if not marks:
        return frozenset({Decimal(plain)})
    as_decimal = Decimal(plain.replace(",", "."))
    first, group = plain.replace(",", ".").split(".")
    may_be_grouped = "1" <= plain[0] <= "9" and len(first) <= len(group) == 3  # noqa: PLR2004 - thousands
    return frozenset({as_decimal, Decimal(first + group)} if may_be_grouped else {as_decimal})


def same_day(one: Day, other: Day) -> bool:
    """Tell whether the second date has all parts of the first, with equal values."""
    return all(other_part == part for part, other_part in zip(one, other, strict=True) if part)


def compatible(unit: str, other: str) -> bool:
    """Tell whether two units may be the same; a missing unit may be any."""
    return not unit or not other or unit == other


def in_seconds(number: Number) -> frozenset[Decimal]:
    """Return a time span in seconds; empty for other units."""
    factor = SECONDS.get(number.unit)
    return frozenset(amount * factor for amount in number.amounts) if factor else frozenset()


def family(unit: str) -> str:
    """Return what a unit measures: "money", "time", "share"; empty for an unknown unit."""
    return FAMILIES.get(unit, "")


def days_between(dates: frozenset[Day]) -> set[int]:
    """Return the number of days between each two complete dates."""
    whole = [date(*day) for day in dates if all(day)]
    return {abs((one - other).days) for one, other in product(whole, whole) if one != other}


def _minutes(match: patterns.Match) -> int:
    minute = int(match["minute"] or match["german"] or match["plain"] or 0)
    hour = int(match["hour"])
    if match["half"]:
        hour = hour % 12 + (12 if match["half"].casefold() == "p" else 0)
    return hour * 60 + minute


def _in_digits(text: str, language: str) -> str:
    """Replace number words by digits, except scale words after digits, and those that are no number."""
    text = with_parts_in_digits(text)
    if language in _SPELLING:
        marked = _with_scales_marked(text)
        marked = UNSCALED.sub(lambda found: _unread(found, language), marked)
        text = alpha2digit(marked, language).replace(_MARKED, "")
    text = _LETTERS.sub(lambda match: NUMBER_WORDS.get(match[0].casefold(), match[0]), text)
    return with_halves_in_digits(text)


def _with_scales_marked(text: str) -> str:
    return SCALED.sub(lambda found: f"{found['digit']}{_MARKED}{found['word']}{_MARKED}", text)


def _rough(text: str, language: str) -> dict[Decimal, str]:
    """Return the scale words that are not read as a number, such as "hundreds" and "several thousand"."""
    if language not in _SPELLING:
        return {}
    unread = UNSCALED.finditer(_with_scales_marked(with_parts_in_digits(text)))
    said = (found for found in unread if stands_for_many(found) and not _counts(found, language))
    words = {found["word"]: alpha2digit(found["word"], language) for found in said}
    return {Decimal(worth): word for word, worth in words.items() if worth.isdecimal()}


def _counts(found: patterns.Match, language: str) -> bool:
    """Tell whether a number stands before a scale word: "three million"."""
    before = found["before"]
    return before.casefold() in NUMBER_WORDS or (bool(before) and alpha2digit(before, language) != before)


def _unread(found: patterns.Match, language: str) -> str:
    """Return a scale word so marked that it is not read, unless it is a number or ends one."""
    if not is_vague(found) or (_counts(found, language) and not found.has("half")):
        return found[0]
    begins, ends = found.span("word")
    return f"{found[0][: begins - found.start()]}{_MARKED}{found['word']}{_MARKED}{found[0][ends - found.start() :]}"


def _written(text: str) -> Iterator[patterns.Match]:
    """Yield the numbers of a text that are not part of a name such as A4 or RFC-12."""
    matches = _NUMBER.finditer(text)
    while match := next(matches, None):
        before = text[max(match.start() - 2, 0) : match.start()]
        if _is_in_a_name(before):
            first = next((place for place, letter in enumerate(match[0]) if not letter.isdecimal()), len(match[0]))
            matches = _NUMBER.finditer(text, match.start() + first)
        else:
            yield match


def _is_in_a_name(before: str) -> bool:
    """Tell by the two characters before digits whether these continue a name or a number."""
    first, last = before[:-1], before[-1:]
    joined = (last == "-" and first.isascii() and first.isalpha()) or (first.isdecimal() and last in (".", ","))
    is_letter = "À" <= last <= "ÿ" or (last.isascii() and last.isalpha())
    return joined or is_letter or last == "@" or last.isdecimal()


def _numbers(text: str) -> list[Number]:
    found: list[Number] = []
    for match in _written(text):
        amounts = readings(match[0])
        if not amounts:
            continue
        beside = text[match.end() : match.end() + 2 * LOOKED_AT]
        factor, length = scale_in(beside)
        unit = unit_after(beside[length:]) or unit_before(text[max(match.start() - LOOKED_AT, 0) : match.start()])
        # In "145 to 190 EUR" and "EUR 5–10" both numbers have the unit.
        written = text[match.start() : match.end() + length]
        decimals = max(-int(amount.as_tuple().exponent) for amount in amounts)
        found.append(
            Number(
                written.strip(),
                frozenset(amount * factor for amount in amounts),
                unit,
                Decimal(factor) / Decimal(10) ** decimals,
                sign=sign_of(text[max(match.start() - LOOKED_AT, 0) : match.start()], beside),
                may_be_part=not unit or _may_be_part(beside[length:]),
            )
        )
    return found


def _may_be_part(after: str) -> bool:
    bare = after.lstrip()
    return bare.startswith(_PARTS) or (bare.startswith("h") and not bare[1:2].isalpha())
