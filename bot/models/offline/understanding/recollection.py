"""Questions about the conversation itself, and what to say to them without a model (pure)."""

from graph import patterns
from graph.state import Exchange

_CITATION = patterns.compile(r"\s*\[\d+\](?P<link>\(?)")
_ABOUT_IT = patterns.compile(
    r"(?:(?:which|what) (?:source|document|page|file)s?\b.*\b(?:(?:was|were) (?:that|this|it|those|these)"
    r"|(?:is|was) (?:that|this|it) from|did you|(?:did|does) (?:that|this|it) come|have you|you use|your answer)\b"
    r"|where (?:did you (?:get|find|read)\b|(?:is|was) (?:that|this|it) (?:from|said|written)"
    r"|does (?:that|this|it) come from)"
    r"|(?:can|could|will|would) you (?:please )?(?:repeat|say|shorten|summari[sz]e|rephrase)"
    r" (?:that|it|this|what you|your(?:self| answer))\b"
    r"|(?:please |pls )*(?:say|repeat|tell me) (?:that|it|this|what you said)(?: (?:again|once more|please))*\W*$"
    r"|(?:please )?(?:repeat|shorten|summari[sz]e|rephrase)"
    r" (?:(?:that|it|this|your)\b(?P<of> (?:document|page|file|policy))?"
    r"|(?:the )?(?:(?:last|previous|first) )?(?:answer|thread|conversation|discussion)\b)"
    r"|.*\b(?:did you (?:just )?(?:say|answer|tell)|(?:in|from) your (?:last )?(?:answer|list)|was it again)\b"
    r"|what (?:was|were) (?:the|your|my) (?:(?:first|last|previous|original) )?(?:answer|source|question)s?"
    r"|what did i (?:just )?ask"
    r"|was hast du (?:\w+ )?(?:gesagt|geantwortet)|welche quelle war das|woher (?:weißt|hast) du das"
    r"|.*\bwar(?:en)? (?:(?:das|es|die|der) )?noch ?mal\b"
    r"|(?:(?:und|bitte|kannst du|sag|wiederhole?|erkläre?|das|es|mir)[ ,]+)*noch ?mal\b)",
    patterns.IGNORE_CASE,
)
_COMPARES = patterns.compile(
    r"(?:(?:and|so|then|und|also|e|ok(?:ay)?)[ ,]+)*"
    r"(?:(?:which|who)(?: one)?(?: of (?:the|these|those|them))?(?: (?:two|three|both))?"
    r"|welche[rsn]?(?: (?:von|davon|der|den|beiden|zwei|dreien?))*|w(?:as|er)(?: davon| von beiden)?"
    r"|(?:e )?qual(?: (?:dos|das|deles|delas|dois|duas|é))*)"
    r" (?:(?:is|are|was|has|gets?|takes?|costs?|lasts?|pays?|ist|sind|hat|kostet|dauert|bekommt|é|tem|custa|dura)"
    r" (?:the )?)?(?:(?:more|less|most|least|mehr|weniger|mais|menos)(?: \w+)?"
    r"|better|best|worse|worst|besser|melhor|maior|menor"
    r"|(?:long|short|high|low|larg|small|bigg|cheap|fast|quick|slow|earli|lat|old|young|new|clos|near|few|strict"
    r"|läng|kürz|höh|niedrig|größ|klein|billig|günstig|teur|schnell|früh|spät|ält|jüng|neu)e?(?:r|st|sten?|er|est))"
    r"\W*",
    patterns.IGNORE_CASE,
)
"""Compares what was said: "which of the two is longer?"."""
_DOUBTS = patterns.compile(
    r"(?:(?:and|but|hm+|oh|wait|ok(?:ay)?|no|aber|und|mas|e)[ ,.!?]+)*"
    r"(?:(?:are|r) (?:you|u) (?:(?:really|quite|absolutely|very|so) )*(?:sure|certain|positive)"
    r"|(?:you(?:['’]re)? )?sure"
    r"|huh|pardon|come again|hä+h?|wie bitte|o quê|como assim|what do you mean(?: by)?|was meinst du(?: damit)?"
    r"|really|for real|seriously|is (?:that|this|it) (?:really |still )?(?:true|right|correct|so|certain)"
    r"|(?:that|this) (?:is|can(?:['’]?t|not) be|(?:does|do)(?:n['’]?t| not) (?:sound|seem|look))"
    r" (?:true|right|correct|wrong|possible)|how do you know"
    r"|(?:bist du|da|dir|ganz|wirklich|sicher)(?: (?:bist du|du|dir|da|dessen|ganz|wirklich|sicher))*"
    r"|(?:stimmt|ist) das(?: (?:wirklich|richtig|wahr|so|sicher))*|echt|ernsthaft"
    r"|(?:tens|tem) (?:a )?certeza|a sério|sério|(?:isso )?(?:é|está) (?:mesmo |isso )*(?:verdade|certo|assim))"
    r"(?: (?:about|of|on) (?:that|this|it)| (?:that|this|it)| (?:disso|davon|now|though))*\W*",
    patterns.IGNORE_CASE,
)
_FIRST = patterns.compile(r"\b(?:first|erste[nrs]?)\b", patterns.IGNORE_CASE)
_WHOLE = patterns.compile(r"\bthis (?:thread|conversation)\b", patterns.IGNORE_CASE)


def is_about_the_conversation(question: str) -> bool:
    """Tell whether a question asks for what was said before, doubts it, or compares it."""
    said = question.strip()
    found = _ABOUT_IT.match(said)
    return (found is not None and not found.has("of")) or any(
        pattern.fullmatch(said) for pattern in (_DOUBTS, _COMPARES)
    )


def recalled(question: str, exchanges: list[Exchange]) -> str:
    """Return what was asked and answered, the last time or the first, or every time; empty where nothing was."""
    if not exchanges:
        return ""
    if _WHOLE.search(question):
        return "".join(_told(exchange) for exchange in exchanges)
    return _told(exchanges[0] if _FIRST.search(question) else exchanges[-1])


def _told(exchange: Exchange) -> str:
    answer = _CITATION.sub(lambda found: found[0] if found["link"] else "", exchange["answer"]).strip()
    # Without a citation the sources are only the nearest documents, which do not hold the answer.
    cited = exchange["sources"] if answer != exchange["answer"].strip() else []
    came_from = f" The source was {', '.join(cited)}." if cited else ""
    return f"You asked: {exchange['standalone']} The answer was: {answer}{came_from}\n\n"
