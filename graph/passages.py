"""The evidence: passages that retrieval found, the facets that divide them, the sources an answer cites.

All are JSON-plain, for they live in the graph's state.
"""

from collections.abc import Sequence
from typing import NotRequired, TypedDict


class Passage(TypedDict):
    """A piece of a document, as retrieval found it."""

    id: int
    document_id: int
    title: str
    """The document's title."""
    path: str
    """Where the document lies below its source's root, with `/`; its segments are facets."""
    heading_path: list[str]
    """The headings above the passage, outermost first, without the title."""
    text: str
    language: str
    """ISO 639-1, of the document."""
    url: NotRequired[str | None]
    """Where people read it, if an administrator named its host."""
    links: NotRequired[list[str]]
    """The addresses in its text whose hosts an administrator named: people may click them."""
    dated: NotRequired[str | None]
    """The document's ISO date: front matter, a date in its name or text."""
    stale_after_days: NotRequired[int]
    """The days after which its source counts a document as old, if this one is older."""
    attributes: dict[str, str]
    """Front matter such as `owner`, `product`, `status`; keys in lower case."""
    restricted: NotRequired[bool]
    """Whether it is for some people or channels only."""
    score: float
    """The fused retrieval score, then the reranker's; only its order means anything."""
    relevance: NotRequired[float]
    """The calibrated probability (0–1) that it bears on the question; set by the grader."""


FEWEST_OPTIONS, MOST_OPTIONS = 2, 20
"""How many readings a person can be asked to choose from (requirement C1)."""


class Facet(TypedDict):
    """One reading of a question that the found passages hold: a value of one attribute that divides them."""

    id: str
    attribute: str
    """What divides: `path:1`, `title`, `heading`, or a front-matter key."""
    label: str
    """The value as a person reads it."""
    passages: list[int]
    """Ids of the passages behind it, best first."""
    best_sentence: str
    score: float
    """The best score among its passages."""


class Source(TypedDict):
    """A document part that an answer cites as [n]."""

    number: int
    title: str
    heading: str
    url: str | None
    dated: str | None
    stale: NotRequired[str]
    """That it is older than its source wants documents to be, in the language of the question."""
    passage_id: int
    links: NotRequired[list[str]]
    """The addresses in its text that people may click."""
    restricted: NotRequired[bool]
    """Whether it is for some people or channels only."""


def contextual(title: str, heading_path: Sequence[str], text: str) -> str:
    """Return the text whose meaning stands for a passage: its own under its title and headings.

    What is embedded at ingest is looked for again when passages are ranked, so it is put together here alone.
    """
    return f"{' › '.join((title, *heading_path))}\n{text}"
