"""Answers that go over several passages: a summary of a document, a comparison of two things (pure)."""

from dataclasses import replace

from bot.models.offline.writing.completion import Quotation
from bot.models.offline.writing.wishes import Compared
from graph.passages import Passage
from graph.text.words import content_words

MOST_SECTIONS = 8
LEADING = 2
"""Statements of a section or of a thing that stand for it."""
SIDE_NAMED = 0.5
"""Share of the words of a side that a statement or what stands above it must hold to speak of it."""


def summary(topic: frozenset[str], answers: list[Quotation], passages: list[Passage]) -> list[Quotation]:
    """Return how each section of the document begins that is about a topic, in its order, below its heading."""
    document = _document_about(topic, passages)
    sections = sorted(
        (passage["id"], number) for number, passage in enumerate(passages, 1) if passage["document_id"] == document
    )
    chosen: list[Quotation] = []
    for _, number in sections[:MOST_SECTIONS]:
        heading = " ".join(passages[number - 1]["heading_path"][-1:])
        for place, one in enumerate(_leading(answers, number)):
            statement = replace(one.statement, heading="" if place else heading)
            chosen.append(replace(one, statement=statement))
    return chosen


def comparison(wish: Compared, answers: list[Quotation], passages: list[Passage]) -> list[Quotation]:
    """Return what is said of each side: on the attribute that is asked for, or how it is introduced.

    Nothing, if only one side is spoken of.
    """
    found = [_of_side(side, wish.attribute, answers, passages) for side in wish.sides]
    return [one for side in found for one in side] if all(found) else []


def _document_about(topic: frozenset[str], passages: list[Passage]) -> int | None:
    """Return the document whose title holds most of the topic, or else the best passage's."""
    named = [(len(topic & set(content_words(passage["title"]))), -place) for place, passage in enumerate(passages)]
    return passages[-max(named)[1]]["document_id"] if named else None


def _leading(answers: list[Quotation], number: int) -> list[Quotation]:
    own = sorted((one for one in answers if one.statement.number == number), key=lambda one: one.statement.place)
    return own[:LEADING]


def _of_side(
    side: frozenset[str], attribute: frozenset[str], answers: list[Quotation], passages: list[Passage]
) -> list[Quotation]:
    shares = [(_share(side, one, passages[one.statement.number - 1]), one) for one in answers]
    best = max((share for share, _ in shares), default=0.0)
    speaking = [one for share, one in shares if share == best >= SIDE_NAMED]
    if attribute or not speaking:
        return speaking[:1]
    # The passage that introduces it stands first in its document.
    first = min(speaking, key=lambda one: passages[one.statement.number - 1]["id"])
    return _leading(speaking, first.statement.number)


def _share(side: frozenset[str], one: Quotation, passage: Passage) -> float:
    """Return how much of a side's name stands in a statement or above it (0–1); a row is of what its label names."""
    above = " ".join([passage["title"], *passage["heading_path"]])
    text = one.statement.label or one.statement.text
    return len(side & set(content_words(f"{above} {text}"))) / len(side)
