"""Finds a document's date in its front matter, name or first lines, in many languages."""

import unicodedata
from collections.abc import Iterator
from datetime import date
from functools import cache

from babel import Locale

from graph import patterns
from graph.calendar.dates import Dates

_KEYS = (
    "updated",
    "last_updated",
    "modified_time",
    "effective",
    "reviewed",
    "dated",
    "date",
    "stand",
    "datum",
    "data",
    "fecha",
    "published_time",
    "published",
)
_LANGUAGES = (
    "ca", "cs", "da", "de", "de_AT", "el", "en", "en_GB", "es", "et", "fi", "fr", "hr", "hu", "id", "it", "lt", "nb",
    "nl", "pl", "pt", "pt_PT", "ro", "ru", "sk", "sl", "sv", "tr", "uk",
)  # fmt: skip
_DATING_WORDS = patterns.compile(
    r"\b(?:updated|effective|revised|reviewed|valid|published|printed|as of|dated?|version (?:of|vom|du)"
    r"|stand|aktualisiert|geändert|überarbeitet|gültig|veröffentlicht|gedruckt|datum|fassung vom"
    r"|ac?tuali[sz]a(?:d[oa]|ção|ción)|revi(?:st[oa]|sad[oa]|são|sión)|vigente|vigência|em vigor|en vigor"
    r"|válid[oa]|publicad[oa]|versão de|versión de|data|fecha"
    r"|mise? à jour|révisée?|en vigueur|valable|publiée?|aggiornat[oa]|valid[oa]|bijgewerkt|geldig)\b",
    patterns.IGNORE_CASE,
)
_UNTIL = patterns.compile(
    r"\b(?:until|till|to|through|bis|até|hasta|jusqu['’]au)(?:\s+\w+)?\s+\d"
    r"|(?:^|[\s(])\d[\d./-]*(?:st|nd|rd|th|er)?(?:\s+[^\W\d]+\.?(?:,?\s+\d{4})?)?(?P<dash>\s-|\s?[–—])",
    patterns.IGNORE_CASE,
)
"""What the end of a term begins with. A document that holds until 2027 is not from 2027.

A dash is the end of a term only behind its beginning: "1 May – 30 September", but "Updated – 1 May".
"""
_WRITTEN = (
    r"(?:\b(?:updated|revised|reviewed|aktualisiert|geändert|überarbeitet|bijgewerkt|herzien"
    r"|ac?tuali[sz](?:ad[oa]|ação|ación)|revi(?:sad[oa]|são|sión)|mise? à jour|révisée?|aggiornat[oa]|rivist[oa]"
    r"|stand:|(?:version|versão|versión|versione|fassung|revision|revisão|revisión) \d[\d.]*"
    r"|(?:version|versão|versión|versione|fassung) (?:of|vom|von|du|de|del|di))"
    r"|(?:^|[(\[])\W{0,4}(?:as of|stand)\b)"
)
"""What says when a text was written. "As of" and "stand" say so at the beginning of a line: "as of 2030" is a plan."""
_JOINING = r"(?:in|on|at|the|of|from|im|am|vom|von|den|der|em|en|de|du|del|di|le|il|el|op|d)"
_SEASON = r"(?:spring|summer|autumn|fall|winter|frühjahr|frühling|sommer|herbst)"
_YEARS_APART = 2
"""A rule may be announced a year before it holds."""
_BESIDE = 40
"""The characters after such a word in which its date stands, on the same line."""
_BEGINNING = 2000
"""The first characters of a document, which may hold its date. Later dates belong to the content."""


def is_contradicted(saved: str, text: str) -> bool:
    """Tell whether a text says of itself that it was written years after the time of its last save.

    Who fills in a template by a program leaves the template's time, and "Version 3, April 2026" is from no 2021.
    """
    if not saved[:4].isdigit():
        return False
    years = [int(found["day"] or found["alone"]) for found in _written_in().finditer(text[:_BEGINNING])]
    return max(years, default=0) >= int(saved[:4]) + _YEARS_APART


def date_of(attributes: dict[str, str], path: str, text: str, language: str = "en") -> str | None:
    """Return the document's ISO date; `None` if it has none."""
    dates = (_date(attributes[key], language) for key in _KEYS if key in attributes)
    named = next((day for day in dates if day), None) or _date(path, language)
    if named:
        return named
    return next((day for beside in _beside_dating_words(text[:_BEGINNING]) if (day := _date(beside, language))), None)


def _beside_dating_words(text: str) -> Iterator[str]:
    """Yield what stands beside words such as "updated", without the end of a term."""
    for word in _DATING_WORDS.finditer(text):
        beside = text[word.end() : word.end() + _BESIDE].partition("\n")[0]
        end = _UNTIL.search(beside)
        yield beside[: end.start("dash") if end.has("dash") else end.start()] if end else beside


@cache
def _written_in() -> patterns.Pattern:
    """Return the pattern of the year in which a text was written: only a month, numbers and signs stand before it."""
    names = {name for language in _LANGUAGES for name, _ in _named_in(language) if _is_latin(name)}
    months = "|".join(sorted(map(patterns.escape, names), key=len, reverse=True))
    apart = r"[^\w\n]{1,3}"
    part = rf"(?:{months}|{_SEASON}|\d{{1,2}}(?:st|nd|rd|th|er)?){apart}(?:{_JOINING}{apart})?"
    # Without a month, more words may follow: "our updated 2030 targets".
    year = rf"(?:(?:{part}){{1,3}}(?P<day>20\d\d)\b|(?P<alone>20\d\d)(?:-\d\d)?[ \t]*(?:[^\w\s]|$))"
    return patterns.compile(
        rf"{_WRITTEN}[^\w\n]{{0,5}}(?:{_JOINING}{apart}){{0,2}}{year}", patterns.IGNORE_CASE + patterns.MULTI_LINE
    )


def _is_latin(name: str) -> bool:
    """Tell whether patterns read a name's letters apart: those of other scripts look all alike."""
    return all(unicodedata.name(sign, "").startswith("LATIN") for sign in name if sign.isalpha())


def _date(text: str, language: str) -> str | None:
    """Return the first whole date whose year is written out; in English, 02/03/2026 may be two days."""
    for found in _dates(language).find(text):
        days = [day for day in found.days if all(day) and f"{day[0]}" in text[found.begins : found.ends]]
        if days and (len(days) == 1 or language != "en"):
            return date(*days[0]).isoformat()
    return None


@cache
def _dates(language: str) -> Dates:
    return Dates(_months(language), together=True)


@cache
def _months(language: str) -> dict[str, int]:
    """Return months by name: the language's own names, and unambiguous names of other languages."""
    everywhere: dict[str, set[int]] = {}
    for name, month in (pair for other in _LANGUAGES for pair in _named_in(other)):
        everywhere.setdefault(name, set()).add(month)
    own = dict(_named_in(language)) if language in _LANGUAGES else {}
    return {name: month for name, (month, *others) in everywhere.items() if not others} | own


@cache
def _named_in(language: str) -> tuple[tuple[str, int], ...]:
    months = Locale.parse(language).months
    return tuple(
        (name.rstrip(".").casefold(), month)
        for use in ("stand-alone", "format")
        for width in ("abbreviated", "wide")
        for month, name in months[use][width].items()
        if not name.isdecimal()
    )
