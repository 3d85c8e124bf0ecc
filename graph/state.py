"""The graph's state: `memory`, kept and bounded, and `turn`, replaced whole at the start of every run.

Everything is JSON-plain. `Given` is what a run starts from, `Update` what a node may add, `State` what it may read.
"""

from typing import Literal, NotRequired, TypedDict

from graph.passages import Facet, Passage


class Exchange(TypedDict):
    """One earlier question and what became of it."""

    asker: str
    question: str
    """As it was asked."""
    standalone: str
    answer: str
    """The beginning of the answer."""
    sources: list[str]
    """Titles of the cited documents."""
    passages: list[int]
    """Ids of the cited passages."""


class Remembered(TypedDict):
    """Something people said that the bot was not asked to answer."""

    person: str
    text: str


class Memory(TypedDict):
    """What the thread remembers; see `graph.memory` for its bounds."""

    exchanges: list[Exchange]
    overheard: list[Remembered]
    people: list[str]
    """Who has spoken in the thread, without the bot."""


class TurnState(TypedDict):
    """What is known of the turn that is being answered; nodes return changed copies."""

    question: str
    asker: str
    addressed: bool
    mentions_others: bool
    unread: list[str]
    mode: Literal["conversational", "stateless"]
    found: list[Passage]
    """What the search for `searched` found, reranked."""
    searched: str
    facets: list[Facet]
    passages: list[Passage]
    """What the answer may cite, graded, best first."""
