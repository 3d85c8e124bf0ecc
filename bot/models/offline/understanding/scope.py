"""What is not for the documents: errands, the world at large, orders to forget what the bot is for (pure)."""

from graph import patterns
from graph.passages import Passage
from graph.text.relevance import words_of
from graph.text.words import stems

HELD = 0.6
"""A passage that holds this share of a question's words bears on it, whatever else the question speaks of."""

_OVERRULES = patterns.compile(
    r"^(?:(?:please|hey|hi|now|(?:can|could|would|will) you|i want you to|bitte|kannst du)[, ]+)*"
    r"(?:(?:ignore|forget|disregard|ignoriere|vergiss)\b.*\b(?:all|your|previous|earlier|above|alle|deine)"
    r"|(?:reveal|print|show|repeat|zeig)\b.*\b(?:your|system|deine))"
    r"(?: (?:system|previous|earlier))* ?(?:instructions?|prompts?|anweisung(?:en)?)\b",
    patterns.IGNORE_CASE,
)


def overrules(question: str) -> bool:
    """Tell whether a message orders the bot to forget, or to show, what it was told to do."""
    return _OVERRULES.search(question) is not None


def bears(question: str, passages: list[Passage]) -> bool:
    """Tell whether a passage holds most words of a question; one word alone may stand anywhere."""
    asked = stems(question)
    return len(asked) > 1 and any(len(asked & words_of(passage)) >= HELD * len(asked) for passage in passages)
