"""The end of a term, reckoned from a day in the question and a rule that is quoted to it (pure).

"Bought on 10 April 2026, until when may she use it?" and "valid for 6 months" leave only this to the reader.
"""

from datetime import date
from typing import Final

from dateutil.relativedelta import relativedelta

from bot.models.offline.writing.statements import Statement
from graph import patterns
from graph.text.values import values
from graph.text.wording import day_in, spoken
from graph.text.words import language_of, stems

_ASKS_FOR_AN_END = patterns.compile(
    r"\b(?:when|until|till|up to|by what|how long|still|expires?|latest|due|deadline|wann|wie lange|noch|spätestens"
    r"|quando|até|quanto tempo|ainda|expira|prazo)\b",
    patterns.IGNORE_CASE,
)
_WORKING = patterns.compile(r"\b(?:working|business|arbeitstag\w*|werktag\w*|úteis)\b", patterns.IGNORE_CASE)
"""How days are named that a calendar alone does not count."""
_UNIT = r"(?:days?|weeks?|months?|years?|tage?n?|wochen?|monate?n?|jahre?n?|dias?|semanas?|m[eê]s(?:es)?|anos?)\b"
_NO_TERM = patterns.compile(
    rf"\b(?:every|each|jede[nrs]?|alle|cada)\s+(?:\w+\s+)?{_UNIT}"
    r"|\b(?:yearly|annually|monthly|weekly|jährlich|monatlich|wöchentlich|anualmente)\b"
    r"|\b(?:older|younger|more|less|longer|mehr|weniger|länger|älter|jünger|mais|menos) (?:than|als|d[eo]|que)\b"
    r"|\b(?:at least|at most|over|under|up to|mindestens|höchstens|über|unter|bis zu|pelo menos|no máximo|até) "
    rf"(?:[^\s,;:!?]+ ){{1,6}}{_UNIT}",
    patterns.IGNORE_CASE,
)
"""What a span belongs to that repeats or is a bound: "every two years", "if it is older than 30 months"."""
_SPANS: Final = ("day", "week", "month", "year")
_BEFORE = 30
"""Characters before a day that tell what happened on it."""


def end_of_term(question: str, quotations: list[Statement]) -> str:
    """Return when the term ends that the best quotation with one names, cited; empty if nothing is to be reckoned."""
    if not _ASKS_FOR_AN_END.search(question):
        return ""
    terms = [(one, term) for one in quotations if (term := _term(one.text))]
    if not terms:
        return ""
    best, term = max(terms, key=lambda found: found[0].score)
    try:
        begin = _begin(question, best.text)
        end = begin + term if begin else None
    except (ValueError, OverflowError):
        # There is no such day.
        return ""
    if begin is None or end is None:
        return ""
    language = language_of(question)
    days = {"day": day_in(begin, language), "end": day_in(end, language)}
    return f"{spoken('Reckoned from {day}: {end}', language, **days)} [{best.number}].\n\n"


def _term(text: str) -> relativedelta | None:
    """Return the one whole span of days, weeks, months or years that a text names, neither repeated nor a bound."""
    spans = [number for number in values(text).numbers if number.unit in _SPANS]
    if len(spans) != 1 or len(spans[0].amounts) != 1 or _WORKING.search(text) or _NO_TERM.search(text):
        return None
    amount, unit = next(iter(spans[0].amounts)), spans[0].unit
    counted = {f"{one}s": int(amount) if one == unit else 0 for one in _SPANS}
    # The stubs know no names that are computed.
    return relativedelta(**counted) if amount == int(amount) else None  # pyright: ignore[reportArgumentType]


def _begin(question: str, rule: str) -> date | None:
    """Return the day that a question names; of several, the one of what the rule counts from, such as an invoice.

    Raises `ValueError` if there is no such day.
    """
    written = values(question).texts
    days = {day: text for day, text in written.items() if isinstance(day, tuple) and all(day)}
    if len(days) > 1:
        named = stems(rule)
        days = {day: text for day, text in days.items() if named & stems(_before(question, text))}
    return date(*next(iter(days))) if len(days) == 1 else None


def _before(question: str, day: str) -> str:
    place = question.find(day)
    return question[max(0, place - _BEFORE) : place]
