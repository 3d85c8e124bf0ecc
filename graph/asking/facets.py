"""Facets: the readings of a question that the found passages hold, and whether they are worth asking about (pure).

Any folder has attributes: its path segments, titles, headings, and the front matter of its files. Where one of them
divides the best passages into groups that answer the same words of the question alike but say different things, the
question is ambiguous. Age divides nothing (the newest version wins), nor do owners, authors and languages.
"""

import hashlib
from collections.abc import Iterator
from pathlib import PurePosixPath

from graph import patterns
from graph.asking.parallel_passages import compete
from graph.passages import FEWEST_OPTIONS, MOST_OPTIONS, Facet, Passage
from graph.text.names import unknown_names
from graph.text.relevance import best_sentence, coverage, weigh, words_of
from graph.text.versions import current, is_version
from graph.text.words import content_words

NEAR = 0.8
"""A reading is as good as the best from this share of its score."""
LATER = 0.05
"""Share of a passage's score that each place in the ranking costs; the ranking knows meaning, words do not."""
KNOWN = 0.5
"""Share of the question's words; where no passage holds more of them, nothing that was found answers it."""
LONGEST_LABEL = 40
"""Characters that fit a button; a document with a longer title is called by its file name."""

_NO_READING = frozenset(
    """
        author authors owner owners contact date dated updated created modified published reviewed review last_updated
        last_reviewed valid_from valid_until effective language lang locale version status revision id slug title
        subtitle description summary tags keywords url link source draft layout weight order permalink type format
        """.split()
)
_BETWEEN_WORDS = patterns.compile(r"[-_]+")
_WANTS_ALL = patterns.compile(
    r"\b(?:all|every|each|both|either|compare|comparison|compared|differences?|differ|different|versus|vs|overview"
    r"|alle|allen|aller|jede[rsmn]?|beide[nrs]?|unterschiede?|vergleiche?|unterscheiden)\b"
    r"|\b(?:which|what|welche)\s+(?:\w+\s+)?\w+s\s+(?:have|has|are|do|offer|include|need|haben|sind)",
    patterns.IGNORE_CASE,
)


def find_facets(question: str, passages: list[Passage], *, fewest: int = 2) -> list[Facet]:
    """Return the readings that the passages hold, best first: the values of every attribute that divides them.

    An attribute divides them by two values; where `fewest` is 1, one that all of them share counts, too.
    """
    kept = current(passages, question)
    weights = weigh(question, kept)
    scores = {passage["id"]: _score(weights, passage, rank) for rank, passage in enumerate(kept)}
    groups: dict[tuple[str, str], list[Passage]] = {}
    for passage in sorted(kept, key=lambda passage: -scores[passage["id"]]):
        for attribute, value in _attributes(passage):
            groups.setdefault((attribute, value), []).append(passage)
    dividing = {attribute for attribute, _ in groups if sum(key[0] == attribute for key in groups) >= fewest}
    facets = [
        _facet(attribute, value, members, weights, scores)
        for (attribute, value), members in groups.items()
        if attribute in dividing
    ]
    return sorted(facets, key=lambda facet: -facet["score"])


def divides(question: str, facets: list[Facet], passages: list[Passage]) -> list[Facet]:
    """Return the 2–4 readings of one attribute to ask about, best first; none where the question is clear."""
    weights = weigh(question, current(passages, question))
    if not facets or wants_all(question) or not _is_known(question, weights, passages):
        return []
    by_id = {passage["id"]: passage for passage in passages}
    for attribute in sorted({facet["attribute"] for facet in facets}, key=_preference):
        readings = _rivals([facet for facet in facets if facet["attribute"] == attribute], facets, weights, by_id)
        if FEWEST_OPTIONS <= len(readings) <= MOST_OPTIONS and not _names_one(question, readings):
            return readings
    return []


def wants_all(question: str) -> bool:
    """Tell whether a question asks for every reading, or for what sets them apart."""
    return _WANTS_ALL.search(question) is not None


def short_title(passage: Passage) -> str:
    """Return the document's title as a button holds it, its file's name where that is too long."""
    named = _readable(PurePosixPath(passage["path"]).stem)
    title = passage["title"].capitalize() if passage["title"].isupper() else passage["title"]
    return title if len(title) <= LONGEST_LABEL else named


def _score(weights: dict[str, float], passage: Passage, rank: int) -> float:
    """Return how well a passage answers (0–1): its words, and what a worse place in the ranking takes from them."""
    held = (coverage(weights, words_of(passage)) + best_sentence(weights, passage).score) / 2
    return held * max(0.0, 1 - LATER * rank)


def _attributes(passage: Passage) -> Iterator[tuple[str, str]]:
    for depth, folder in enumerate(PurePosixPath(passage["path"]).parts[:-1]):
        if not is_version(folder):
            yield f"path:{depth}", folder
    yield "title", short_title(passage)
    for depth, heading in enumerate(passage["heading_path"]):
        if not is_version(heading):
            yield f"heading:{depth}", heading
    for key, value in passage["attributes"].items():
        if key not in _NO_READING and value and not is_version(value):
            yield key, value


def _facet(
    attribute: str, value: str, members: list[Passage], weights: dict[str, float], scores: dict[int, float]
) -> Facet:
    return Facet(
        id=hashlib.blake2s(f"{attribute}={value}".encode(), digest_size=4).hexdigest(),
        attribute=attribute,
        label=_readable(value) if attribute.startswith("path:") else value,
        passages=[passage["id"] for passage in members],
        best_sentence=best_sentence(weights, members[0]).sentence,
        score=scores[members[0]["id"]],
    )


def _readable(value: str) -> str:
    label = _BETWEEN_WORDS.sub(" ", value).strip()
    return label[:1].upper() + label[1:]


def _preference(attribute: str) -> tuple[int, str]:
    kinds = {"path": 1, "title": 2, "heading": 3}
    return kinds.get(attribute.split(":", 1)[0], 0), attribute


def _rivals(
    readings: list[Facet], facets: list[Facet], weights: dict[str, float], by_id: dict[int, Passage]
) -> list[Facet]:
    """Return the best reading and those that answer the same words as well, but otherwise."""
    enough = NEAR * max(facet["score"] for facet in facets)
    near = [facet for facet in readings if facet["score"] >= enough]
    if not near:
        return []
    first, *others = near
    best = by_id[first["passages"][0]]
    return [first, *(other for other in others if compete(best, by_id[other["passages"][0]], weights))]


def _is_known(question: str, weights: dict[str, float], passages: list[Passage]) -> bool:
    """Whether most of the question's words were found, and all of its names: else no reading of it is answered."""
    asked = {word for word in content_words(question) if not word.isdecimal()}
    return len(asked & weights.keys()) > KNOWN * len(asked) and not unknown_names(question, passages)


def _names_one(question: str, readings: list[Facet]) -> bool:
    asked = set(content_words(question))
    named = [set(content_words(facet["label"])) for facet in readings]
    shared = set[str].intersection(*named)
    return any(asked & (own - shared) for own in named)
