"""Passages that retrieval found, facets that divide them, and sources that an answer cites.

All but `Topics` are plain JSON, because they are part of the graph's state.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple, NotRequired, TypedDict


class Topics(NamedTuple):
    """What the documents cover."""

    names: list[str]
    """The largest topics."""
    more: int = 0
    """How many topics are not named."""


class Passage(TypedDict):
    """A piece of a document, as retrieval returns it."""

    id: int
    document_id: int
    title: str
    """The document's title."""
    path: str
    """The document's path below its source, with `/`. Its segments are facets."""
    heading_path: list[str]
    """The headings above the passage, outermost first, without the title."""
    text: str
    language: str
    """The document's language, ISO 639-1."""
    url: NotRequired[str | None]
    """The document's address, if an administrator named its host."""
    links: NotRequired[list[str]]
    """The addresses in the text whose hosts an administrator named. People may click them."""
    dated: NotRequired[str | None]
    """The document's ISO date, from front matter, name or text."""
    stale_after_days: NotRequired[int]
    """Set if the document is old: the days after which its source calls a document old."""
    flagged_on: NotRequired[str]
    """The ISO date since when somebody, or another document, doubts the document."""
    flagged_as: NotRequired[str]
    """`outdated`, `wrong` or `contradicted`."""
    attributes: dict[str, str]
    """Front matter such as `owner`, `product`, `status`, with lower-case keys."""
    restricted: NotRequired[bool]
    """Whether only some people or channels may read it."""
    transient: NotRequired[bool]
    """Whether it may be used in this run only, and never stored."""
    web: NotRequired[bool]
    """Whether it was found on the web."""
    score: float
    """The fused retrieval score, later the reranker's. Only the order has a meaning."""
    word_match: NotRequired[float]
    """How well its words match the query, as a share (0–1) of the best match of the search."""
    relevance: NotRequired[float]
    """The grader's calibrated probability (0–1) that it is relevant to the question."""


READ_BY: Final = "read_by"
"""The attribute of documents that were not read as they are written."""
BY_OCR: Final = "OCR"


class DocumentFilter(TypedDict):
    """Which documents a question is for. An empty value lets all through."""

    by: str
    """Their owner's or author's name."""
    kind: str
    """A type of file such as `pdf`, a kind of source such as `slack`, or a word of their titles or places."""
    since: str
    """The first day of their dates, ISO."""
    until: str
    """The last day."""


FEWEST_OPTIONS, MOST_OPTIONS = 2, 20
"""The number of options of a question back (requirement C1)."""


class Facet(TypedDict):
    """One reading of a question: a value of an attribute that divides the found passages."""

    id: str
    attribute: str
    """`path:1`, `title`, `heading:0`, a front-matter key, or what divides no documents: `case`, `place`, `argument`."""
    label: str
    """The value, in the form for people."""
    passages: list[int]
    """The ids of its passages, best first."""
    best_sentence: str
    score: float
    """The best score of its passages."""


class Source(TypedDict):
    """A part of a document that an answer cites as [n]."""

    number: int
    title: str
    heading: str
    url: str | None
    dated: str | None
    stale: NotRequired[str]
    """A note that the document is old, in the question's language."""
    recognised: NotRequired[str]
    """A note that the text was recognised in pictures, in the question's language."""
    flagged: NotRequired[str]
    """A sentence that the document is doubted, in the question's language."""
    passage_id: int
    links: NotRequired[list[str]]
    """Addresses in the text that people may click."""
    restricted: NotRequired[bool]
    """Whether only some people or channels may read it."""


def facet_without_passages(id_: str, attribute: str, label: str) -> Facet:
    """Return a reading that no passage stands for: a place, or a value with which a tool may be called."""
    return Facet(id=id_, attribute=attribute, label=label, passages=[], best_sentence="", score=0.0)


def contextual(title: str, heading_path: Sequence[str], text: str) -> str:
    """Return the text that is embedded for a passage: its title, headings and text.

    Ingest and ranking must use the same text, so both call this function.
    """
    return f"{' › '.join((title, *heading_path))}\n{text}"


def with_score(passage: Passage, score: float) -> Passage:
    """Return the passage with another score."""
    copy = passage.copy()
    copy["score"] = score
    return copy
