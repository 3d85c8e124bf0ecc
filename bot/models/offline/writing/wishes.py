"""What form of answer a question wishes for: several parts, a comparison, a summary (pure)."""

from collections.abc import Iterator
from typing import NamedTuple

from graph import patterns
from graph.text.words import content_words, stems

_ASKING = (
    r"(?:who|whom|whose|what|when|where|why|how|which|is|are|do|does|did|can|may|must|should|will"
    r"|wer|wem|wen|was|wann|wo|warum|wie|welche[rsnm]?|darf|kann|muss|ist|sind"
    r"|quem|quando|onde|porque|como|quanto|quanta|quantos|quantas|qual|quais)"
)
_QUESTION_ENDS = patterns.compile(r"\?\s+")
_ANOTHER_BEGINS = patterns.compile(
    rf"(?P<it>[,;]?\s+(?:and|und|e|also|as well as)\s+(?:also\s+)?){_ASKING}\b", patterns.IGNORE_CASE
)
_IS = (" é ", " x ")
"""A Portuguese word that patterns would take for "e", which joins; and a letter in its place."""
_COMPARED = tuple(
    patterns.compile(pattern, patterns.IGNORE_CASE)
    for pattern in (
        r"\bcompare\s+(?P<one>.+?)\s+(?:and|with|to|against)\s+(?P<other>.+)",
        r"\bdifferences?\s+(?:in\s+.{1,60}?\s+)?between\s+(?P<one>.+?)\s+and\s+(?P<other>.+)",
        r"\bwhat\s+(?:do|have)\s+(?P<one>.+?)\s+and\s+(?P<other>.+?)\s+(?:have\s+)?in\s+common",
        r"(?P<one>.+?)\s+(?:vs\.?|versus|compared\s+(?:to|with))\s+(?P<other>.+)",
        r"\bwhich\b.+?[,:]\s*(?P<one>.+?)\s+or\s+(?P<other>.+)",
        r"\bvergleich\w*\s+(?P<one>.+?)\s+(?:mit|und)\s+(?P<other>.+)",
        r"\bunterschiede?\s+zwischen\s+(?P<one>.+?)\s+und\s+(?P<other>.+)",
        r"\bcompar\w*\s+(?P<one>.+?)\s+(?:e|com)\s+(?P<other>.+)",
        r"\bdiferenças?\s+entre\s+(?P<one>.+?)\s+e\s+(?P<other>.+)",
    )
)
_OF_BOTH = patterns.compile(
    r"^(?P<both>.+\s(?:in|at|for|of|on|from|im|für|von|em|no|na|de|do|da)\s+(?:the\s+)?)\S", patterns.IGNORE_CASE
)
"""What stands before the first of two things, and is asked of both: "the leave in" Porto and Hamburg."""
_NO_ATTRIBUTE = frozenset(
    content_words(
        "compare comparison common difference versus vs vergleichen Unterschied zwischen comparar diferença entre"
    )
)
_SUMMARISED = tuple(
    patterns.compile(pattern, patterns.IGNORE_CASE)
    for pattern in (
        r"\b(?:summari[sz]e|sum\s+up|(?:summary|overview|gist|outline)\s+of|tl;?dr:?)\s+(?P<topic>.+)",
        r"\bfasse?\s+(?P<topic>.+)\s+zusammen",
        r"\b(?:zusammenfassung|überblick)\s+(?:von|der|des|über|zum|zur)\s+(?P<topic>.+)",
        r"\b(?:resum(?:a|ir)|resumo\s+d[eao]s?|resume\s+[ao]s?)\s+(?P<topic>.+)",
    )
)
_NO_TOPIC = frozenset(
    content_words(
        "page document policy guide handbook article please bitte zusammen seite dokument página documento favor me us"
    )
)


class Compared(NamedTuple):
    """What is compared in what, as stems."""

    sides: tuple[frozenset[str], frozenset[str]]
    """What tells each side from the other."""
    attribute: frozenset[str]
    """What is asked of both; empty if everything is."""
    asked: tuple[str, str]
    """What is asked of each side, in the question's words."""


def parts(question: str) -> list[str]:
    """Return the parts of a question that asks several things; none if it asks one."""
    found = [part.strip(" ?") for asked in _QUESTION_ENDS.split(question) for part in _apart(asked)]
    asking = [part for part in found if content_words(part)]
    return asking if len(asking) > 1 else []


def _apart(question: str) -> Iterator[str]:
    begins = 0
    for joint in _ANOTHER_BEGINS.finditer(question.replace(*_IS)):
        yield question[begins : joint.start()]
        begins = joint.end()
    yield question[begins:]


def compared(question: str) -> Compared | None:
    """Return what a question compares; none if it compares nothing."""
    for pattern in _COMPARED:
        if found := pattern.search(question.replace(*_IS)):
            first, second = (question[slice(*found.span(side))] for side in ("one", "other"))
            both = _asked_of_both(first, second)
            named = first, both + second
            one, other = (stems(side) for side in named)
            sides = one - other, other - one
            if all(sides):
                attribute = stems(question) - one - other - _NO_ATTRIBUTE
                return Compared(sides, attribute | stems(both), named)
    return None


def _asked_of_both(first: str, second: str) -> str:
    found = _OF_BOTH.search(first)
    return found["both"] if found and not _OF_BOTH.search(second) else ""


def summarised(question: str) -> frozenset[str]:
    """Return the stems of what a question wants in short; none if it wants something else."""
    found = next((match for pattern in _SUMMARISED if (match := pattern.search(question))), None)
    return stems(found["topic"]) - _NO_TOPIC if found else frozenset()
