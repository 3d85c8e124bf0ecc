"""What a follow-up names ("and in Porto?"), put in the place of its like in the question before (pure)."""

import re

from graph.passages import Facet
from graph.text.lexicon import EVERY_SMALL_WORD
from graph.text.words import STOP_WORDS, content_words, words

PREPOSITIONS = r"for|in|at|from|with|on|as|to|during|after|before|by|of|für|im|bei|mit|ab|als|während"


def exchanged(named: str, previous: str, facets: list[Facet]) -> str | None:
    """Return the question before, with what a follow-up names where its like stood; none without its like."""
    bare = re.sub(rf"^(?:(?:{PREPOSITIONS})\s+)?(?:(?:the|der|die|das|den|dem)\s+)?", "", named, flags=re.IGNORECASE)
    return (
        _sibling_exchanged(bare, previous, facets)
        or _counted_exchanged(bare, previous)
        or _head_exchanged(bare, previous)
        or _article_exchanged(bare, previous)
        or _name_exchanged(bare, previous)
        or _phrase_exchanged(named, previous)
    )


def sibling_named(question: str, previous: str, facets: list[Facet]) -> str | None:
    """Return the question before with the one value that a follow-up names, in whatever language; else none."""
    telling = set(words(question)) - EVERY_SMALL_WORD
    own = next((facet["label"] for facet in facets if telling == set(words(facet["label"]))), None)
    return _sibling_exchanged(own, previous, facets) if own else None


def _sibling_exchanged(named: str, previous: str, facets: list[Facet]) -> str | None:
    own = next((facet for facet in facets if set(content_words(named)) & set(content_words(facet["label"]))), None)
    siblings = [facet["label"] for facet in facets if own and facet["attribute"] == own["attribute"] and facet != own]
    for label in siblings:
        if re.search(rf"\b{re.escape(label)}\b", previous, re.IGNORECASE):
            return re.sub(rf"\b{re.escape(label)}\b", lambda _: named, previous, flags=re.IGNORECASE)
    return None


def _counted_exchanged(named: str, previous: str) -> str | None:
    if not re.search(r"\d", named):
        return None
    alike = re.sub(r"\\?\d[\d.,]*", lambda _: r"\d[\d.,]*", re.escape(named))
    exchanged = re.sub(rf"\b{alike}\b", lambda _: named, previous, count=1, flags=re.IGNORECASE)
    return exchanged if exchanged != previous else None


def _head_exchanged(named: str, previous: str) -> str | None:
    *modifiers, head = named.split()
    if not modifiers or not (found := re.search(rf"\b(?:(\S+)\s+)?{re.escape(head)}\b", previous, re.IGNORECASE)):
        return None
    before = found[1] or ""
    article = modifiers[0].lower() in STOP_WORDS
    kept = f"{before} " if before and before.lower() in STOP_WORDS and not article else ""
    return f"{previous[: found.start()]}{kept}{named}{previous[found.end() :]}"


def _article_exchanged(named: str, previous: str) -> str | None:
    """Exchange "a dog" for "a cat", where there is only one such thing."""
    if not re.fullmatch(r"(?:an?|eine?[mnrs]?)\s+[\w-]+", named, re.IGNORECASE):
        return None
    alike = re.findall(r"\b(?i:an?|eine?[mnrs]?)\s+[\w-]+(?:\s+[A-Z][\w-]*)*", previous)
    return previous.replace(alike[0], named, 1) if len(alike) == 1 else None


def _name_exchanged(named: str, previous: str) -> str | None:
    names = list(re.finditer(r"(?<=\s)[A-ZÄÖÜ][\w-]*(?:\s+[A-ZÄÖÜ0-9][\w-]*)*", previous))
    names = [name for name in names if name[0] != "I"]
    if not named[:1].isupper() or not names:
        return None
    return f"{previous[: names[-1].start()]}{named}{previous[names[-1].end() :]}"


def _phrase_exchanged(named: str, previous: str) -> str | None:
    preposition = re.match(rf"(?:{PREPOSITIONS})\b", named, re.IGNORECASE)
    if preposition is None:
        return None
    phrase = rf"\b{preposition[0]}\s+(?:(?!\b(?:{PREPOSITIONS})\b)[^?.,])+"
    if re.search(phrase, previous, re.IGNORECASE):
        return re.sub(phrase, lambda _: named, previous, count=1, flags=re.IGNORECASE)
    bare = previous.rstrip(" ?.!")
    return f"{bare} {named}?"
