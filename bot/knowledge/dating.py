"""Which day a document speaks of: said by its front matter, its name, or its first lines."""

import re
from datetime import date

_KEYS = (
    "updated",
    "last_updated",
    "modified_time",
    "effective",
    "reviewed",
    "dated",
    "date",
    "published_time",
    "published",
)
_ISO = re.compile(r"(?<!\d)(20\d\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?!\d)")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMED = "|".join(_MONTHS)
_DAY_FIRST = re.compile(rf"\b(?P<day>\d{{1,2}})\.? (?P<month>{_NAMED})[a-z]*\.? (?P<year>20\d\d)\b", re.IGNORECASE)
_MONTH_FIRST = re.compile(rf"\b(?P<month>{_NAMED})[a-z]*\.? (?P<day>\d{{1,2}}), (?P<year>20\d\d)\b", re.IGNORECASE)
_SAID = re.compile(
    r"(?:updated|effective|revised|reviewed|valid|published|as of|dated|date|version of|stand)\b[^\n]{0,40}",
    re.IGNORECASE,
)
_BEGINNING = 2000
"""Characters in which a document may date itself; further down, dates belong to the matter."""


def date_of(attributes: dict[str, str], path: str, text: str) -> str | None:
    """Return the document's ISO date, or none where it does not say."""
    said = (_date(attributes[key]) for key in _KEYS if key in attributes)
    named = next((day for day in said if day), None) or _date(path)
    return named or next((day for match in _SAID.finditer(text[:_BEGINNING]) if (day := _date(match[0]))), None)


def _date(text: str) -> str | None:
    if iso := _ISO.search(text):
        return _real(int(iso[1]), int(iso[2]), int(iso[3]))
    if named := _DAY_FIRST.search(text) or _MONTH_FIRST.search(text):
        return _real(int(named["year"]), _MONTHS.index(named["month"].lower()) + 1, int(named["day"]))
    return None


def _real(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None
