"""Verified answers: what people kept (pure).

A verified answer is never served by likeness. The nearest ones are candidates; a question gets the answer of a
candidate that asks the same.
"""

from dataclasses import dataclass
from typing import Final, NotRequired, TypedDict

from graph.passages import Passage

CONFIRMING: Final = "verified"
"""How the id of the option begins that lets a verified answer hold for one more question."""
OTHERWISE: Final = "verified:no"
"""The id of the option that denies it."""
LONGEST_PHRASING: Final = 600
"""Characters; a longer question is not confirmed."""


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


@dataclass(frozen=True, kw_only=True)
class Telling:
    """Whom a verified answer is told."""

    person: str
    key: str
    """Of the question's message."""


class NearMiss(TypedDict):
    """A verified answer to a question that differs in one word."""

    id: int
    question: str
    asked: str
    """The word that only the turn's question has."""
    kept: str
    """The word that only the kept question has."""


def confirming(answer_id: int, question: str) -> str:
    """Return the id of the option that says that an answer also holds for a question."""
    return f"{CONFIRMING}:{answer_id}:{question}"


def confirmed(option: str) -> tuple[int, str] | None:
    """Return what `confirming` was made of; None if it is another option's id."""
    kind, _, rest = option.partition(":")
    number, _, question = rest.partition(":")
    return (int(number), question) if kind == CONFIRMING and number.isdecimal() and question else None
