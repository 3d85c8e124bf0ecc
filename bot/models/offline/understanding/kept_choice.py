"""A reading that was chosen holds for later questions of the thread that it also divides (pure)."""

from collections.abc import Collection

from bot.models.offline.understanding.substitution import one_exchanged
from graph import patterns
from graph.asking.every_reading import wants_all
from graph.asking.facets import NEAR, alternative_folders, find_facets
from graph.asking.interpretations import COVERED
from graph.asking.replies import read_reply
from graph.passages import Facet, Passage
from graph.text.words import content_words, holds, stems

_CHOSEN = patterns.compile(r"\((?P<label>[^()]+)\)\s*\?$")
"""How a choice joins the question that it was made for, and how it is handed on."""
_MEANING = "mean meant want wanted sorry rather instead actually please meine meinte sondern bitte"
"""Words around a choice that say nothing more."""


def kept(question: str, previous: str, passages: list[Passage]) -> Facet | None:
    """Return the reading that the question before was answered for, if it answers this one as well as any.

    The search for both questions brings the reading's own passages first, so its rivals need not be among them. None
    if the question names a reading itself, wants all of them, or is answered by none.
    """
    chosen = _CHOSEN.search(previous)
    if chosen is None or wants_all(question, passages):
        return None
    facets = find_facets(question, passages, fewest=1)
    reading = next((facet for facet in facets if facet["label"].casefold() == chosen["label"].casefold()), None)
    if reading is None or reading["score"] < max(NEAR * facets[0]["score"], COVERED):
        return None
    rivals = [facet for facet in facets if facet["attribute"] == reading["attribute"]]
    return None if any(_names(question, rival) for rival in rivals) else reading


def named_instead(said: str, previous: str, facets: list[Facet]) -> str:
    """Return the reading that a message only names, of those that the chosen one was among; empty if it says more.

    It is read as a reply to the question back would be: "I mean the router", "not the hub, the router".
    """
    chosen = _CHOSEN.search(previous)
    label = chosen["label"].casefold() if chosen else ""
    attribute = next((facet["attribute"] for facet in facets if facet["label"].casefold() == label), "")
    rivals = [(facet["id"], facet["label"]) for facet in facets if attribute and facet["attribute"] == attribute]
    known = {word for _, rival in rivals for word in content_words(rival)}
    own = stems(said) - stems(_MEANING)
    if not own or not own <= known:
        return ""
    choice = read_reply(said, question=_CHOSEN.sub("", previous), options=rivals)
    return choice.label if choice and choice.kind == "option" else ""


def with_choice(question: str, label: str) -> str:
    """Return a stand-alone question for this reading instead of the one that was chosen for it."""
    return f"{_CHOSEN.sub('', question).rstrip(' ?.')} ({label})?"


def with_folder_named(said: str, previous: str, passages: list[Passage], told: Collection[str]) -> str:
    """Return the question before for the folder of which a message says only the name, or the end of it; else empty.

    So "Hamburg" and "the router" go on with that question, though they are in the titles of pages, too. `told` are the
    titles of what was told last.
    """
    own, folders = content_words(said), alternative_folders(passages, told)
    label = next((folder for folder in folders if own and content_words(folder)[-len(own) :] == own), "")
    if not label or holds(previous, label):
        return ""
    return one_exchanged(folders, label, previous) or with_choice(previous, label)


def _names(question: str, reading: Facet) -> bool:
    return not stems(question).isdisjoint(content_words(reading["label"]))
