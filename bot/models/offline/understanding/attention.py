"""Whether a message in a thread, said without a mention, is meant for the bot (pure).

Talking into a conversation between people is worse than missing a question that can be repeated with a mention. So an
unsure bot stays silent.
"""

from graph import patterns
from graph.asking.replies import says_nothing
from graph.context import Case
from graph.text.grounding import sentences
from graph.text.relevance import coverage, weigh, words_of
from graph.text.words import stems

BEARS = 0.6
"""How much of a question the documents must hold before the bot answers it among people."""

_QUESTION = patterns.compile(
    r"^(?:(?:and|but|so|ok(?:ay)?|hm+|und|aber|also)[, ]+)*(?:who|what|when|where|why|how|which|whose|is|are|does|do"
    r"|did|can|could|should|may|must|tell me|show me|explain"
    r"|wer|was|wann|wo|warum|wie|welche[rsmn]?|ist|sind|kann|darf|muss|gibt)\b"
    r"|^(?:and|und|e|et|y)\s(?:for|in|at|from|with|on|during|after|before|für|im|bei|mit|em|no|na|nos|nas|para)\b.*\?$",
    patterns.IGNORE_CASE,
)
"""How a question begins, or what goes on with the one before: "And in Hamburg?"."""
_ANNOUNCES = patterns.compile(
    r"^(?:(?:ok(?:ay)?|so|then|sure|yes|yeah|yep|right|great|good|perfect|cool|nice|fine|alright|all right|got it"
    r"|thanks?|thank you|thx|dann|ja|klar|gut|super|danke)[,.! ]+)*"
    r"(?:i['’]?ll|i will|let me(?P<know> know)?|ich werde)\b",
    patterns.IGNORE_CASE,
)
_THANKS = patterns.compile(r"\b(?:thank\w*|thx|danke)\b", patterns.IGNORE_CASE)
_TO_A_PERSON = patterns.compile(
    r"<@|^(?i:(?:and |so |but )?(?:(?:should|shall) we|(?:sollen|sollten|wollen) wir|let['’]?s))\b"
    r"|\b(?i:you|your|u|ya|du|dir|dich|dein\w*|ihr|euch)\b"
    r"|^(?:hey|hi|hello|Hey|Hi|Hello)\s+[A-Z]\w+|^[A-Z][a-zäöüß]+,\s|,\s*[A-Z][a-zäöüß]+\?$"
)


def announces(said: str) -> bool:
    """Tell whether a message says what its writer does next, and asks for nothing."""
    found = _ANNOUNCES.match(said.strip())
    is_asked = "?" in said or any(_QUESTION.match(one) for one in sentences(said))
    return found is not None and not found.has("know") and not is_asked


def is_thankful(said: str) -> bool:
    """Tell whether a message has a word of thanks."""
    return _THANKS.search(said) is not None


def reason_for_silence(case: Case) -> str:
    """Return why a message that mentions nobody is left to the people; empty if the bot should answer."""
    said, memory = case["question"].strip(), case["memory"]
    if not memory["exchanges"]:
        return "The bot was not asked anything in this thread yet."
    if len(memory["people"]) <= 1:
        return "It asks for nothing." if says_nothing(said) or announces(said) else ""
    if _TO_A_PERSON.search(said):
        return "It speaks to a person."
    if not _QUESTION.match(said):
        return "It is no question, and several people talk here."
    return "" if _bears(case) else "The documents hold too little of it to be sure that it is meant for the bot."


def _bears(case: Case) -> bool:
    question, passages = case["question"], case["passages"]
    asked = stems(question)
    if not asked:
        return False
    weights = weigh(question, passages)
    known = len(asked & weights.keys()) / len(asked)
    return known >= BEARS and any(coverage(weights, words_of(passage)) >= BEARS for passage in passages)
