"""What no team's documents answer: the weather, jokes, errands, code to be written (pure)."""

from bot.models.offline.understanding.lexicon import OF_THE_WORLD
from graph import patterns
from graph.passages import Passage
from graph.text.relevance import words_of
from graph.text.words import content_words, words

HELD = 0.6
"""A passage that holds this share of a question's words bears on it, whatever else the question speaks of."""

_PLEASE = r"^(?:(?:please|hey|hi|now|(?:can|could|would|will) you|i want you to|bitte|kannst du)[, ]+)*"
_MADE_TO_ORDER = patterns.compile(
    rf"{_PLEASE}(?:"
    r"(?:write|compose|make up|sing|draw|paint|generate|schreib\w*|dichte|male)\b(?:\s+\w+){0,4}\s+"
    r"(?:poem|song|haiku|story|essay|joke|code|function|script|program|limerick|picture|gedicht|lied|witz|geschichte)"
    r"|(?:play|sing|put on) (?:me |us )?(?:some |a |my )*(?:music|song|jazz|rock|playlist)|translate|übersetze"
    r")\b"
    r"|\b(?:tell|give|hear|know|got|say|erzähl\w*|kennst)\b(?:\s+\w+){0,4}\s+(?:jokes?|riddles?|fun facts?|witze?)\b"
    r"|\b(?:make me (?:laugh|smile)|something funny|(?:flip|toss) (?:a|the) coin|roll (?:a|the|some) dice?"
    r"|meaning of life)\b",
    patterns.IGNORE_CASE,
)
_ENDS_AS_A_RIDDLE = patterns.compile(
    rf"{_PLEASE}(?P<riddle>what(?:['’]?s| is) the capital of (?P<place>\w+)"
    r"|(?:what['’]?s|what is|how much is|calculate|was ist|wie ?viel ist) \d+"
    r"(?: ?(?:times|plus|minus|divided by|mal|durch|[x*+]) ?\d+| [/-] \d+)+)[ ?=.]*$",
    patterns.IGNORE_CASE,
)
_OUR_PLACES = frozenset({"the", "our", "this"})
_OVERRULES = patterns.compile(
    rf"{_PLEASE}(?:(?:ignore|forget|disregard|ignoriere|vergiss)\b.*\b(?:all|your|previous|earlier|above|alle|deine)"
    r"|(?:reveal|print|show|repeat|zeig)\b.*\b(?:your|system|deine))"
    r"(?: (?:system|previous|earlier))* ?(?:instructions?|prompts?|anweisung(?:en)?)\b",
    patterns.IGNORE_CASE,
)


def is_out_of_scope(question: str, passages: list[Passage]) -> bool:
    """Tell whether a question is clearly about the world, and no passage bears on it."""
    if _OVERRULES.search(question):
        return True
    held = [words_of(passage) for passage in passages]
    if ordered := _ordered(question):
        wanted = set(content_words(ordered))
        return not any(wanted <= found for found in held)
    worldly = set(content_words(" ".join(word for word in words(question) if word in OF_THE_WORLD)))
    asked = set(content_words(question))
    return bool(worldly) and not any(worldly & found or len(asked & found) >= HELD * len(asked) for found in held)


def _ordered(question: str) -> str:
    riddle = _ENDS_AS_A_RIDDLE.search(question)
    if riddle and riddle["place"].casefold() not in _OUR_PLACES:
        return riddle[0]
    ordered = _MADE_TO_ORDER.search(question)
    return ordered[0] if ordered else ""
