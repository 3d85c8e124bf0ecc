"""Questions about the conversation itself, and what to say to them without a model (pure)."""

from typing import NamedTuple

from bot.models.offline.understanding.retelling import Shape, point, reshaped, shape_of
from bot.models.offline.understanding.small_talk import is_courtesy
from graph import patterns
from graph.answer.draft import CITATION
from graph.asking.replies import place_of
from graph.memory import WITHHELD
from graph.passages import Source
from graph.state import Exchange
from graph.text.grounding import citations
from graph.text.wording import (
    IF_IT_IS_WRONG,
    IN_SHORT,
    REFERS_TO_NOTHING,
    THE_ANSWER_WAS,
    THE_SOURCE_WAS,
    THE_SOURCES_WERE,
    YOU_ASKED,
    spoken,
)
from graph.text.words import language_of, stems, words

_ONCE_MORE = (
    r"(?: (?:again|please|pls|once more|one more time|for me|briefly"
    r"|as (?:a list|bullet points|a table)|in (?:english|german|portuguese|short|bullet points|other words"
    r"|(?:one|a|two|three|a few) (?:sentence|word|line)s?)))*\W*$"
)
"""What may follow "that": of "this quarter's results" nobody has spoken yet."""
_ABOUT_IT = patterns.compile(
    r"(?:(?:which|what) (?:source|document|page|file)s?\b.*\b(?:(?:was|were) (?:that|this|it|those|these)"
    r"|(?:is|was) (?:that|this|it) from|did you|(?:did|does) (?:that|this|it) come|have you|you use|your answer)\b"
    r"|where (?:did you (?:get|find|read)\b|(?:is|was) (?:that|this|it) (?:from|said|written)"
    r"|does (?:that|this|it) come from)"
    r"|(?:(?:can|could|will|would) you )?(?:please |pls )*(?:repeat|say|tell me|shorten|summari[sz]e|rephrase)"
    rf" (?:(?:that|it|this|this (?:answer|thread|conversation|discussion)){_ONCE_MORE}|what you (?:just )?said\b"
    r"|yourself\b|(?:the |your )?(?:(?:last|previous|first) )?(?:answer|thread|conversation|discussion)\b)"
    r"|.*\b(?:did you (?:just )?(?:say|answer|tell)|(?:in|from) your (?:last )?(?:answer|list))\b"
    r"|(?:.* )?was it again\W*$"
    r"|what (?:was|were) (?:your|my) (?:(?:first|last|previous|original) )?(?:answer|source|question)s?\b"
    r"|what (?:was|were) the (?:(?:first|last|previous|original) )?(?:answer|source|question)s?"
    r"(?: (?:of|for|to) (?:that|this|it|(?:the|my|your|that|this) (?:\w+ )?(?:answer|question|claim|number|figure))"
    rf"| (?:that )?(?:i|you)(?: just)? \w+)?{_ONCE_MORE}"
    r"|what did i (?:just )?ask"
    r"|was hast du (?:\w+ )?(?:gesagt|geantwortet)|welche quelle war das|woher (?:weißt|hast) du das"
    r"|.*\bwar(?:en)? (?:(?:das|es|die|der) )?noch ?mal(?: (?:die|deine) (?:antwort|quelle))?\W*$"
    r"|(?:(?:und|bitte|kannst du|sag|wiederhole?|erkläre?|das|es|mir)[ ,]+)*noch ?mal"
    r"(?:,? (?:bitte|kurz|(?:auf|in) \w+|sagen|wiederholen|erklären|zusammenfassen))*\W*$)",
    patterns.IGNORE_CASE,
)
_MORE = r"(?:more|less|most|least|mehr|weniger|mais|menos)"
_COMPARES = patterns.compile(
    r"(?:(?:and|so|then|und|also|e|ok(?:ay)?)[ ,]+)*"
    r"(?:(?:which|who)(?: one)?(?: of (?:the|these|those|them))?(?: (?:two|three|both))?"
    r"|welche[rsn]?(?: (?:von|davon|der|den|beiden|zwei|dreien?))*|w(?:as|er)(?: davon| von beiden)?"
    r"|(?:e )?qual(?: (?:dos|das|deles|delas|dois|duas|é))*)"
    rf" (?:(?:is|are|was|ist|sind|é) (?:the )?{_MORE}(?: \w+)?"
    rf"|(?:(?:has|gets?|takes?|costs?|lasts?|pays?|hat|kostet|dauert|bekommt|tem|custa|dura) (?:the )?)?{_MORE}"
    r"(?: (?P<noun>\w+))?"
    r"|(?:(?:is|are|was|has|gets?|takes?|costs?|lasts?|pays?|ist|sind|hat|kostet|dauert|bekommt|é|tem|custa|dura)"
    r" (?:the )?)?(?:better|best|worse|worst|besser|melhor|maior|menor"
    r"|(?:long|short|high|low|larg|small|bigg|cheap|fast|quick|slow|earli|lat|old|young|new|clos|near|few|strict"
    r"|läng|kürz|höh|niedrig|größ|klein|billig|günstig|teur|schnell|früh|spät|ält|jüng|neu)e?(?:r|st|sten?|er|est)))"
    r"\W*",
    patterns.IGNORE_CASE,
)
"""Compares what was said: "which of the two is longer?"."""
_OF_THOSE = patterns.compile(
    r"^(?:and|so|then|und|also|e)\b"
    r"|\b(?:one|of|two|three|both|von|davon|der|den|beiden|zwei|dreien?|dos|das|deles|delas|dois|duas)\b",
    patterns.IGNORE_CASE,
)
"""What of a comparison refers to things that were named: "Who is older?" does not."""
_DOUBTS = patterns.compile(
    r"(?:(?:and|but|hm+|oh|wait|ok(?:ay)?|no|aber|und|mas|e)[ ,.!?]+)*"
    r"(?:(?:(?:are|r) (?:you|u) (?:(?:really|quite|absolutely|very|so) )*(?:sure|certain|positive)"
    r"|huh|pardon|come again|hä+h?|wie bitte|o quê|como assim|what do you mean(?: by)?|was meinst du(?: damit)?"
    r"|is (?:that|this|it) (?:really |still )?(?:true|right|correct|so|certain)"
    r"|(?:that|this) (?:can(?:['’]?t|not) be|(?:does|do)(?:n['’]?t| not) (?:sound|seem|look))"
    r" (?:true|right|correct|possible)|how do you know"
    r"|(?:da |dir )?bist du (?:(?:dir|da|dessen|ganz|wirklich|so) )*sicher"
    r"|(?:stimmt|ist) das(?: (?:wirklich|richtig|wahr|so|sicher))*|(?:tens|tem) (?:a )?certeza)"
    r"(?: (?:about|of|on) (?:that|this|it)| (?:that|this|it)| (?:disso|davon|now|though))*\W*"
    r"|(?:but )?(?:why|how come|warum|wieso|porquê|por quê)(?: (?:is|ist|é) (?:that|this|it|das|isso))?(?: so)?\W*"
    # Without a question mark these agree.
    r"|(?:(?:you(?:['’]re)? )?sure|really|for real|seriously|right|correct|true"
    r"|(?:that|this) (?:is|can be) (?:true|right|correct|possible)"
    r"|(?:(?:ganz|wirklich|da|echt) )*(?:sicher|wirklich|echt|ernsthaft|richtig)"
    r"|a sério|sério|(?:isso )?(?:é|está) (?:mesmo |isso )*(?:verdade|certo|assim))"
    r"(?: (?:about|of|on) (?:that|this|it)| (?:that|this|it)| (?:disso|davon|now|though))*[\s.!]*\?\W*)",
    patterns.IGNORE_CASE,
)
_DENIES = patterns.compile(
    r"(?:(?:no|nope|sorry|but|hm+|ok(?:ay)?|nein|aber|não|mas)[ ,.!]+)*"
    r"(?:(?:(?:that|this|it|the answer|your answer|what you said|you)(?: is|['’]?s| are|['’]?re| seems| sounds| looks)"
    r"|(?:das|es|die antwort|deine antwort|du) (?:ist|klingt|bist|liegst)"
    r"|(?:isso |a resposta |a tua resposta )?(?:está|é))? ?"
    r"(?:(?:just|simply|clearly|totally|einfach|völlig) )*"
    r"(?:(?:wrong|incorrect|false|mistaken|not (?:true|right|correct))(?: answer)?|(?:die )?falsch(?:e antwort)?"
    r"|nicht (?:richtig|wahr)|errad[oa]|resposta errada)"
    r"|(?:das|es) stimmt (?:so )?nicht|(?:isso )?não (?:está|é) (?:certo|correto|verdade))[\s.!]*",
    patterns.IGNORE_CASE,
)
_SHORTER = patterns.compile(
    r"(?:(?:and|can|could|you|please|make|it|that|a bit|a little|much|und|bitte|etwas|e)[ ,]+)*"
    r"(?:shorter|more briefly|too long|kürzer|zu lang|mais curto)(?:[ ,]+(?:please|pls|bitte|por favor))*\W*",
    patterns.IGNORE_CASE,
)
_FIRST = patterns.compile(r"\b(?:first|erste[nrs]?)\b", patterns.IGNORE_CASE)
_WHOLE = patterns.compile(r"\bthis (?:thread|conversation)\b", patterns.IGNORE_CASE)


