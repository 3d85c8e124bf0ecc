"""Grading for a mind that can only quote: where nobody knows what the question names, nothing answers it.

A language model reads that the passages speak of another office and says so; a quotation would be taken for the answer.
"""

from graph.answer.document_questions import documents_for, wanted
from graph.context import Grader
from graph.passages import Passage
from graph.text.names import unknown_names


class StrictGrader:
    """A grader that finds nothing relevant to a question which names what no passage holds."""

    def __init__(self, grader: Grader) -> None:
        self._grader = grader

    async def grade(self, question: str, passages: list[Passage]) -> list[float]:
        """Return one probability (0–1) a passage, in their order; a document that is asked for itself is certain."""
        asked = wanted(question)
        if asked and (meant := documents_for(asked, passages)):
            return [float(passage in meant) for passage in passages]
        if unknown_names(question, passages):
            return [0.0 for _ in passages]
        return await self._grader.grade(question, passages)
