"""On which weekdays a place is open, as far as its hours tell (pure)."""

from typing import Final

from graph import patterns
from graph.text.words import without_accents

DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEEK: Final = len(DAYS)

_NAMES: Final = {
    0: "mo mon monday mondays montag montags segunda seg",
    1: "tu tue tues tuesday tuesdays di dienstag dienstags terca ter",
    2: "we wed weds wednesday wednesdays mi mittwoch mittwochs quarta qua",
    3: "th thu thur thurs thursday thursdays do donnerstag donnerstags quinta qui",
    4: "fr fri friday fridays freitag freitags sexta sex",
    5: "sa sat saturday saturdays samstag samstags sonnabend sabado sab",
    6: "su sun sunday sundays so sonntag sonntags domingo dom",
}
_DAY_OF: Final = {name: day for day, names in _NAMES.items() for name in names.split()}
_SPANS: Final = {
    "daily": range(WEEK),
    "everyday": range(WEEK),
    "taglich": range(WEEK),
    "diariamente": range(WEEK),
    "weekdays": range(5),
    "werktags": range(6),
    "weekend": range(5, WEEK),
    "weekends": range(5, WEEK),
    "wochenende": range(5, WEEK),
}
_ALWAYS: Final = patterns.compile(r"24\s*/\s*7|every ?day|all week")
_FEIRA: Final = patterns.compile(r"-feira\b")
_CLOSED: Final = patterns.compile(r"\b(?:closed|off|geschlossen|fechad[oa]|ruhetag)\b")
_PART: Final = patterns.compile(r"[;\n|/,]")
_SAYS_WHEN: Final = patterns.compile(
    r"\d|[a-z]\s*[-–—]\s*[a-z]|\b(?:to|bis|ate|through|daily|weekdays|taglich|diariamente)\b"
)
_EXCEPT: Final = patterns.compile(r"\b(?:except|but not|ausser|exceto)\b")
_DOUBTFUL: Final = frozenset({"so", "do", "a"})
"""Days that are also other words: they count beside a number or a range only."""
_TOKEN: Final = patterns.compile(r"(?P<word>[a-z]+)|(?P<to>[-–—])|(?P<number>\d+)")
_TO: Final = frozenset({"to", "bis", "a", "ate", "through"})


def open_days(hours: str) -> list[int] | None:
    """Return the weekdays (0: Monday) on which hours such as "Mo-Fr 7-18; Sat 9-13, Su closed" say it is open.

    Return `None` if they name no day. A day that they leave out is closed, unless they say only when it is closed.
    """
    plain = _EXCEPT.sub(", closed", _FEIRA.sub("", without_accents(hours.casefold())))
    if _ALWAYS.search(plain):
        return list(range(WEEK))
    opened: set[int] = set()
    closed: set[int] = set()
    waiting: set[int] = set()
    for part in _PART.split(plain):
        days = _days_in(part)
        if _CLOSED.search(part):
            # As in "Sat, Sun closed".
            closed |= days | waiting
            waiting = set()
        elif _SAYS_WHEN.search(part):
            opened |= days | waiting
            waiting = set()
        else:
            waiting |= days
    opened |= waiting
    if closed and not opened:
        opened = set(range(WEEK))
    return sorted(opened - closed) if opened else None


def _days_in(part: str) -> set[int]:
    days: set[int] = set()
    last, is_range = None, False
    is_plain = bool(_SAYS_WHEN.search(part) or _CLOSED.search(part))
    for found in _TOKEN.finditer(part):
        word = found["word"]
        if found.has("to") or word in _TO:
            is_range = last is not None
        elif word in _DAY_OF and (word not in _DOUBTFUL or is_plain):
            day = _DAY_OF[word]
            days |= _from_to(last, day) if is_range and last is not None else {day}
            last, is_range = day, False
        else:
            days.update(_SPANS.get(word, ()))
            last, is_range = None, False
    return days


def _from_to(first: int, last: int) -> set[int]:
    """Return the days of a range; one from Friday to Monday goes over the weekend."""
    return {day % WEEK for day in range(first, last + 1 if last >= first else last + WEEK + 1)}
