"""Grading for quotations: if no passage holds what the question names, none surely answers it.

A language model says that the passages speak of another office; a quotation would be taken for the answer. But a
capital alone does not make a name: people write "the Contractors badge". So such passages count as the nearest ones.
"""

from bot.models.offline.writing.survey import document_about
from bot.models.offline.writing.wishes import compared, summarised
from bot.models.thesaurus import wording_of
from graph.answer.evidence import RELEVANT
from graph.context import Grader
from graph.documents.questions import documents_for, wanted
from graph.passages import Passage
from graph.text.names import codes, unknown_names
from graph.text.relevance import words_of
from graph.text.words import content_words


class StrictGrader:
    """A grader that is sure of nothing if the question names what no passage holds."""

    def __init__(self, grader: Grader) -> None:
        self._grader = grader

    async def grade(self, question: str, passages: list[Passage]) -> list[float]:
        """Return one probability (0–1) for each passage, in their order. A document that is asked for itself gets 1."""
        asked = wanted(question)
        if asked and (meant := documents_for(asked, passages)):
            return [float(passage in meant) for passage in passages]
        if (topic := summarised(question)) and (meant := document_about(topic, passages)):
            return [float(passage["document_id"] == meant) for passage in passages]
        # Each side of a comparison has its own pages, which answer only half of the question.
        wish = compared(question)
        grades = [await self._grader.grade(one, passages) for one in (question, *(wish.asked if wish else ()))]
        best = [max(of_one) for of_one in zip(*grades, strict=True)]
        if wish and not all(_speak_of(side, passages) for side in wish.sides):
            return [RELEVANT * grade for grade in best]
        if wish and not wish.attribute:
            best = _as_their_documents(best, passages, wish.sides)
        return doubted(question, passages, best)


def _as_their_documents(
    grades: list[float], passages: list[Passage], sides: tuple[frozenset[str], frozenset[str]]
) -> list[float]:
    """Return the grades; each section of a document that is compared as a whole is as relevant as its best one."""
    compared_ones = {document_about(side, passages) for side in sides}
    best: dict[int, float] = {}
    for passage, grade in zip(passages, grades, strict=True):
        best[passage["document_id"]] = max(grade, best.get(passage["document_id"], 0.0))
    return [
        best[passage["document_id"]] if passage["document_id"] in compared_ones else grade
        for passage, grade in zip(passages, grades, strict=True)
    ]


def _speak_of(side: frozenset[str], passages: list[Passage]) -> bool:
    """Tell whether any passage holds a word of what is compared."""
    return any(
        not side.isdisjoint(content_words(" ".join([passage["title"], *passage["heading_path"], passage["text"]])))
        for passage in passages
    )


def doubted(question: str, passages: list[Passage], grades: list[float]) -> list[float]:
    """Return the grades, lowered if the question names what no passage holds, or another kind of a thing."""
    unknown = unknown_names(question, passages)
    if not set(codes(question)).isdisjoint(unknown):
        return [0.0 for _ in grades]
    if not unknown and not _are_of_another_kind(question, passages, grades):
        return grades
    # All of them below what may be answered from, in their order.
    return [RELEVANT * grade for grade in grades]


def _are_of_another_kind(question: str, passages: list[Passage], grades: list[float]) -> bool:
    if not passages:
        return False
    best = passages[grades.index(max(grades))]
    likeliest = "\n".join([best["title"], *best["heading_path"], best["text"]])
    texts = [(words_of(passage), passage["language"]) for passage in passages]
    return wording_of(question).is_of_another_kind(likeliest, texts)
