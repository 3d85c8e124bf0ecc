"""Tools: what a run may compute besides what documents say. A result is a passage that the answer cites (pure)."""

import hashlib
import json
from typing import Literal, NotRequired, TypeAlias, TypedDict

from graph.passages import Passage

MOST_CALLS = 2
"""The most calls of a turn."""
LONGEST_RESULT = 4000
"""Characters of a result that are kept."""


class ToolError(Exception):
    """A tool gave no result. The run continues without it."""


class UnansweredError(ToolError):
    """A tool was called, and nobody knows what came of it."""


class ToolCall(TypedDict):
    """A planned call of a tool."""

    tool: str
    arguments: dict[str, str]


class PlannedChange(ToolCall):
    """A planned call of a tool that writes. The asker must approve it."""

    title: str
    """The tool's name for people."""


class Offer(TypedDict):
    """A tool that a model may name besides those of the prompt."""

    name: str
    title: str
    """Its name for people."""
    says: str
    """What it does, as its server says."""
    arguments: str
    """Its arguments with their types, in a line."""
    writes: bool
    """Whether it changes something, so that the asker must allow each call."""
    choices: NotRequired[list[str]]
    """The values that its arguments are limited to; missing if there are none."""


class ToolResult(TypedDict):
    """What a tool says."""

    title: str
    """The tool's name for people, such as "Calculator: 3 × 145", or the title of what it found."""
    text: str
    heading: NotRequired[str]
    """The title of the page that it found, below its own."""
    url: NotRequired[str]
    """The address of what it found, if people may click it."""
    dated: NotRequired[str]
    """The ISO date of what it found."""
    transient: NotRequired[bool]
    """Whether it may be used in this run only, and never stored."""


CallState: TypeAlias = Literal["done", "refused", "unknown", "withdrawn"]
"""Refused: the tool did not take the call. Withdrawn: the approval does not hold any more."""


class CallOutcome(TypedDict):
    """What came of a planned change."""

    state: CallState
    result: NotRequired[ToolResult]


def fingerprint(change: PlannedChange) -> str:
    """Return a digest of everything that an asker approves."""
    return hashlib.sha256(json.dumps(change, sort_keys=True).encode()).hexdigest()


def passage_of(result: ToolResult, number: int) -> Passage:
    """Return a result as a passage. Its id is negative, because no document holds it; `number` counts from 1."""
    passage = Passage(
        id=-number,
        document_id=-number,
        title=result["title"],
        path="",
        heading_path=[heading] if (heading := result.get("heading")) else [],
        text=result["text"][:LONGEST_RESULT],
        language="en",
        url=result.get("url"),
        dated=result.get("dated"),
        attributes={},
        score=1.0,
    )
    return {**passage, "transient": True} if result.get("transient") else passage


def is_result(passage: Passage) -> bool:
    """Tell whether a tool made the passage."""
    return passage["id"] < 0


def are_of_web(passages: list[Passage]) -> bool:
    """Tell whether passages were found on the web. They never stand beside those of documents."""
    return any(passage.get("web") for passage in passages)


def in_documents(ids: set[int]) -> set[int]:
    """Return the ids of passages that documents hold."""
    return {id_ for id_ in ids if id_ > 0}
