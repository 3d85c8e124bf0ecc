"""Tools: what a run may compute besides what documents say. A result is a passage that the answer cites (pure)."""

from typing import TypedDict

from graph.passages import Passage

MOST_CALLS = 2
"""The most calls of a turn."""
LONGEST_RESULT = 4000
"""Characters of a result that are kept."""


class ToolError(Exception):
    """A tool gave no result. The run continues without it."""


class ToolCall(TypedDict):
    """A planned call of a tool."""

    tool: str
    arguments: dict[str, str]


class Offer(TypedDict):
    """A tool that a model may name besides those of the prompt."""

    name: str
    says: str
    """What it does, as its server says."""
    arguments: str
    """Its arguments with their types, in a line."""
    writes: bool
    """Whether it changes something, so that the asker must allow each call."""


class ToolResult(TypedDict):
    """What a tool says."""

    title: str
    """The tool's name for people, such as "Calculator"."""
    text: str


def passage_of(result: ToolResult, number: int) -> Passage:
    """Return a result as a passage. Its id is negative, because no document holds it; `number` counts from 1."""
    return Passage(
        id=-number,
        document_id=-number,
        title=result["title"],
        path="",
        heading_path=[],
        text=result["text"][:LONGEST_RESULT],
        language="en",
        attributes={},
        score=1.0,
    )


def is_result(passage: Passage) -> bool:
    """Tell whether a tool made the passage."""
    return passage["id"] < 0


def in_documents(ids: set[int]) -> set[int]:
    """Return the ids of passages that documents hold."""
    return {id_ for id_ in ids if id_ > 0}
