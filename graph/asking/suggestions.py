"""The folders that a question may have meant, if nothing answers it surely (pure)."""

from typing import Final

from graph.asking.clarification import SUGGESTED
from graph.asking.facets import parallel
from graph.memory import standalone
from graph.passages import FEWEST_OPTIONS, Facet
from graph.state import Clarification, TurnState, understood
from graph.text.wording import WHICH_DOCUMENT, spoken
from graph.text.words import language_of

MOST: Final = 4
"""Folders that are offered, one button each."""
_LEFT_BY_A_PASS: Final = (
    "nearest", "scores", "best", "sufficiency", "improvements", "rewrites", "shown", "doubts", "refuted",
    "needs_review", "verified", "disagreements",
)  # fmt: skip


def parallel_readings(turn: TurnState, least: float) -> list[Facet]:
    """Return the folders whose pages were found first, if one of them comes near, with the least relevance or more.

    None for a message that only states something: nobody who leaves a note wants to be asked about it.
    """
    if _states(turn["question"]):
        return []
    near = {passage["id"] for passage in turn.get("nearest", []) if passage.get("relevance", 0.0) >= least}
    readings = parallel(standalone(turn), turn["facets"], turn["found"])
    if not any(near & {*reading["passages"]} for reading in readings):
        return []
    return [{**reading, "id": f"{SUGGESTED}{reading['id']}"} for reading in readings[:MOST]]


def _states(message: str) -> bool:
    return message.rstrip().endswith((".", "!")) and "?" not in message


def suggesting(turn: TurnState, options: list[Facet]) -> TurnState:
    """Return the turn with the question back about these folders; as it is if there are not two of them."""
    if len(options) < FEWEST_OPTIONS:
        return turn
    clarification = Clarification(
        question=spoken(WHICH_DOCUMENT, language_of(turn["question"])),
        options=[option["id"] for option in options],
        suggested=True,
    )
    return {
        **turn,
        "understanding": {**understood(turn), "clarification": clarification},
        "facets": [*turn["facets"], *options],
    }


def begun_again(turn: TurnState, *, has_calls: bool) -> TurnState:
    """Return the turn before its first draft, for the document that a person chose. Its calls still count.

    Without calls left, the documents are quoted.
    """
    again: TurnState = {
        **turn, "passages": [], "drafts": 0, "draft": "", "issues": [], "confidence": 1.0, "outcome": "answered",
        "answer": "", "sources": [], "notes": [],
    }  # fmt: skip
    for key in _LEFT_BY_A_PASS:
        again.pop(key, None)
    if has_calls:
        again.pop("quoting", None)
        return again
    return {**again, "quoting": turn.get("quoting", "unproved")}
