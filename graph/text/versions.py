"""Versions of one document: which passages a newer version replaces, for age is no reading of a question (pure)."""

import re
from functools import lru_cache

from graph.passages import Passage

_VERSION = re.compile(
    r"^(?:(?:19|20)\d\d|v\d+|rev\d*|q[1-4]|\d{1,2}|jan\w*|feb\w*|mar|march|märz|apr\w*|mai|jun|june|juni|jul|july|juli"
    r"|aug|august|sep\w*|oct\w*|okt\w*|nov\w*|dec\w*|dez\w*|old|new|current|latest|final|alt|neu|aktuell"
    r"|draft|entwurf|archived?|archiv|superseded|deprecated|obsolete|legacy|outdated|replaced|copy|kopie|version)$"
)
_OUTDATED = re.compile(
    r"^(?:draft|entwurf|archived?|archiv|superseded|deprecated|obsolete|legacy|outdated|replaced|retired|expired|old|alt)$"
)
_WORD = re.compile(r"[^\W_]+")


def is_version(value: str) -> bool:
    """Tell whether a value is nothing but a version: "2024", "v2", "2024-03", "draft", "archive"."""
    found = _words(value)
    return bool(found) and all(_VERSION.match(word) for word in found)


@lru_cache(maxsize=4096)
def unversioned(name: str) -> str:
    """Return a name's words without those that tell a version, in lower case."""
    return " ".join(word for word in _words(name) if not _VERSION.match(word))


def current(passages: list[Passage], question: str = "") -> list[Passage]:
    """Return the passages without those of documents of which a newer version was found, in their order.

    The version that the question names ("in 2022", "the draft") counts as the newest.
    """
    return [passage for passage in passages if replacement(passage, passages, question) is None]


def replacement(passage: Passage, passages: list[Passage], question: str = "") -> Passage | None:
    """Return a passage of the newest other version of this passage's document; none where it is the newest."""
    own = _standing(passage, question)
    newer = [other for other in passages if are_versions(passage, other) and _standing(other, question) > own]
    return max(newer, key=lambda other: _standing(other, question)) if newer else None


def are_versions(one: Passage, other: Passage) -> bool:
    """Tell whether two passages come from two versions of one document."""
    if one["document_id"] == other["document_id"]:
        return False
    same_name = _stem(one) == _stem(other) or unversioned(one["title"]) == unversioned(other["title"])
    return same_name and _told_apart(one, other) and _same_place(one, other)


def _told_apart(one: Passage, other: Passage) -> bool:
    marked = _marks(one) != _marks(other)
    return marked or (_recency(one) != _recency(other) and one["title"] == other["title"])


def _same_place(one: Passage, other: Passage) -> bool:
    places = [[part for part in _folders(passage) if not is_version(part)] for passage in (one, other)]
    moved = any(is_version(part) for passage in (one, other) for part in _folders(passage))
    return places[0] == places[1] or (moved and (not places[0] or not places[1]))


def _standing(passage: Passage, question: str) -> tuple[bool, tuple[bool, str, list[int]]]:
    named = set(_marks(passage)) & {word for word in _words(question) if _VERSION.match(word)}
    return bool(named), _recency(passage)


def _recency(passage: Passage) -> tuple[bool, str, list[int]]:
    words = {*_marks(passage), *_words(passage["attributes"].get("status", ""))}
    outdated = any(_OUTDATED.match(word) for word in words)
    ordinals = [int(number) for number in re.findall(r"\d+", " ".join(_marks(passage)))]
    return not outdated, passage.get("dated") or "", ordinals


def _marks(passage: Passage) -> tuple[str, ...]:
    return _versions_in(passage["path"].rsplit(".", 1)[0], passage["title"])


def _stem(passage: Passage) -> str:
    return unversioned(passage["path"].rpartition("/")[2].rsplit(".", 1)[0])


def _folders(passage: Passage) -> list[str]:
    return passage["path"].split("/")[:-1]


# The same few titles and paths are compared with one another, question after question.


@lru_cache(maxsize=4096)
def _versions_in(path: str, title: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for word in _words(path) + _words(title) if _VERSION.match(word)))


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold()))
