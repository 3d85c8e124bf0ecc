"""The nearest documents as what a question may have meant, if nothing answers it surely (pure)."""

from typing import Final

from graph.asking.clarification import SUGGESTED
from graph.asking.facets import find_facets, parallel, wants_all
from graph.memory import standalone
from graph.passages import FEWEST_OPTIONS, Facet, Passage
from graph.state import Clarification, TurnState, understood
from graph.text.wording import WHICH_DOCUMENT, spoken
from graph.text.words import language_of

MOST: Final = 4
"""Documents that are offered, one button each."""
_LEFT_BY_A_PASS: Final = (
    "nearest", "scores", "best", "sufficiency", "improvements", "shown", "doubts", "refuted", "needs_review",
    "verified",
)  # fmt: skip


def suggested(question: str, near: list[Passage]) -> list[Facet]:
    """Return the documents of the nearest passages as readings, best first; none if the question wants all of them."""
    if wants_all(question):
        return []
    return _offered([facet for facet in find_facets(question, near) if facet["attribute"] == "title"])


def parallel_readings(turn: TurnState, least: float) -> list[Facet]:
    """Return the folders whose pages were found first, if one of them comes near, with the least relevance or more.

    None for a message that only states something: nobody who leaves a note wants to be asked about it.
    """
    if _states(turn["question"]):
        return []
    near = {passage["id"] for passage in turn.get("nearest", []) if passage.get("relevance", 0.0) >= least}
    readings = parallel(standalone(turn), turn["facets"], turn["found"])
    return _offered(readings) if any(near & {*reading["passages"]} for reading in readings) else []


def _states(message: str) -> bool:
    return message.rstrip().endswith((".", "!")) and "?" not in message


def _offered(facets: list[Facet]) -> list[Facet]:
    return [{**facet, "id": f"{SUGGESTED}{facet['id']}"} for facet in facets[:MOST]]


def suggesting(turn: TurnState, options: list[Facet]) -> TurnState:
    """Return the turn with the question back about these documents; as it is if there are not two of them."""
    if len(options) < FEWEST_OPTIONS:
        return turn
    clarification = Clarification(
        question=spoken(WHICH_DOCUMENT, language_of(turn["question"])),
        options=[option["id"] for option in options],
        suggested=True,
    )
    return {
        **turn, "understanding": {**understood(turn), "clarification": clarification},
        "facets": [*turn["facets"], *options],
    }  # fmt: skip


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
