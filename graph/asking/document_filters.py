"""Which documents a question is for: whose, of which kind, and from when (pure).

Rules recognise only what is certain: "in the PDF", "in last month's minutes", "the notes by Ada". A model may say more.
"""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Final

from graph import patterns
from graph.calendar.names import DAYS, ENGLISH_MONTHS
from graph.passages import DocumentFilter
from graph.text.words import content_words

_IGNORE = patterns.IGNORE_CASE
_RECORDS: Final = (
    r"minutes|notes|reports?|newsletters?|memos?|announcements?|protocols?"
    r"|protokolle?n?|notizen|berichte?n?|rundbriefe?n?"
)
"""Documents that are written again and again, so that a time tells them apart."""
_TEXTS: Final = rf"{_RECORDS}|documents?|docs?|pages?|articles?|guides?|slides|handouts?"
_FILE = patterns.compile(
    r"\b(?:in|from|according to|im|aus dem|laut)\s+(?:(?:the|our|dem|der|den)\s+)?"
    r"(?P<kind>pdfs?|slides|slide deck|powerpoint|spreadsheet|excel)\b(?:\s+(?P<next>\w+))?",
    _IGNORE,
)
_NO_FILE: Final = frozenset({"format", "formats", "file", "files", "form", "export", "version", "viewer", "reader"})
"""Behind such a word it is asked how to make a file, not what one says."""
_WHEN: Final = (
    patterns.compile(
        rf"\b(?P<which>last|this) (?P<span>week|month|year)['’]s (?:\w+ )?(?P<kind>{_RECORDS})\b", _IGNORE
    ),
    patterns.compile(
        rf"\b(?P<kind>{_RECORDS})\s+(?:of|from|vom|aus dem|aus der|der|des)\s+"
        r"(?P<which>last|this|letzten?|vergangenen?|diese[mnrs]?)\s+(?P<span>week|month|year|woche|monats?|jahre?s?)\b",
        _IGNORE,
    ),
)
_BY = patterns.compile(
    rf"\b(?i:(?:{_TEXTS})(?: \w+)? (?:written )?(?:by|von)|(?:written|posted|published) by) "
    r"(?P<by>[A-Z][\w’'-]+(?: [A-Z][\w’'-]+)?)"
)
_POSSESSIVE: Final = patterns.compile("['’]s$")
_TIMES: Final = frozenset((*DAYS, *ENGLISH_MONTHS)) | frozenset(
    """
        spring summer autumn fall winter christmas easter new year years end noon midnight today tomorrow tonight now
        then next eod eow eom eoq eoy cob asap
        montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag januar februar märz mai juni juli
        oktober dezember frühling frühjahr sommer herbst weihnachten ostern pfingsten neujahr silvester ende mittag
        mitternacht heute morgen gestern anfang mitte
    """.split()
)
"""“Report by Friday” and “by Monday March 2” name nobody; “by April Jones” does."""
_BEHIND_TIMES: Final = frozenset({"eve", "day"})
"""“Christmas Eve” is a time; Eve alone has a name."""
_LONGEST_NAME: Final = 60


def filter_in(question: str, today: str) -> DocumentFilter | None:
    """Return which documents a question surely means; `None` if it may mean any. `today` is ISO."""
    only = DocumentFilter(by="", kind="", since="", until="")
    if (found := _FILE.search(question)) and (found["next"] or "").casefold() not in _NO_FILE:
        only["kind"] = found["kind"].casefold()
    if found := next(filter(None, (pattern.search(question) for pattern in _WHEN)), None):
        since, until = _span(found["which"].casefold(), found["span"].casefold(), date.fromisoformat(today))
        only |= DocumentFilter(by="", kind=found["kind"].casefold(), since=since, until=until)
    named = _POSSESSIVE.sub("", found["by"]) if (found := _BY.search(question)) else ""
    if not _is_time(named):
        only["by"] = named
    return only if any(only.values()) else None


def filter_of(arguments: Mapping[str, str], said: Sequence[str]) -> DocumentFilter | None:
    """Return the filter that a model asks for; `None` if it holds a word that nobody said, or no date."""
    by, kind = (arguments.get(name, "").strip()[:_LONGEST_NAME] for name in ("by", "kind"))
    since, until = (_day(arguments.get(name, "")) for name in ("since", "until"))
    only = DocumentFilter(by=by, kind=kind.casefold(), since=since, until=until)
    is_said = set(content_words(f"{by} {kind}")) <= set(content_words("\n".join(said)))
    is_ordered = not (since and until) or since <= until
    return only if is_said and is_ordered and any(only.values()) else None


def _is_time(named: str) -> bool:
    """Tell whether all words name a time; an empty name has no words."""
    said = named.split()
    if len(said) > 1 and said[-1].casefold() in _BEHIND_TIMES:
        said.pop()
    return all(map(_tells_time, said))


def _tells_time(word: str) -> bool:
    """Tell whether a word is a day, a month, a feast or a quarter ("Q3")."""
    return word.casefold() in _TIMES or any(letter.isdecimal() for letter in word)


def _span(which: str, span: str, today: date) -> tuple[str, str]:
    """Return the first and the last day of this or the last week, month or year."""
    begin = _beginning(span, today)
    end = today
    if which in ("last", "letzte", "letzten", "vergangene", "vergangenen"):
        end = begin - timedelta(days=1)
        begin = _beginning(span, end)
    return begin.isoformat(), end.isoformat()


def _beginning(span: str, day: date) -> date:
    if span.startswith("w"):
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if span.startswith("mon") else day.replace(month=1, day=1)


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text.strip()).isoformat()
    except ValueError:
        return ""
