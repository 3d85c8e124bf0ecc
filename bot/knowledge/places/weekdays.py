"""On which weekdays a place is open, as far as its hours tell (pure)."""

from typing import Final

from graph import patterns
from graph.calendar.names import WEEK, WEEKDAYS
from graph.text.words import without_accents

_SHORT: Final = ("mo mon seg", "tu tue tues di ter", "we wed weds mi qua", "th thu thur thurs do qui", "fr fri sex",
                 "sa sat sab", "su sun so dom")  # fmt: skip
_DAY_OF: Final = {
    **{name: day for day, names in enumerate(_SHORT) for name in names.split()},
    **{f"{without_accents(name)}{ending}": day for name, day in WEEKDAYS.items() for ending in ("", "s")},
}
_SPANS: Final = {
    "daily": range(WEEK),
    "taglich": range(WEEK),
    "diariamente": range(WEEK),
    "weekdays": range(5),
    "werktags": range(6),
    "weekend": range(5, WEEK),
    "weekends": range(5, WEEK),
    "wochenende": range(5, WEEK),
}
_DAILY: Final = patterns.compile(
    r"\b(?:(?:every|each) ?day|all week|(?:7|seven) days|jeden tag|alle tage|todos os dias|todo dia)\b"
)
_HOURS: Final = r"(?:h|hours?|hrs?|std|stunden|horas?)"
_ALWAYS: Final = patterns.compile(
    rf"24\s*/\s*7|^\W*24\s*{_HOURS}\W*$|\b(?:open|offen|geoffnet|abert[oa])\s+24\s*{_HOURS}\b"
    rf"|\b24\s*{_HOURS}\s+(?:a day|open|offen|geoffnet)\b"
)
"""What says that a place never closes, as far as nothing else names days."""
_FEIRA: Final = patterns.compile(r"-feira\b")
_HALF: Final = patterns.compile(r"\b(?:a|p)\.\s?m\b\.?")
_BY_LETTER: Final = patterns.compile(r"\b[mtwf]\s*[-–—]\s*(?:[wf]|th|fri?|sat?|sun?)\b")
"""A range such as M-F, beside which other days are single letters, too. M-T and M-S have two readings."""
_LETTER: Final = patterns.compile(r"\b[mtwf]\b")
_LETTERS: Final = {"m": "mo", "t": "tu", "w": "we", "f": "fr"}
_WEEKEND_LETTER: Final = patterns.compile(r"\bs\b")
_EXCEPTED: Final = "except"
_CLOSED: Final = patterns.compile(rf"\b(?:closed|off|geschlossen|fechad[oa]|ruhetag|{_EXCEPTED})\b")
_OPEN: Final = patterns.compile(r"\b(?:open|offen|geoffnet|abert[oa])\b")
_NOT_OPEN: Final = patterns.compile(r"(?:\b(?:not|nicht|nao)|n['’]t)\s+(?:open|offen|geoffnet|abert[oa])\b")
_CLOSED_AT_TIMES: Final = patterns.compile(
    r"\b(?:closed|geschlossen|fechad[oa])\s+(?:at|from|after|before|until|till|between|by|ab|um|von|vor|nach|bis|zwischen"
    r"|a partir das|depois das|antes das|das|as|ate)\s+(?:\w+\s+)?(?:\d|noon|midday|midnight|mittag|meio)"
)
"""What says that a day is short. It is no closed day."""
_ABBREVIATES: Final = patterns.compile(
    rf"\b(?:{'|'.join(' '.join(_SHORT).split())})\.|\.\s+(?:and|und|u|e|or|oder|ou|to|bis|a|ate|through)\b"
)
"""What has a full stop that ends no sentence: "Mon. to Fri."."""
_SENTENCE_ENDS: Final = patterns.compile(r"(?P<it>\.\s+)[a-z]")
_CLAUSE: Final = patterns.compile(r"[;\n|]")
_PART: Final = patterns.compile(r"[/,]")
_SAYS_WHEN: Final = patterns.compile(
    r"\d|[a-z]\s*[-–—]\s*[a-z]|\b(?:to|bis|ate|through|daily|weekdays|taglich|diariamente)\b"
)
_BUT: Final = patterns.compile(r"\bdaily\s+but\b")
_EXCEPT: Final = patterns.compile(
    r"\b(?:except(?: for)?|excluding|apart from|other than|but not|ausser|ausgenommen|exceto|menos)\b"
)
_TIMES: Final = patterns.compile(r"^.*\d")
_TIME_OF_DAY: Final = patterns.compile(
    r"(?:^|[^\d-])\d{1,2}(?:[:h]\d\d|\s?(?:am|pm|uhr)\b|h?\s*(?:[-–—]|(?:to|bis)\b))"
)
"""No year and no date, such as "24/12"."""
_DOUBTFUL: Final = frozenset({"so", "do"})
"""Days that are also other words: they count beside a number or a range only."""
_TOKEN: Final = patterns.compile(r"(?P<word>[a-z]+)|(?P<to>[-–—])|(?P<number>\d+)")
_TO: Final = frozenset({"to", "bis", "a", "ate", "through"})


