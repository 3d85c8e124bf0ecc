"""Questions about the conversation itself, and what to say to them without a model (pure)."""

import re

from graph.state import Exchange

_ABOUT_IT = re.compile(
    r"(?:(?:which|what) (?:source|document|page|file)s?\b.*\b(?:was|is|from|that|it|say|says|come)"
    r"|where (?:did you (?:get|find|read)|is) (?:that|this|it)(?: from)?"
    r"|(?:can|could) you (?:please )?(?:repeat|say|shorten|summari[sz]e|rephrase) (?:that|it|this)"
    r"|(?:please )?(?:repeat|shorten|summari[sz]e|rephrase) (?:that|it|this|your|the)\b"
    r"|.*\b(?:did you (?:just )?(?:say|answer|tell)|(?:in|from) your (?:last )?(?:answer|list)|was it again)\b"
    r"|what (?:was|were) (?:the|your|my) (?:\w+ )?(?:answer|source|question)s?|what did i (?:just )?ask"
    r"|was hast du (?:gesagt|geantwortet)|welche quelle war das|woher (?:weißt|hast) du das|.*\bnoch ?mal\b)",
    re.IGNORECASE,
)
_FIRST = re.compile(r"\b(?:first|erste[nrs]?)\b", re.IGNORECASE)
_WHOLE = re.compile(r"\bthis (?:thread|conversation)\b", re.IGNORECASE)


def is_about_the_conversation(question: str) -> bool:
    """Tell whether a question asks for what was said before."""
    return _ABOUT_IT.match(question.strip()) is not None


def recalled(question: str, exchanges: list[Exchange]) -> str:
    """Return what was asked and answered, the last time or the first, or every time; empty where nothing was."""
    if not exchanges:
        return ""
    if _WHOLE.search(question):
        return "".join(_told(exchange) for exchange in exchanges)
    return _told(exchanges[0] if _FIRST.search(question) else exchanges[-1])


def _told(exchange: Exchange) -> str:
    answer = re.sub(r"\s*\[\d+\](?!\()", "", exchange["answer"]).strip()
    came_from = f" The source was {', '.join(exchange['sources'])}." if exchange["sources"] else ""
    return f"You asked: {exchange['standalone']} The answer was: {answer}{came_from}\n\n"
