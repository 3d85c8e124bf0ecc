"""What no team's documents answer: the weather, jokes, errands, code to be written (pure)."""

import re

from graph.bearing import words_of
from graph.passages import Passage
from graph.words import content_words, words

_MADE_TO_ORDER = re.compile(
    r"\b(?:"
    r"(?:write|compose|make up|sing|draw|paint|generate|code|program|schreib\w*|dichte|male)\b(?:\s+\w+){0,4}\s+"
    r"(?:poem|song|haiku|story|essay|joke|code|function|script|program|limerick|picture|gedicht|lied|witz|geschichte)"
    r"|(?:tell|give|hear|know|got|say|erzähl\w*|kennst)\b(?:\s+\w+){0,4}\s+(?:jokes?|riddles?|fun facts?|witze?)"
    r"|make me (?:laugh|smile)|something funny|(?:flip|toss) (?:a|the) coin|roll (?:a|the|some) dice?|meaning of life"
    r"|capital of|\d+ ?(?:times|plus|minus|divided by|[x*+/-]) ?\d+"
    r"|(?:ignore|forget|reveal|print) .*(?:instructions|prompt)"
    r"|(?:play|sing|put on) (?:me |us )?(?:some |a |my )*(?:music|song|jazz|rock|playlist)"
    r")\b",
    re.IGNORECASE,
)
_OF_THE_WORLD = frozenset(
    re.findall(
        r"\w+",
        """
        weather forecast raining rain snow sunny humidity wetter regnet horoscope football soccer nba nfl olympics
        bundesliga recipe recipes calories ingredient ingredients cook rezept movie movies film song lyrics
        playlist bitcoin president election elections kanzler translate übersetze synonym timer alarm
        wecker uber restaurant restaurants planet dinosaur dinosaurs celebrity actor actress singer joke jokes
        galaxy mileage mpg tire tires
        """,
    )
)


def is_out_of_scope(question: str, passages: list[Passage]) -> bool:
    """Tell whether a question is clearly about the world, and no passage holds the word that says so."""
    if _MADE_TO_ORDER.search(question):
        return True
    worldly = {word for word in words(question) if word in _OF_THE_WORLD}
    held = {word for passage in passages for word in words_of(passage)}
    return bool(worldly) and not held & set(content_words(" ".join(worldly)))
