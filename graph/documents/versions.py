"""Versions of one document: which passages a newer version replaces (pure).

A version has a mark: `v2`, `rev 3`, a year, a date, or a status such as "draft" at the end of its name. Documents with
the same title and different dates are versions too, and so are a document and the one that it says it is replaced by
("Status: superseded by ADR 16"). A bare number is no mark: "Shift 1" and "Shift 2" are two things,
and so are "Legacy systems" and "Systems". The minutes of two days are no versions either: what one says, the other need
not say.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from posixpath import join, normpath
from typing import NamedTuple, TypeAlias

from graph import patterns
from graph.calendar.names import MONTHS_IN_TITLES as _MONTHS
from graph.passages import Passage
from graph.text.words import stems

Mark: TypeAlias = tuple[str, ...]
"""A status (`draft`), a version number (`v`, `2`), or a date (`2024`, `3`, `15`)."""

Recency: TypeAlias = tuple[bool, str, tuple[int, ...]]
"""Whether a version is in force, its date, and the numbers of its marks: the greatest is the newest."""


class Edition(NamedTuple):
    """What tells the versions of a document apart."""

    path: str
    title: str
    dated: str
    status: str
    replaced_by: str
    """What the document calls the one that replaces it."""


_YEAR = r"(?:19[89]|20[0-4])\d"
_PART = rf"(?:{'|'.join(sorted(_MONTHS, key=len, reverse=True))}|q[1-4])"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_TWO_DIGITS = r"(?:0[1-9]|[12]\d|3[01])"
_GAP = r"[\s._/,-]+"
# One digit beside a year is no month: "Shift 1 2024".
_DATE = patterns.compile(
    rf"\b(?:(?:{_DAY}{_GAP})?(?:de\s+)?{_PART}{_GAP}(?:{_DAY}{_GAP})?(?:de\s+)?{_YEAR}"
    rf"|(?:{_TWO_DIGITS}[./-])?{_TWO_DIGITS}[./-]{_YEAR}"
    rf"|{_YEAR}{_GAP}{_PART}|{_YEAR}[._-]{_TWO_DIGITS}(?:[._-]{_TWO_DIGITS})?|{_YEAR}{_TWO_DIGITS}{_TWO_DIGITS}|{_YEAR})\b"
)
_NUMBERED = patterns.compile(
    r"\b(?:v|version|versão|fassung|rev|revision|revisão|edition|auflage)[\s.]*(\d+(?:\.\d+)*)\b"
)
_OUTDATED = frozenset(
    (
        "draft entwurf rascunho archive archived archiv superseded deprecated obsolete legacy outdated replaced retired"
        " expired previous old alt"
    ).split()
)
_STATUSES = _OUTDATED | {"new", "current", "latest", "final", "neu", "aktuell", "copy", "kopie"}
_STATUS = rf"(?:{'|'.join(sorted(_STATUSES, key=len, reverse=True))})"
_LAST = patterns.compile(rf"\b(?P<status>{_STATUS})(?:\W+(?:version|fassung|versão))?\W*$")
# Before a noun, most status words describe the subject: "Old town", "Archived projects", "New employees".
_FIRST = patterns.compile(
    r"^\W*(?:(?P<status>draft|entwurf|superseded|outdated|obsolete)\b|(?P<copy>copy|kopie)\s+(?:of|von)\b)"
)
# Each of them is about its own day, week or year. Patterns read "ã" as "a".
SERIAL = (
    r"(?:\b(?:minutes|meetings?|notes|reports?|(?:change)?logs?|agendas?|stand[ -]?ups?|retros?|retrospectives?"
    r"|digests?|post[ -]?mortems?|newsletters?|bulletins?|diary|diaries|journals?|rundbriefe?s?|notas|atas?|actas?"
    r"|boletins?|boletim|reuni(?:ão|ões|ón|ones)|diários?|relatórios?|informes?)"
    r"|(?:protokoll|bericht|tagebuch|sitzung|besprechung)(?:e|en|s)?)"
)
"""A pattern of the words for what comes again and again, such as minutes."""
_SERIAL = patterns.compile(rf"{SERIAL}$")
# What a release brings stands for itself, so its number is a day's: "Release notes v2.1", "What's new in v2.2".
_NEWS = patterns.compile(
    r"\b(?:(?:release|version|update) ?notes?|releases|change ?logs?|news|neuigkeiten|neuerungen|versionshinweise"
    r"|novidades|novedades|notas de (?:versão|versión|lançamento))$"
    # `unversioned` takes a last "new" for a status.
    r"|^(?:what (?:is|s)(?: new\b|$)|was ist neu\b|(?:o )?que há de novo\b)"
    r"|^(?:(?:release|version) notes|change ?log|versionshinweise|notas de (?:versão|versión|lançamento))\b"
)
# Beside such a name it is a release, without a "v", too. Elsewhere it may be a chapter.
_RELEASE = patterns.compile(r"\bv?(?P<number>\d+(?:\.\d+)+)\b")
# The noun before it says what a document is: "Minutes of the board", but "Rules for meetings" and "Notes for drivers".
_LINK = patterns.compile(
    r" (?:(?P<of>of|from|on|vom|von|der|des|da|das|de|do|dos|del)|for|to|in|für|zu|zur|zum|über|para|sobre)\b"
)
REPLACED = patterns.compile(
    r"[\W_]*(?:(?P<named>status)[\W_]+)?(?P<status>(?:(?P<sure>superseded|obsoleted)"
    r"|replaced|ersetzt|abgelöst|substituíd[oa]|remplacée?)\s+(?:by|durch|por|par)\s+(?P<by>\S.{1,100}))$",
    patterns.IGNORE_CASE,
)
"""A line in which a document says what replaces it. Without "status", that may be of a thing: of a filter."""
_LINKED = patterns.compile(r"\]\((?P<target>[^()\s#]+)")
_ORDINAL = patterns.compile(r"(\d+)(?:st|nd|rd|th)")
_IS_YEAR = patterns.compile(_YEAR)
_WORD = patterns.compile(r"[^\W_]+")

_NO_DIGITS = dict.fromkeys(map(ord, "0123456789"))


def is_version(value: str) -> bool:
    """Tell whether a value is only a version: "2024", "v2", "2024-03", "draft", "archive"."""
    marks, left = _read(value)
    return bool(marks) and not left


def unversioned(name: str) -> str:
    """Return a name's words without version marks, in lower case."""
    return " ".join(_read(name)[1])