def open_days(hours: str) -> list[int] | None:
    """Return the weekdays (0: Monday) on which hours such as "Mo-Fr 7-18; Sat 9-13, Su closed" say it is open.

    A day that they leave out is closed, unless they say only when it is closed. Of "closed Sat 9-12", nobody knows what
    Saturday is: it is left out like a closed day if they name open days. Return `None` if no day is known to be open.
    """
    plain = _plain(hours)
    reader = _HoursReader()
    for clause in _CLAUSE.split(_ALWAYS.sub(" ", plain)):
        reader.end_list()
        for part in _PART.split(clause):
            reader.take(part)
    opened, closed, unclear = reader.days()
    if not opened and ((closed and not unclear) or _ALWAYS.search(plain)):
        opened = set(range(WEEK))
    known = opened - unclear
    return sorted(known - closed) if known else None


def _plain(hours: str) -> str:
    """Return hours without accents, with one word for "daily" and "closed", and with days of more than one letter."""
    plain = _HALF.sub("", _FEIRA.sub("", without_accents(hours.casefold())))
    plain = _SENTENCE_ENDS.sub("; ", _ABBREVIATES.sub(lambda found: found[0].replace(".", " "), plain))
    plain = _EXCEPT.sub(f", {_EXCEPTED} ", _BUT.sub("daily except", _DAILY.sub("daily", plain)))
    plain = _CLOSED_AT_TIMES.sub(" 0 ", _NOT_OPEN.sub(" closed", plain))
    if _BY_LETTER.search(plain) and not _WEEKEND_LETTER.search(plain):
        plain = _LETTER.sub(lambda found: _LETTERS[found[0]], plain)
    return plain


class _HoursReader:
    """The days that the parts of hours say are open or closed, read one after the other."""

    def __init__(self) -> None:
        self._opened: set[int] = set()
        self._closed: set[int] = set()
        self._unclear: set[int] = set()
        """Days of which it is unclear whether they are closed."""
        self._waiting: set[int] = set()
        """Days of which a later part tells: "Sat, Sun closed"."""
        self._list: set[int] | None = None
        """What such days go on with if the last that was told is "closed on …": "closed Sat, Sun"."""
        self._is_open = False
        """Whether these days are said to be open: "open Sat, Sun"."""

    def days(self) -> tuple[set[int], set[int], set[int]]:
        """Return the open days, the closed ones, and those of which it is unclear."""
        self.end_list()
        return self._opened | self._waiting, self._closed, self._unclear

    def end_list(self) -> None:
        """Note that what comes is in no list of closed days."""
        if self._list is not None:
            self._tell(self._list, set())

    def take(self, part: str) -> None:
        """Read the next part."""
        if found := _CLOSED.search(part):
            after = part[found.end() :]
            opens = None if found[0] == _EXCEPTED else _OPEN.search(after)
            closed = after[: opens.start()] if opens else after
            self._take_closed(part[: found.start()], closed, excepted=found[0] == _EXCEPTED)
            if opens:
                self.end_list()
                self.take(after[opens.end() :])
        elif _SAYS_WHEN.search(part):
            # "Closed Sat, Sun, Mon-Fri 9-17": the times are those of their own part only.
            self.end_list()
            self._tell(self._opened, _days_in(part, is_sure=True))
        else:
            days, opens = _days_in(part, is_sure=False), _OPEN.search(part)
            if opens and _days_in(part[: opens.start()], is_sure=False):
                # "Mon open, Tue, Wed closed"
                self._tell(self._opened, days)
            else:
                self._is_open |= opens is not None
                self._waiting |= days

    def _take_closed(self, before: str, after: str, *, excepted: bool) -> None:
        """Read what stands on both sides of the word: "Sun closed", "closed on Sun", "Mon-Fri 9-17 Sat closed"."""
        times = _TIMES.search(before)
        nearest = before[times.end() :] if times else before
        days = _days_in(after, is_sure=True)
        # "Open Mon, Tue closed Wed"
        is_open = self._is_open or _OPEN.search(nearest) is not None
        beside = set[int]() if days and is_open else _days_in(nearest, is_sure=True)
        if self._is_open:
            self._tell(self._opened, set())
        if days and (excepted or not (beside and _TIMES.search(after))):
            if beside and not (excepted or _SAYS_WHEN.search(before)):
                # Of "Tue closed Wed" nobody knows which day is closed.
                self.end_list()
                self._begin_list(self._unclear, days | beside)
                return
            self.take(before)
            self._tell(self._opened if self._list is None else self._list, set())
            # "Closed Sat 9-12" may be a short day.
            is_short = not excepted and _TIME_OF_DAY.search(after) is not None
            self._begin_list(self._unclear if is_short else self._closed, days)
            return
        if times:
            self.take(times[0])
        self._tell(self._closed, beside)
        if days:
            # "Tue closed Wed 9-12"
            self.take(after)

    def _begin_list(self, of: set[int], days: set[int]) -> None:
        self._tell(of, days)
        self._list = of

    def _tell(self, of: set[int], days: set[int]) -> None:
        of |= days | self._waiting
        self._waiting, self._list, self._is_open = set(), None, False


def _days_in(part: str, *, is_sure: bool) -> set[int]:
    days: set[int] = set()
    last, is_range = None, False
    for found in _TOKEN.finditer(part):
        word = found["word"]
        if found.has("to") or word in _TO:
            is_range = last is not None
        elif word in _DAY_OF and (word not in _DOUBTFUL or is_sure):
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
