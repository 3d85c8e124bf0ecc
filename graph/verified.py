"""Verified answers: what people kept, and which one a question may get (pure).

A verified answer is never served by likeness. The nearest ones are candidates; a question gets the answer of a
candidate that asks the same.
"""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from graph.passages import Passage
from graph.text.sameness import are_same, differing_words


class Candidate(TypedDict):
    """A verified answer that may be meant."""

    id: int
    phrasings: list[str]
    """The questions that it answers, as people asked them; the first one is the one that it was kept for."""


class Verified(TypedDict):
    """A verified answer as it may be told now."""

    id: int
    question: str
    text: str
    """Markdown, with [n] for its sources."""
    writer_name: str
    kept_on: str
    """ISO date."""
    sources: list[Passage]
    """What it rests on, in order. One that is gone or has changed holds no text."""
    changed: list[int]
    """The numbers of sources whose document has changed since."""
    gone: list[int]
    """The numbers of sources whose document is no longer there."""
    restricted: NotRequired[bool]
    """Whether it is not for everybody."""
    links: list[str]
    """Addresses in the text that people may click."""


class NearMiss(TypedDict):
    """A verified answer to a question that differs in one word."""

    id: int
    question: str
    asked: str
    """The word that only the turn's question has."""
    kept: str
    """The word that only the kept question has."""


def same(question: str, candidates: Sequence[Candidate]) -> Candidate | None:
    """Return the first candidate that answers the same question."""
    return next((one for one in candidates if any(are_same(question, said) for said in one["phrasings"])), None)


def near_miss(question: str, candidates: Sequence[Candidate]) -> NearMiss | None:
    """Return the first candidate whose question differs in one word."""
    for one in candidates:
        for said in one["phrasings"]:
            if differing := differing_words(question, said):
                return NearMiss(id=one["id"], question=said, asked=differing[0], kept=differing[1])
    return None