class Recalled(NamedTuple):
    """What is said from the conversation."""

    text: str
    question: str = ""
    """The stand-alone question that it is about. What is asked next goes on with it."""
    cites: tuple[Source, ...] = ()
    """The sources that the numbers in the text mean."""


def is_about_the_conversation(question: str, exchanges: list[Exchange]) -> bool:
    """Tell whether a question asks for what was said before, doubts it, compares it, or wants it in another form."""
    return _is_about_it(without_earlier_requests(question, exchanges).strip(), exchanges)


def without_earlier_requests(question: str, exchanges: list[Exchange]) -> str:
    """Return the last of several messages in a row that ask for what was said; the whole if a line says more.

    "Shorter please" and "are you sure?" are no words to search for together, and "thanks" behind them takes none back.
    """
    lines = [line.strip() for line in question.splitlines() if line.strip()]
    if len(lines) <= 1:
        return question
    asking = [line for line in lines if _is_about_it(line, exchanges)]
    is_burst = all(line in asking or is_courtesy(line) for line in lines)
    return asking[-1] if asking and is_burst else question


def _is_about_it(said: str, exchanges: list[Exchange]) -> bool:
    return bool(exchanges) and (
        _ABOUT_IT.match(said) is not None
        or _DOUBTS.fullmatch(said) is not None
        or _DENIES.fullmatch(said) is not None
        or _compares(said, exchanges[-1]["answer"])
        or (_is_of_an_answer(said) and any(exchange["sources"] for exchange in exchanges))
    )


