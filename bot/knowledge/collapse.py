"""Which passages say the same: the later of two copies adds nothing for whoever reads the first."""

import re

from graph.passages import Passage
from graph.versions import unversioned

_ALIKE = 0.85
"""Share of three-word sequences in common from which two texts are near-identical (Broder 1997)."""
_SEQUENCE = 3


def collapse(passages: list[Passage]) -> list[Passage]:
    """Return the passages in their order, of near-identical ones only the first, or the newest copy in its place."""
    kept: list[Passage] = []
    for passage in passages:
        place = next((place for place, other in enumerate(kept) if same(passage, other)), None)
        if place is None:
            kept.append(passage)
        elif (passage.get("dated") or "") > (kept[place].get("dated") or ""):
            kept[place] = _with_score(passage, kept[place]["score"])
    return kept


def same(one: Passage, other: Passage) -> bool:
    """Return whether two passages say the same of the same thing."""
    # "Plan A costs 5" and "Plan B costs 7" share most of their words; names and numbers tell them apart.
    return (
        unversioned(one["title"]) == unversioned(other["title"])
        and _names(one["text"]) == _names(other["text"])
        and _likeness(_sequences(one["text"]), _sequences(other["text"])) >= _ALIKE
    )


def _with_score(passage: Passage, score: float) -> Passage:
    copy = passage.copy()
    copy["score"] = score
    return copy


def _names(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\b(?:[A-Z]\w*|\w*\d\w*)\b", text))


def _sequences(text: str) -> frozenset[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return frozenset(tuple(words[start : start + _SEQUENCE]) for start in range(max(1, len(words) - _SEQUENCE + 1)))


def _likeness(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    return len(one & other) / len(one | other)