def current(passages: list[Passage], question: str = "") -> list[Passage]:
    """Drop the passages that a newer version among them replaces.

    A version that the question names ("in 2022", "the draft") counts as the newest.
    """
    replaced = newest_versions(passages, question)
    return [passage for passage in passages if passage["document_id"] not in replaced]


def newest_versions(passages: list[Passage], question: str) -> dict[int, Passage]:
    """Return the first passage of the newest version, by the id of each document that it replaces."""
    # A document is replaced as a whole, so one passage of each is compared.
    first: dict[int, Passage] = {}
    for passage in passages:
        first.setdefault(passage["document_id"], passage)
    documents = list(first.values())
    editions = [_edition(passage) for passage in documents]
    # Versions share a name, and few documents do.
    namesakes: dict[tuple[int, str], list[int]] = {}
    for place, edition in enumerate(editions):
        for name in enumerate(_names_of(edition)):
            namesakes.setdefault(name, []).append(place)
    versions: dict[int, list[Passage]] = {}
    pairs = {pair for places in namesakes.values() for pair in combinations(places, 2)}
    replaced = [place for place, edition in enumerate(editions) if edition.replaced_by]
    pairs |= {(min(one, place), max(one, place)) for one in replaced for place in range(len(editions)) if one != place}
    for place, further in sorted(pairs):
        if _are_versions(editions[place], editions[further]):
            versions.setdefault(place, []).append(documents[further])
            versions.setdefault(further, []).append(documents[place])
    newest = {
        documents[place]["document_id"]: _newest(documents[place], of, question) for place, of in versions.items()
    }
    return {id_: passage for id_, passage in newest.items() if passage is not None}


def replacement(passage: Passage, passages: list[Passage], question: str = "") -> Passage | None:
    """Return a passage of the newest version of this passage's document; `None` if this one is the newest."""
    versions = [other for other in passages if are_versions(passage, other)]
    return _newest(passage, versions, question) if versions else None


def _newest(passage: Passage, versions: list[Passage], question: str) -> Passage | None:
    own = _rank(passage, question)
    newer = [other for other in versions if _rank(other, question) > own and not _names_old(passage, other, question)]
    return max(newer, key=lambda other: _rank(other, question)) if newer else None


def _names_old(old: Passage, new: Passage, question: str) -> bool:
    """Tell whether a question is for a document, although it says that another one replaces it: "Is ADR 12 valid?"."""
    if not _is_replaced(_edition(old), _edition(new)):
        return False
    return not stems(question).isdisjoint(stems(old["title"]) - stems(new["title"]))


def are_versions(one: Passage, other: Passage) -> bool:
    """Tell whether two passages are from two versions of one document."""
    return one["document_id"] != other["document_id"] and _are_versions(_edition(one), _edition(other))


def are_of_one_series(one: Passage, other: Passage) -> bool:
    """Tell whether two passages are from minutes of two days, or from the notes on two releases, of one name."""
    editions = _edition(one), _edition(other)
    return one["document_id"] != other["document_id"] and _share_a_name(*editions) and _are_of_two_days(*editions)