def last_answered(exchanges: list[Exchange]) -> Exchange:
    """Return the last exchange with an answer from documents; the last of all without one.

    What was told again in another form is left out, and what may no longer be told is not passed over.
    """
    new = _new(exchanges)
    rests = [one for one in new if one["sources"] or one["answer"] == WITHHELD]
    return (rests or new)[-1]


def place_named(said: str) -> int | None:
    """Return the place in an answer that a message names, and nothing else; none if it names a number of points."""
    return None if shape_of(said) else place_of(said)


def _is_of_an_answer(said: str) -> bool:
    """Tell whether a message only makes sense of an answer: "shorter", "in three bullets", "the last point"."""
    is_form = _SHORTER.fullmatch(said.strip()) is not None or shape_of(said) is not None
    return is_form or place_named(said) is not None


def _new(exchanges: list[Exchange]) -> list[Exchange]:
    """Return the exchanges whose answer was not told from earlier ones. The first one is never left out."""
    return [one for place, one in enumerate(exchanges) if not _is_told_again(one, exchanges[:place])]


def _is_told_again(exchange: Exchange, before: list[Exchange]) -> bool:
    # What may no longer be told has its own words for a stand-alone question.
    is_same = exchange["answer"] == WITHHELD or any(one["standalone"] == exchange["standalone"] for one in before)
    return is_same and is_about_the_conversation(exchange["question"], before)


