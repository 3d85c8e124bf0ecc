"""What no team's documents answer: the weather, jokes, errands, code to be written (pure)."""

import re

from bot.models.offline.understanding.lexicon import OF_THE_WORLD
from graph.passages import Passage
from graph.text.relevance import words_of
from graph.text.words import content_words, words

HELD = 0.6
"""A passage that holds this share of a question's words bears on it, whatever else the question speaks of."""

_PLEASE = r"^(?:(?:please|hey|hi|now|(?:can|could|would|will) you|i want you to|bitte|kannst du)[, ]+)*"
_MADE_TO_ORDER = re.compile(
    rf"{_PLEASE}(?:"
    r"(?:write|compose|make up|sing|draw|paint|generate|schreib\w*|dichte|male)\b(?:\s+\w+){0,4}\s+"
    r"(?:poem|song|haiku|story|essay|joke|code|function|script|program|limerick|picture|gedicht|lied|witz|geschichte)"
    r"|(?:play|sing|put on) (?:me |us )?(?:some |a |my )*(?:music|song|jazz|rock|playlist)|translate|übersetze"
    r"|what(?:['’]?s| is) the capital of (?!the\b|our\b|this\b)\w+(?=[ ?.]*$)"
    r"|(?:what['’]?s|what is|how much is|calculate|was ist|wie ?viel ist) \d+"
    r"(?: ?(?:times|plus|minus|divided by|mal|durch|[x*+]) ?\d+| [/-] \d+)+(?=[ ?=.]*$)"
    r")\b"
    r"|\b(?:tell|give|hear|know|got|say|erzähl\w*|kennst)\b(?:\s+\w+){0,4}\s+(?:jokes?|riddles?|fun facts?|witze?)\b"
    r"|\b(?:make me (?:laugh|smile)|something funny|(?:flip|toss) (?:a|the) coin|roll (?:a|the|some) dice?"
    r"|meaning of life)\b",
    re.IGNORECASE,
)
_OVERRULES = re.compile(
    rf"{_PLEASE}(?:(?:ignore|forget|disregard|ignoriere|vergiss)\b.*\b(?:all|your|previous|earlier|above|alle|deine)"
    r"|(?:reveal|print|show|repeat|zeig)\b.*\b(?:your|system|deine))"
    r"(?: (?:system|previous|earlier))* ?(?:instructions?|prompts?|anweisung(?:en)?)\b",
    re.IGNORECASE,
)


def is_out_of_scope(question: str, passages: list[Passage]) -> bool:
    """Tell whether a question is clearly about the world, and no passage bears on it."""
    if _OVERRULES.search(question):
        return True
    held = [words_of(passage) for passage in passages]
    if ordered := _MADE_TO_ORDER.search(question):
        wanted = set(content_words(ordered[0]))
        return not any(wanted <= found for found in held)
    worldly = set(content_words(" ".join(word for word in words(question) if word in OF_THE_WORLD)))
    asked = set(content_words(question))
    return bool(worldly) and not any(worldly & found or len(asked & found) >= HELD * len(asked) for found in held)