def tells_of_a_release(passage: Passage) -> bool:
    """Tell whether a passage is from the notes on a release."""
    return _tells_news(unversioned(passage["title"]))


def marks_of(passage: Passage) -> tuple[Mark, ...]:
    """Return the marks of a passage's document; its date if it has none."""
    marks = _marks(_edition(passage))
    return marks or tuple(_dated(found[0]) for found in _dates(passage.get("dated") or ""))


def _rank(passage: Passage, question: str) -> tuple[bool, Recency]:
    edition = _edition(passage)
    named = any(mark[: len(asked)] == asked for asked in marks_in(question) for mark in _marks(edition))
    return named, _recency(edition)


def _edition(passage: Passage) -> Edition:
    attributes = passage["attributes"]
    status = attributes.get("status", "")
    by = attributes.get("superseded_by") or attributes.get("superseded-by") or ""
    if status and not by and (found := REPLACED.match(status)):
        by = found["by"]
    return Edition(passage["path"], passage["title"], passage.get("dated") or "", status, by)


# Cached, because every question compares the same few documents.


@lru_cache(maxsize=4096)
def _are_versions(one: Edition, other: Edition) -> bool:
    if _is_replaced(one, other) or _is_replaced(other, one):
        return True
    return _share_a_name(one, other) and not _are_of_two_days(one, other)


@lru_cache(maxsize=4096)
def _is_replaced(one: Edition, other: Edition) -> bool:
    """Tell whether a document says that another one replaces it: by its file, its title, or the number it begins with.

    A number is one of the same folder, or of one within the other: each team may have its ADR 16.
    """
    if not one.replaced_by or one.path == other.path:
        return False
    place, file = other.path.rpartition("/")[::2]
    folder = one.path.rpartition("/")[0]
    if linked := _LINKED.search(one.replaced_by):
        return _leads_to(linked["target"], folder, other.path)
    said = _counted_words(one.replaced_by)
    names = [other.title, file.rsplit(".", 1)[0], f"{place.rpartition('/')[2]} {file}"]
    if any(_counted_words(name) == said for name in names):
        return bool(said)
    is_number = bool(said) and said[-1].isdecimal() and (_is_within(place, folder) or _is_within(folder, place))
    return is_number and any(_counted_words(name)[: len(said)] == said for name in names)


def _is_within(folder: str, other: str) -> bool:
    return not other or f"{folder}/".startswith(f"{other}/")


def _leads_to(target: str, folder: str, path: str) -> bool:
    """Tell whether a link of a document in a folder leads to a path. An address ends with its folder and file."""
    if "://" in target:
        return target.endswith(f"/{'/'.join(path.split('/')[-2:])}")
    return normpath(target[1:] if target.startswith("/") else join(folder, target)) == normpath(path)


def _counted_words(text: str) -> list[str]:
    """Return the words, with numbers as they are counted: "ADR-0016" is ADR 16."""
    return [part.lstrip("0") or "0" if part.isdecimal() else part for part in _words(text)]


def _share_a_name(one: Edition, other: Edition) -> bool:
    own, its = _names_of(one), _names_of(other)
    if own[0] != its[0] and own[1] != its[1]:
        return False
    return not _are_numbered_apart(own, its) and _told_apart(one, other) and _same_place(one, other)


def _are_of_two_days(one: Edition, other: Edition) -> bool:
    """Tell whether two names are of one series, such as minutes or newsletters, and of different dates or releases.

    A draft of minutes may have been saved on another day. So the date of a document counts only if no name has a mark.
    """
    marks = [_marks(edition) for edition in (one, other)]
    series = [_series_names(edition) for edition in (one, other)]
    are_news = all(any(map(_tells_news, _names_of(edition))) for edition in (one, other))
    days = [[mark for mark in its if _IS_YEAR.match(mark[0]) or (are_news and mark[0] == "v")] for its in marks]
    differ = days[0] != days[1] if any(marks) else one.dated != other.dated
    return differ and (are_news or all(any(map(_names_a_series, names)) for names in series))


def _series_names(edition: Edition) -> tuple[str, ...]:
    """Return the names that may say what a document is one of: its file's, its title, its folder's."""
    return (*_names_of(edition), *map(unversioned, _place(edition)[-1:]))


def _tells_news(name: str) -> bool:
    link = _LINK.search(name)
    return bool(_NEWS.search(name) or (link and _NEWS.search(name[: link.start()])))


def _names_a_series(name: str) -> bool:
    link = _LINK.search(name)
    if link is None:
        return bool(_SERIAL.search(name))
    # Of "Report for March 2026", nothing follows the link.
    return (link.has("of") or link.end() == len(name)) and bool(_SERIAL.search(name[: link.start()]))


