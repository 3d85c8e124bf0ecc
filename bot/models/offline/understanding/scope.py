"""What is not for the documents: errands, the world at large, orders to forget what the bot is for (pure)."""

from graph import patterns
from graph.passages import Passage
from graph.text.relevance import words_of
from graph.text.words import stems

HELD = 0.6
"""A passage that holds this share of a question's words bears on it, whatever else the question speaks of."""

_POLITELY = r"^(?:(?:please|hey|hi|now|(?:can|could|would|will) you|i want you to|bitte|kannst du)[, ]+)*"
_TOLD = r"(?: (?:system|previous|earlier))* ?(?:instructions?|prompts?|anweisung(?:en)?)\b"
_FORGETS = patterns.compile(
    rf"{_POLITELY}(?:ignore|forget|disregard|ignoriere|vergiss)\b.*\b(?:all|your|previous|earlier|above|alle|deine){_TOLD}",
    patterns.IGNORE_CASE,
)
_OWN = r"(?:the|hidden|secret|full|whole|entire|complete|exact|original|initial|internal|raw|own|den|die|geheimen?)"
_SHOWS = patterns.compile(
    rf"{_POLITELY}(?:reveal|print|show|repeat|zeige?)\b"
    rf"(?:(?:.*\b(?:your|deine)|(?: (?:me|us|out|mir|uns))* system|.*\b{_OWN} system){_TOLD}|.*\bsystem ?prompt\b)",
    patterns.IGNORE_CASE,
)
"""Other things than the bot have instructions, too: "Show me the alarm system instructions"."""


def overrules(question: str, passages: list[Passage]) -> bool:
    """Tell whether a message orders the bot to forget, or to show, what it was told to do and no passage says."""
    return bool(_FORGETS.search(question) or (_SHOWS.search(question) and not bears(question, passages)))


def bears(question: str, passages: list[Passage]) -> bool:
    """Tell whether a passage holds most words of a question; one word alone may stand anywhere."""
    asked = stems(question)
    return len(asked) > 1 and any(len(asked & words_of(passage)) >= HELD * len(asked) for passage in passages)
