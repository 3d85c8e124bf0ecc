"""Which passages say the same: the later of two copies adds nothing for whoever reads the first."""

from functools import lru_cache
from typing import TypeAlias

from graph import patterns
from graph.passages import Passage
from graph.text.versions import unversioned

_ALIKE = 0.85
"""Share of three-word sequences in common from which two texts are near-identical (Broder 1997)."""
_SEQUENCE = 3

_NAME = patterns.compile(r"\b(?:[A-Z]\w*|\w*\d\w*)\b")
_WORD = patterns.compile(r"\w+")

_Subject: TypeAlias = tuple[str, frozenset[str]]
"""What a passage is about: its document's title without a version, and the names and numbers it holds."""


def collapse(passages: list[Passage]) -> list[Passage]:
    """Return the passages in their order, of near-identical ones only the first, or the newest copy in its place."""
    kept: list[Passage] = []
    subjects: dict[_Subject, list[int]] = {}
    for passage in passages:
        rivals = subjects.setdefault(_subject(passage), [])
        place = next((place for place in rivals if _alike(passage["text"], kept[place]["text"])), None)
        if place is None:
            rivals.append(len(kept))
            kept.append(passage)
        elif (passage.get("dated") or "") > (kept[place].get("dated") or ""):
            kept[place] = _with_score(passage, kept[place]["score"])
    return kept


def _with_score(passage: Passage, score: float) -> Passage:
    copy = passage.copy()
    copy["score"] = score
    return copy


def _subject(passage: Passage) -> _Subject:
    # "Plan A costs 5" and "Plan B costs 7" share most of their words; names and numbers tell them apart.
    return unversioned(passage["title"]), _names(passage["text"])


@lru_cache(maxsize=4096)
def _names(text: str) -> frozenset[str]:
    return frozenset(_NAME.findall(text))


def _alike(one: str, other: str) -> bool:
    first, second = _sequences(one), _sequences(other)
    return len(first & second) / len(first | second) >= _ALIKE


def _sequences(text: str) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return frozenset(tuple(words[start : start + _SEQUENCE]) for start in range(max(1, len(words) - _SEQUENCE + 1)))
