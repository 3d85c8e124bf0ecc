"""What a follow-up names ("and in Porto?"), put in the place of its like in the question before (pure)."""

from collections.abc import Iterable, Sequence

from graph import patterns
from graph.passages import Facet
from graph.text.lexicon import EVERY_SMALL_WORD
from graph.text.words import STOP_WORDS, stems, words

PREPOSITIONS = r"for|in|at|from|with|on|as|to|during|after|before|by|of|für|im|bei|mit|ab|als|während"
_PREPOSITION = patterns.compile(rf"(?:{PREPOSITIONS})\b", patterns.IGNORE_CASE)
_PHRASE_ENDS = patterns.compile(rf"[?.,]|\b(?:{PREPOSITIONS})\b", patterns.IGNORE_CASE)
_BEFORE_A_NAME = patterns.compile(
    rf"^(?:(?:{PREPOSITIONS})\s+)?(?:(?:the|der|die|das|den|dem)\s+)?", patterns.IGNORE_CASE
)
_NUMBER = patterns.compile(r"\d[\d.,]*")
_LAST_CAPITAL = "Ü"
"""Patterns take letters of other scripts for capitals, too."""
_THING = patterns.compile(r"(?:an?|eine?[mnrs]?)\s+[\w-]+", patterns.IGNORE_CASE)
_THING_NAMED = patterns.compile(r"\b(?i:an?|eine?[mnrs]?)\s+[\w-]+(?:\s+[A-Z][\w-]*)*")
_NAME = patterns.compile(r"\s(?P<it>[A-Z][\w-]*(?:\s+[A-Z0-9][\w-]*)*)")


def exchanged(named: str, previous: str, facets: list[Facet], columns: Iterable[Sequence[str]] = ()) -> str | None:
    """Put what a follow-up names into the question before, in the place of what is like it.

    Return `None` if nothing is like it. Two cells of one of the `columns` of tables are alike, too.
    """
    bare = _BEFORE_A_NAME.sub("", named)
    return (
        _sibling_exchanged(bare, previous, facets)
        or _cell_exchanged(bare, previous, columns)
        or _counted_exchanged(bare, previous)
        or _head_exchanged(bare, previous)
        or _article_exchanged(bare, previous)
        or name_exchanged(bare, previous)
        or _phrase_exchanged(named, previous)
    )


def sibling_named(question: str, previous: str, facets: list[Facet]) -> str | None:
    """Return the question before with the one value that a follow-up names, in whatever language; else `None`."""
    telling = set(words(question)) - EVERY_SMALL_WORD
    own = next((facet["label"] for facet in facets if telling == set(words(facet["label"]))), None)
    return _sibling_exchanged(own, previous, facets) if own else None


def _sibling_exchanged(named: str, previous: str, facets: list[Facet]) -> str | None:
    own = next((facet for facet in facets if stems(named) & stems(facet["label"])), None)
    siblings = [facet["label"] for facet in facets if own and facet["attribute"] == own["attribute"] and facet != own]
    return one_exchanged(siblings, named, previous)


def _cell_exchanged(named: str, previous: str, columns: Iterable[Sequence[str]]) -> str | None:
    """Exchange "the hall" for "the yard", if both have rows or columns of their own in one table."""
    own = stems(named)
    for cells in columns:
        told = {cell: stems(cell) for cell in cells}
        if not own or own not in told.values():
            continue
        others = sorted((cell for cell, other in told.items() if other and other != own), key=len, reverse=True)
        if found := one_exchanged(others, named, previous):
            return found
    return None


def one_exchanged(labels: Iterable[str], named: str, previous: str) -> str | None:
    """Return the question before with a name in the place of the first of these labels that it has; else none."""
    for label in labels:
        said = patterns.compile(rf"\b{patterns.escape(label)}\b", patterns.IGNORE_CASE)
        if said.search(previous):
            return said.sub(named, previous)
    return None


def _counted_exchanged(named: str, previous: str) -> str | None:
    if not _NUMBER.search(named):
        return None
    alike = _NUMBER.sub(r"\d[\d.,]*", patterns.escape(named))
    exchanged = patterns.compile(rf"\b{alike}\b", patterns.IGNORE_CASE).sub(named, previous, count=1)
    return exchanged if exchanged != previous else None


def _head_exchanged(named: str, previous: str) -> str | None:
    *modifiers, head = named.split()
    if not modifiers:
        return None
    with_word = patterns.compile(rf"\b(?:(\S+)\s+)?{patterns.escape(head)}\b", patterns.IGNORE_CASE)
    if not (found := with_word.search(previous)):
        return None
    before = found[1]
    article = modifiers[0].lower() in STOP_WORDS
    kept = f"{before} " if before and before.lower() in STOP_WORDS and not article else ""
    return f"{previous[: found.start()]}{kept}{named}{previous[found.end() :]}"


def _article_exchanged(named: str, previous: str) -> str | None:
    """Exchange "a dog" for "a cat", if there is only one such thing."""
    if not _THING.fullmatch(named):
        return None
    alike = _THING_NAMED.findall(previous)
    return previous.replace(alike[0], named, 1) if len(alike) == 1 else None


def name_exchanged(named: str, previous: str) -> str | None:
    """Return the question before with a name in the place of its last one; none if it holds none."""
    names = list(_NAME.finditer(previous))
    names = [name for name in names if name[0] != "I" and name[0][0] <= _LAST_CAPITAL]
    if not named[:1].isupper() or not names:
        return None
    return f"{previous[: names[-1].start()]}{named}{previous[names[-1].end() :]}"


def _phrase_exchanged(named: str, previous: str) -> str | None:
    preposition = _PREPOSITION.match(named)
    if preposition is None:
        return None
    for found in patterns.compile(rf"\b{preposition[0]}\s+", patterns.IGNORE_CASE).finditer(previous):
        ends = next((end.start() for end in _PHRASE_ENDS.finditer(previous, found.end())), len(previous))
        if ends > found.end():
            return f"{previous[: found.start()]}{named}{previous[ends:]}"
    bare = previous.rstrip(" ?.!")
    return f"{bare} {named}?"
