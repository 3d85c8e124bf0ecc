"""Facets: the readings of a question that the found passages hold, and whether they are worth asking about (pure).

Any folder has attributes: its path segments, titles, headings, and the front matter of its files. Where one of them
divides the best passages into groups that answer the same words of the question alike but say different things, the
question is ambiguous. Age divides nothing (the newest version wins), nor do owners, authors and languages.
"""

import hashlib
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import PurePosixPath

from graph.bearing import best_sentence, coverage, weigh, words_of
from graph.passages import Facet, Passage
from graph.versions import current, is_version
from graph.words import content_words, numbers, words

NEAR = 0.8
"""A reading is as good as the best from this share of its score."""
COVERED = 0.6
"""How much of the question's weight a passage must hold to answer it."""
FEWEST, MOST = 2, 4

_NO_READING = frozenset(
    re.findall(
        r"\w+",
        """
        author authors owner owners contact date dated updated created modified published reviewed review last_updated
        last_reviewed valid_from valid_until effective language lang locale version status revision id slug title
        subtitle description summary tags keywords url link source draft layout weight order permalink type format
        """,
    )
)
_WANTS_ALL = re.compile(
    r"\b(?:all|every|each|both|either|compare|comparison|compared|differences?|differ|different|versus|vs|overview"
    r"|alle|allen|aller|jede[rsmn]?|beide[nrs]?|unterschiede?|vergleiche?|unterscheiden)\b"
    r"|\b(?:which|what|welche)\s+(?:\w+\s+)?\w+s\b(?=\s+(?:have|has|are|do|offer|include|need|haben|sind))",
    re.IGNORECASE,
)


def find_facets(question: str, passages: list[Passage]) -> list[Facet]:
    """Return the readings that the passages hold, best first: the values of every attribute that divides them."""
    kept = current(passages)
    weights = weigh(question, kept)
    scores = {passage["id"]: _score(weights, passage) for passage in kept}
    groups: dict[tuple[str, str], list[Passage]] = {}
    for passage in sorted(kept, key=lambda passage: -scores[passage["id"]]):
        for attribute, value in _attributes(passage):
            groups.setdefault((attribute, value), []).append(passage)
    dividing = {attribute for attribute, _ in groups if sum(key[0] == attribute for key in groups) > 1}
    facets = [
        _facet(attribute, value, members, weights, scores)
        for (attribute, value), members in groups.items()
        if attribute in dividing
    ]
    return sorted(facets, key=lambda facet: -facet["score"])


def divides(question: str, facets: list[Facet], passages: list[Passage]) -> list[Facet]:
    """Return the 2–4 readings of one attribute to ask about, best first; none where the question is clear."""
    if not facets or _WANTS_ALL.search(question):
        return []
    weights = weigh(question, current(passages))
    by_id = {passage["id"]: passage for passage in passages}
    for attribute in sorted({facet["attribute"] for facet in facets}, key=_preference):
        readings = _contenders([facet for facet in facets if facet["attribute"] == attribute], facets)
        if _ambiguous(question, readings, weights, by_id):
            return readings
    return []


def _score(weights: dict[str, float], passage: Passage) -> float:
    whole = coverage(weights, words_of(passage))
    return (whole + best_sentence(weights, passage).score) / 2


def _attributes(passage: Passage) -> Iterator[tuple[str, str]]:
    for depth, folder in enumerate(PurePosixPath(passage["path"]).parts[:-1]):
        if not is_version(folder):
            yield f"path:{depth}", folder
    yield "title", passage["title"]
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
    label = re.sub(r"[-_]+", " ", value).strip()
    return label[:1].upper() + label[1:]


def _preference(attribute: str) -> tuple[int, str]:
    kinds = {"path": 1, "title": 2, "heading": 3}
    return kinds.get(attribute.split(":", 1)[0], 0), attribute


def _contenders(readings: list[Facet], facets: list[Facet]) -> list[Facet]:
    best = max(facet["score"] for facet in facets)
    return [facet for facet in readings if facet["score"] >= NEAR * best]


def _ambiguous(question: str, readings: list[Facet], weights: dict[str, float], by_id: dict[int, Passage]) -> bool:
    if not FEWEST <= len(readings) <= MOST or _names_one(question, readings):
        return False
    best = [by_id[facet["passages"][0]] for facet in readings]
    pairs = list(combinations(range(len(readings)), 2))
    return (
        len({passage["id"] for passage in best}) == len(best)
        and all(coverage(weights, words_of(passage)) >= COVERED for passage in best)
        and all(_parallel(best[i], best[j], weights) for i, j in pairs)
        and all(_answers_differ(readings[i]["best_sentence"], readings[j]["best_sentence"]) for i, j in pairs)
    )


def _names_one(question: str, readings: list[Facet]) -> bool:
    asked = set(content_words(question))
    named = [set(content_words(facet["label"])) for facet in readings]
    shared = set[str].intersection(*named)
    return any(asked & (own - shared) for own in named)


def _parallel(one: Passage, other: Passage, weights: dict[str, float]) -> bool:
    """Whether two passages answer the same words of the question, from places that mirror each other."""
    held = [words_of(passage) & weights.keys() for passage in (one, other)]
    return coverage(weights, held[0] ^ held[1]) <= 1 - NEAR and _siblings(one, other)


def _siblings(one: Passage, other: Passage) -> bool:
    names = [PurePosixPath(passage["path"]).stem.casefold() for passage in (one, other)]
    if one["document_id"] != other["document_id"]:
        headings = [passage["heading_path"][-1:] for passage in (one, other)]
        titles = [set(content_words(passage["title"])) for passage in (one, other)]
        return names[0] == names[1] or bool(titles[0] & titles[1]) or (headings[0] == headings[1] != [])
    return one["heading_path"] != other["heading_path"]


def _answers_differ(one: str, other: str) -> bool:
    if numbers(one) != numbers(other):
        return True
    held = [set(words(text)) for text in (one, other)]
    return len(held[0] & held[1]) < 0.8 * len(held[0] | held[1])
