"""The folders, or the cases of a table, that a question may have meant, if nothing answers it surely (pure)."""

from typing import Final

from graph.asking.clarification import SUGGESTED
from graph.asking.facets import open_in_table, parallel
from graph.memory import standalone
from graph.passages import FEWEST_OPTIONS, Facet
from graph.state import PlannedClarification, TurnState, understood, without_keys
from graph.text.wording import WHICH_DOCUMENT, spoken
from graph.text.words import language_of

MOST: Final = 4
"""Folders that are offered, one button each."""


def parallel_readings(turn: TurnState, least: float) -> list[Facet]:
    """Return the folders whose pages were found first, if one of them comes near, with the least relevance or more.

    None for a message that only states something: nobody who leaves a note wants to be asked about it.
    """
    return _near(turn, parallel(standalone(turn), turn["facets"], turn["found"]), least)[:MOST]


def near_readings(turn: TurnState, least: float) -> list[Facet]:
    """Return the folders whose pages were found first, or else the open cases of a table that was found first."""
    return parallel_readings(turn, least) or _near(turn, open_in_table(standalone(turn), turn["found"]), least)


def _near(turn: TurnState, readings: list[Facet], least: float) -> list[Facet]:
    """Return the readings as suggestions, if one of them comes near, and the message asks for something."""
    near = {passage["id"] for passage in turn.get("nearest", []) if passage.get("relevance", 0.0) >= least}
    if _states(turn["question"]) or not any(near & {*reading["passages"]} for reading in readings):
        return []
    return [{**reading, "id": f"{SUGGESTED}{reading['id']}"} for reading in readings]


def _states(message: str) -> bool:
    return message.rstrip().endswith((".", "!")) and "?" not in message


def suggesting(turn: TurnState, options: list[Facet]) -> TurnState:
    """Return the turn with the question back about these folders; as it is if there are not two of them."""
    if len(options) < FEWEST_OPTIONS:
        return turn
    clarification = PlannedClarification(
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
    begun = without_keys(
        turn, "nearest", "scores", "best", "sufficiency", "improvements", "rewrites", "shown", "doubts", "refuted",
        "needs_review", "verified", "disagreements",
    )  # fmt: skip
    again: TurnState = {
        **begun, "passages": [], "drafts": 0, "draft": "", "issues": [], "confidence": 1.0, "outcome": "answered",
        "answer": "", "sources": [], "notes": [],
    }  # fmt: skip
    return without_keys(again, "quoting") if has_calls else {**again, "quoting": turn.get("quoting", "unproved")}
