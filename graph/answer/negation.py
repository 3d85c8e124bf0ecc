"""Tells whether two sentences say the same except for a negation (pure)."""

from collections.abc import Iterable

from graph import patterns
from graph.text.grounding import without_citations
from graph.text.words import content_words

_CLOSE = 0.7
"""Share of a sentence's words that another one needs to say the same, or the opposite."""
_NEGATES = patterns.compile(
    r"\b(?:not|no|never|none|nobody|nothing|without|neither|nor|cannot|\w+n['’]t"
    r"|nicht|nichts|kein\w*|nie|niemals|niemand\w*|ohne|weder|não|nunca|ninguém|nada|nenhum\w*|sem|nem)\b",
    patterns.IGNORE_CASE,
)
_VERDICTS = frozenset(
    content_words(
        "allowed permitted forbidden possible required necessary erlaubt verboten möglich nötig erforderlich"
        " permitido proibido possível obrigatório necessário"
    )
)
"""What an answer says of a rule as a whole: "That is not allowed: …" may deny what follows."""
_CLAUSE_ENDS = patterns.compile(r"[,:;.!–—]|\s-")


def denies(sentence: str, others: Iterable[str], *, introduced: str = "") -> bool:
    """Tell whether the most similar of other sentences says the same except for a negation.

    An item of a list may take its negation from the line that introduces it ("Finance does not pay:"). A row of a table
    says several things: "none" in one cell denies nothing in another.
    """
    own = set(content_words(without_citations(sentence)))
    closest = max(others, key=lambda other: len(own & set(content_words(other))), default="")
    if closest.startswith("|") or negates(introduced):
        return False
    is_same = repeats(closest, sentence) and repeats(sentence, closest)
    return is_same and negates(_without_reply(sentence, closest)) != negates(_shared(closest, sentence))


def _without_reply(sentence: str, source: str) -> str:
    """Return a sentence without what it answers the question with: it denies no passage.

    That is "No," or "It does not:", and a conclusion in other words than the source's: "You cannot count on it: …".
    """
    held = set(content_words(source))
    while end := _CLAUSE_ENDS.search(sentence):
        said = set(content_words(sentence[: end.start()]))
        if said and (end[0] != ":" or said & (held | _VERDICTS)):
            break
        sentence = sentence[end.end() :]
    return sentence


def _shared(source: str, sentence: str) -> str:
    """Return a source without the clauses that a sentence leaves out: "…, not your colleague" denies nothing in it."""
    said = set(content_words(sentence))
    clauses = [(clause, set(content_words(clause))) for clause in _CLAUSE_ENDS.split(source)]
    return " ".join(clause for clause, words in clauses if words & said or not words)


def repeats(sentence: str, other: str) -> bool:
    """Tell whether a sentence has most of the content words of another one."""
    wanted = set(content_words(without_citations(other)))
    return bool(wanted) and len(wanted & set(content_words(sentence))) >= _CLOSE * len(wanted)


def negates(sentence: str) -> bool:
    """Tell whether a sentence holds a negation."""
    return bool(_NEGATES.search(sentence))