def _are_numbered_apart(own: tuple[str, str], its: tuple[str, str]) -> bool:
    """Tell whether two names differ only in a number that is no version: "shift-1" and "shift-2"."""
    return any(
        one != other and _without_digits(one) == _without_digits(other) for one, other in zip(own, its, strict=True)
    )


def _without_digits(name: str) -> str:
    return name.translate(_NO_DIGITS)


def _told_apart(one: Edition, other: Edition) -> bool:
    marked = _marks(one) != _marks(other)
    return marked or (_recency(one) != _recency(other) and one.title == other.title)


def _same_place(one: Edition, other: Edition) -> bool:
    places = [_place(edition) for edition in (one, other)]
    moved = any(is_version(part) for edition in (one, other) for part in _folders(edition))
    return places[0] == places[1] or (moved and (not places[0] or not places[1]))


@lru_cache(maxsize=4096)
def _recency(edition: Edition) -> Recency:
    marks = _marks(edition)
    words = {word for mark in marks for word in mark} | set(_words(edition.status))
    outdated = bool(edition.replaced_by) or not _OUTDATED.isdisjoint(words)
    ordinals = tuple(int(part) for mark in marks for part in mark if part.isdecimal())
    return not outdated, edition.dated, ordinals


def _marks(edition: Edition) -> tuple[Mark, ...]:
    return _marks_of(edition.path.rsplit(".", 1)[0], edition.title)


def _place(edition: Edition) -> list[str]:
    """Return the folders that are no versions."""
    return [part for part in _folders(edition) if not is_version(part)]


def _folders(edition: Edition) -> list[str]:
    return edition.path.split("/")[:-1]


@lru_cache(maxsize=4096)
def _names_of(edition: Edition) -> tuple[str, str]:
    stem, title = edition.path.rpartition("/")[2].rsplit(".", 1)[0], edition.title
    if _tells_news(unversioned(title)):
        file, named = (unversioned(_RELEASE.sub(" ", name.casefold())) for name in (stem, title))
        return file or named, named
    return unversioned(stem), unversioned(title)


@lru_cache(maxsize=4096)
def _marks_of(path: str, title: str) -> tuple[Mark, ...]:
    marks = [mark for name in (*path.split("/"), title) for mark in _read(name)[0]]
    if not marks and _tells_news(unversioned(title)):
        names = (path.rpartition("/")[2], title)
        marks = [("v", *found["number"].split(".")) for name in names for found in _RELEASE.finditer(name.casefold())]
    return tuple(dict.fromkeys(marks))


@lru_cache(maxsize=256)
def marks_in(question: str) -> frozenset[Mark]:
    """Return the versions and dates that a question names. In a question, a status may be anywhere."""
    statuses = ((word,) for word in _words(question) if word in _STATUSES)
    return frozenset([*_read(question)[0], *statuses])


@lru_cache(maxsize=4096)
def _read(name: str) -> tuple[tuple[Mark, ...], tuple[str, ...]]:
    """Return a name's version marks, and its other words."""
    text = name.casefold().replace("_", "-")
    dates = list(_dates(text))
    marks: list[Mark] = [_dated(found[0]) for found in dates]
    for found in reversed(dates):
        text = f"{text[: found.start()]} {text[found.end() :]}"
    marks += [("v", *found[1].split(".")) for found in _NUMBERED.finditer(text)]
    text = _NUMBERED.sub(" ", text)
    while found := _LAST.search(text):
        marks.append((found["status"],))
        text = text[: found.start()]
    if found := _FIRST.match(text):
        marks.append((found["status"] or found["copy"],))
        text = text[found.end() :]
    return tuple(marks), _words(text)


def _dates(text: str) -> Iterator[patterns.Match]:
    begins = 0
    while found := next(_DATE.finditer(text, begins), None):
        # Patterns read "março" as "marco", so they also find the name Marco.
        is_date = all(word in _MONTHS or word == "de" for word in _words(found[0]) if word.isalpha())
        if is_date:
            yield found
        begins = found.end() if is_date else found.start() + 1


def _dated(text: str) -> Mark:
    """Return a date's year, month and day, as far as they are given."""
    parts = [_without_ending(part) for part in _words(text) if part != "de"]
    if len(parts) == 1 and len(text) > len("2024"):
        return text[:4], str(int(text[4:6])), str(int(text[6:]))
    year = next(part for part in parts if _IS_YEAR.fullmatch(part))
    named = [str(_MONTHS.get(part, part[1:])) for part in parts if not part.isdecimal()]
    numbers = [str(int(part)) for part in parts if part.isdecimal() and part != year]
    return year, *named, *(numbers if parts[0] == year else reversed(numbers))


def _without_ending(part: str) -> str:
    found = _ORDINAL.fullmatch(part)
    return found[1] if found else part


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold()))
