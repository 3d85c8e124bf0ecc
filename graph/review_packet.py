"""What a reviewer is shown of an answer, and all that it takes to end its turn once they have decided.

JSON-plain: it outlives the run, for a newer question in the thread takes the place of a run that waits.
"""

from typing import Literal, NotRequired, TypedDict

from graph.passages import Source


class Excerpt(Source):
    """A source with the words that the answer may rest on."""

    text: str
    """What the draft took from the passage, with what stands around it; else its beginning."""


class ReviewPacket(TypedDict):
    """An answer under review."""

    asker: str
    question: str
    """As it was asked."""
    standalone: str
    key: str
    """Names the message that asked; what is decided takes its place in memory."""
    mode: Literal["conversational", "stateless"]
    outcome: Literal["answered", "admitted"]
    draft: str
    sources: list[Excerpt]
    """All that the draft may cite, or that lay nearest."""
    issues: list[str]
    """Why it falls short, one sentence each."""
    scores: dict[str, float]
    """0–1, by what was judged."""
    confidence: float
    notes: list[str]
    """What stands below the answer."""
    of_writer: NotRequired[list[str]]
    """Those of them that say where the draft's words come from; a person's own words come from elsewhere."""
    recalled: NotRequired[str]
    """What is said of a reading that was assumed as last time."""


class Deciding(TypedDict):
    """What a reviewer decided; JSON of `graph.turn.Ruling`."""

    kind: Literal["approved", "edited", "rejected", "expired"]
    text: str
    by: str
