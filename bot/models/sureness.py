"""How surely passages answer, for quoting: by their odds, place and lead, and by what their sentences mean.

A grade tells a relevant passage from others. Whether the best of them answers shows only beside the others, and in its
sentences. A language model reads the passages itself, so it needs no such figure.
"""

import asyncio
from typing import NamedTuple

from bot.models.embedding import Embedding
from bot.models.grading import Weights, log_odds, logistic, sureness_weights
from bot.models.offline.likeness import likeness
from bot.models.offline.writing.ranking import Similarity, likest
from bot.models.offline.writing.wishes import compared
from graph.answer.evidence import relevance_of
from graph.passages import Passage

READ = 3
"""Passages, the best graded, whose sentences are compared by meaning, because that takes time."""
FAR_AHEAD = 4.0
"""The lead, in log odds, from which a document has no rival…"""
NO_RIVAL = 1.0
"""… and what this adds to the log odds that it answers. The fit sees no such step: it takes the lead for a line."""


class Signs(NamedTuple):
    """Figures of one passage among those found. A higher figure means that it more surely answers."""

    odds: float
    """The log odds of its grade."""
    place: float
    """1 for the first of the ranking, 1/2 for the second, and so on."""
    lead: float
    """The distance of its log odds to the best of other documents."""
    likeness: float
    """The likeness of meaning (0–1) of the question and its likest sentence."""


class SureGrader:
    """A grader that weighs the passages' relevance again."""

    def __init__(self, model: Embedding, weights: Weights) -> None:
        self._model = model
        self._weights = weights

    async def grade(self, question: str, passages: list[Passage]) -> list[float]:
        """Return one calibrated probability (0–1) for each graded passage; they come in the order of their ranking."""
        grades = [relevance_of(passage) for passage in passages]
        if compared(question):
            # The documents that are compared are no rivals, though none of them is ahead.
            return grades
        rows = await asyncio.to_thread(signs, question, passages, grades, likeness(self._model))
        ahead = [NO_RIVAL if row.lead >= FAR_AHEAD else 0.0 for row in rows]
        return [float(probability) for probability in logistic(self._weights.log_odds(rows) + ahead)]


def sure_grader(model: Embedding) -> SureGrader | None:
    """Return the grader for an embedding; none if it knows too little of meaning to have weights for it."""
    weights = sureness_weights(model.model, Signs._fields)
    return SureGrader(model, weights) if weights else None


def signs(question: str, passages: list[Passage], grades: list[float], similarity: Similarity) -> list[Signs]:
    """Return the signs of each passage. Those that are not read are taken for as alike as the least alike read one."""
    odds = [log_odds(grade) for grade in grades]
    best = sorted(range(len(passages)), key=lambda place: -odds[place])[:READ]
    read = dict(zip(best, likest(question, [passages[place] for place in best], similarity), strict=True))
    least = min(read.values(), default=0.0)
    return [
        Signs(odds[place], 1 / (1 + place), _lead(place, odds, passages), read.get(place, least))
        for place in range(len(passages))
    ]


def _lead(place: int, odds: list[float], passages: list[Passage]) -> float:
    own = passages[place]["document_id"]
    others = [one for one, passage in zip(odds, passages, strict=True) if passage["document_id"] != own]
    return odds[place] - max(others, default=odds[place])
