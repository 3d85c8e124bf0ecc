"""Copies of a passage: of those that say the same, one is enough (pure)."""

from functools import lru_cache
from typing import TypeAlias

from graph import patterns
from graph.documents.versions import unversioned
from graph.passages import Passage, with_score

_ALIKE = 0.85
"""Share of three-word sequences in common from which two texts are near-identical (Broder 1997)."""
_SEQUENCE = 3
_NAME = patterns.compile(r"\b(?:[A-Z]\w*|\w*\d\w*)\b")
_LETTERS = patterns.compile(r"\w+")

_Subject: TypeAlias = tuple[str, frozenset[str]]
"""A passage's subject: its document's title without a version, and its names and numbers."""


def collapse(passages: list[Passage]) -> list[Passage]:
    """Drop near-identical passages: the first one stays, or the newest copy in its place."""
    kept: list[Passage] = []
    subjects: dict[_Subject, list[int]] = {}
    for passage in passages:
        rivals = subjects.setdefault(_subject(passage), [])
        place = next((place for place in rivals if _alike(passage["text"], kept[place]["text"])), None)
        if place is None:
            rivals.append(len(kept))
            kept.append(passage)
        elif (passage.get("dated") or "") > (kept[place].get("dated") or ""):
            kept[place] = with_score(passage, kept[place]["score"])
    return kept


def _subject(passage: Passage) -> _Subject:
    # "Plan A costs 5" and "Plan B costs 7" share most words; names and numbers separate them.
    return unversioned(passage["title"]), _names_in(passage["text"])


@lru_cache(maxsize=4096)
def _names_in(text: str) -> frozenset[str]:
    return frozenset(_NAME.findall(text))


def _alike(one: str, other: str) -> bool:
    first, second = _sequences(one), _sequences(other)
    return len(first & second) / len(first | second) >= _ALIKE


def _sequences(text: str) -> frozenset[tuple[str, ...]]:
    words = _LETTERS.findall(text.lower())
    return frozenset(tuple(words[start : start + _SEQUENCE]) for start in range(max(1, len(words) - _SEQUENCE + 1)))
