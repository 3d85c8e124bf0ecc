"""Verified answers: what people kept (pure).

A verified answer is never served by likeness. The nearest ones are candidates; a question gets the answer of a
candidate that asks the same.
"""

from typing import NotRequired, TypedDict

from graph.passages import Passage


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