def _compares(said: str, answer: str) -> bool:
    """Tell whether a question compares what was answered: more of what the answer holds, or the things it named."""
    found = _COMPARES.fullmatch(said)
    if found is None:
        return False
    if found.has("noun"):
        return stems(found["noun"]) <= stems(answer)
    return _OF_THOSE.search(said) is not None


def recalled(question: str, exchanges: list[Exchange]) -> Recalled:
    """Return what was asked and answered, the last time or the first, or every time; in another form if asked to."""
    said, language, new = question.strip(), _language(question, exchanges), _new(exchanges)
    if _WHOLE.search(question):
        return Recalled("\n\n".join(_told(exchange, language) for exchange in new), new[-1]["standalone"])
    # Nobody doubts or shortens small talk: what is meant is the last answer from the documents.
    answered = last_answered(exchanges)
    if _is_of_an_answer(said):
        return _retold(said, answered, language)
    is_denied = _DENIES.fullmatch(said) is not None
    if not is_denied and _DOUBTS.fullmatch(said) is None:
        answered = new[0] if _FIRST.search(question) else new[-1]
    hint = f"\n\n{spoken(IF_IT_IS_WRONG, language)}" if is_denied else ""
    return Recalled(f"{_told(answered, language)}{hint}", answered["standalone"])


def _language(said: str, exchanges: list[Exchange]) -> str:
    """Return the language of a message; "Sicher?" is in that of what was asked before."""
    # "Tens a certeza?" has an English "a".
    bare = " ".join(word for word in words(said) if len(word) > 1)
    every = (bare, *(exchange["question"] for exchange in reversed(exchanges)))
    return next(filter(None, (language_of(one, default="") for one in every)), "en")


def _told(exchange: Exchange, language: str) -> str:
    """Return a question, its answer and where that came from; a long answer keeps its form in lines of its own."""
    asked, answer = spoken(YOU_ASKED, language, question=exchange["standalone"]), _said(exchange)
    parts = [spoken(THE_ANSWER_WAS, language), answer, _came_from(exchange, language)]
    between = "\n\n" if "\n" in answer else " "
    return f"{asked}\n\n{between.join(filter(None, parts))}"


def _retold(said: str, exchange: Exchange, language: str) -> Recalled:
    """Return one point of an answer, or the answer in another form."""
    place = place_named(said)
    if place is None:
        shape = shape_of(said) or Shape("sentences", 1)
        return _cited(_reshaped(exchange["answer"], shape, language), exchange, language)
    told = point(exchange["answer"], place)
    if told:
        return _cited(told, exchange, language)
    return Recalled(spoken(REFERS_TO_NOTHING, language, words=said), exchange["standalone"])


def _reshaped(answer: str, shape: Shape, language: str) -> str:
    """Return an answer in another form. Without a model, nothing says it in other words."""
    told = reshaped(answer, shape)
    return spoken(IN_SHORT, language, said=told) if shape.kind == "sentences" and told != answer else told


def _cited(told: str, exchange: Exchange, language: str) -> Recalled:
    """Return a part of an answer with what it cites; with the documents' titles if that is not known any more."""
    cited = tuple(source for source in exchange.get("cited", []) if source["number"] in citations(told))
    if cited:
        return Recalled(told, exchange["standalone"], cited)
    plain = _without_numbers(told)
    came_from = f" {_came_from(exchange, language)}" if plain != told.strip() else ""
    return Recalled(f"{plain}{came_from}".rstrip(), exchange["standalone"])


def _said(exchange: Exchange) -> str:
    return _without_numbers(exchange["answer"])


def _without_numbers(text: str) -> str:
    return CITATION.sub("", text).strip()


def _came_from(exchange: Exchange, language: str) -> str:
    """Return a sentence with the titles of the documents that an answer cited; empty without any."""
    # Without a citation the sources are only the nearest documents, which do not hold the answer.
    cited = exchange["sources"] if _said(exchange) != exchange["answer"].strip() else []
    titles = list(dict.fromkeys(cited))
    said = THE_SOURCE_WAS if len(titles) == 1 else THE_SOURCES_WERE
    return spoken(said, language, titles=", ".join(titles)) if titles else ""
