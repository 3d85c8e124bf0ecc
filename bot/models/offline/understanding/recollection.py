"""Questions about the conversation itself, and what to say to them without a model (pure)."""

from graph import patterns
from graph.state import Exchange

_CITATION = patterns.compile(r"\s*\[\d+\](?P<link>\(?)")
_ABOUT_IT = patterns.compile(
    r"(?:(?:which|what) (?:source|document|page|file)s?\b.*\b(?:(?:was|were) (?:that|this|it|those|these)"
    r"|(?:is|was) (?:that|this|it) from|did you|(?:did|does) (?:that|this|it) come|have you|you use|your answer)\b"
    r"|where (?:did you (?:get|find|read)\b|(?:is|was) (?:that|this|it) (?:from|said|written)"
    r"|does (?:that|this|it) come from)"
    r"|(?:can|could) you (?:please )?(?:repeat|say|shorten|summari[sz]e|rephrase) (?:that|it|this)\b"
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
_FIRST = patterns.compile(r"\b(?:first|erste[nrs]?)\b", patterns.IGNORE_CASE)
_WHOLE = patterns.compile(r"\bthis (?:thread|conversation)\b", patterns.IGNORE_CASE)


def is_about_the_conversation(question: str) -> bool:
    """Tell whether a question asks for what was said before."""
    found = _ABOUT_IT.match(question.strip())
    return found is not None and not found.has("of")


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
