"""A reading that was chosen holds for what is asked after it in the thread, where it divides that, too (pure)."""

from graph import patterns
from graph.asking.facets import NEAR, find_facets, wants_all
from graph.asking.interpretations import COVERED
from graph.passages import Facet, Passage
from graph.text.words import content_words

_CHOSEN = patterns.compile(r"\((?P<label>[^()]+)\)\s*\?$")
"""How a choice joins the question that it was made for, and how it is handed on."""


def kept(question: str, previous: str, passages: list[Passage]) -> Facet | None:
    """Return the reading that the question before was answered for, if it answers this one as well as any.

    The search for both questions brings the reading's own passages first, so its rivals need not be among them. None
    where the question names a reading itself, wants all of them, or is answered by none.
    """
    chosen = _CHOSEN.search(previous)
    if chosen is None or wants_all(question):
        return None
    facets = find_facets(question, passages, fewest=1)
    reading = next((facet for facet in facets if facet["label"].casefold() == chosen["label"].casefold()), None)
    if reading is None or reading["score"] < max(NEAR * facets[0]["score"], COVERED):
        return None
    rivals = [facet for facet in facets if facet["attribute"] == reading["attribute"]]
    return None if any(_names(question, rival) for rival in rivals) else reading


def with_choice(question: str, label: str) -> str:
    """Return a stand-alone question for this reading instead of the one that was chosen for it."""
    return f"{_CHOSEN.sub('', question).rstrip(' ?.')} ({label})?"


def _names(question: str, reading: Facet) -> bool:
    return not set(content_words(question)).isdisjoint(content_words(reading["label"]))
