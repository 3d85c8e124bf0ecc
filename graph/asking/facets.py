"""Facets: the readings of a question in the found passages, and which of them to offer (pure).

Every folder has attributes: path segments, titles, headings, and front matter. If passages answer a question
differently (`graph.asking.interpretations`), the options are the values of the attribute that tells all of them
apart. Age, owners, authors and languages are no such attributes; of several versions the newest wins.
"""

import hashlib
from collections.abc import Collection, Iterator
from itertools import combinations
from pathlib import PurePosixPath

from graph import patterns
from graph.asking.cases import cases_of, open_cases
from graph.asking.every_reading import wants_all
from graph.asking.interpretations import Kinship, interpretations, kinship, left_open
from graph.documents.series import of_the_time_asked
from graph.documents.versions import current, is_version
from graph.passages import FEWEST_OPTIONS, MOST_OPTIONS, Facet, Passage
from graph.text.names import same_name, unknown_names
from graph.text.relevance import best_sentence, coverage, weigh, words_of
from graph.text.words import content_words, holds

NEAR = 0.8
"""A reading with this share of the best score is as good as the best."""
LATER = 0.05
"""Share of its score that a passage loses for each rank, because the ranking knows meaning and words do not."""
KNOWN = 0.5
"""Share of the question's words that must be found; otherwise nothing answers it."""
CASE = "case"
"""The attribute of a table's cases, which are all in one passage."""
MOST_COMPARED = 8
"""Passages, the best found, of which a model may ask which is meant."""
FIRST_FOUND = 3
"""Passages among which two in parallel places show that a question has several readings, whatever their grades."""
MOST_OFFERED = 8
"""Readings among which a model may choose; more would only cost tokens."""
_WITHIN = frozenset({"title", "heading", CASE})
"""Attributes that are no places of documents."""
KINSHIPS: tuple[Kinship, ...] = ("close", "loose", "parts")
LONGEST_LABEL = 40
"""Characters on a button. A document with a longer title is named by its file."""

LONGEST_ABBREVIATION = 5
"""The most letters of a title that keeps its capitals, such as VPN."""

_NO_READING = frozenset(
    """
        audience author authors owner owners contact date dated updated created modified published reviewed review
        last_updated last_reviewed valid_from valid_until effective language lang locale version status revision id slug
        title subtitle description summary tags keywords url link source draft layout weight order permalink type format
        read_by
        """.split()
)
_BETWEEN_WORDS = patterns.compile(r"[-_]+")


def find_facets(question: str, passages: list[Passage], *, fewest: int = 2) -> list[Facet]:
    """Return the readings in the passages, best first: the values of every attribute with at least `fewest` values.

    The cases of the best passage's table are readings too, if the question does not decide among them.
    """
    kept = current(passages, question)
    weights = weigh(question, kept)
    scores = {passage["id"]: _score(weights, passage, rank) for rank, passage in enumerate(kept)}
    groups: dict[tuple[str, str], list[Passage]] = {}
    names: dict[tuple[str, str], str] = {}
    for passage in sorted(kept, key=lambda passage: -scores[passage["id"]]):
        for attribute, value in _attributes(passage):
            groups.setdefault((attribute, same_name(value)), []).append(passage)
            names.setdefault((attribute, same_name(value)), value)
    dividing = {attribute for attribute, _ in groups if sum(key[0] == attribute for key in groups) >= fewest}
    facets = [
        _facet(key, names[key], members, weights, scores) for key, members in groups.items() if key[0] in dividing
    ]
    for passage in kept[:1]:
        facets += [_facet((CASE, name), name, [passage], weights, scores) for name in cases_of(question, passage)]
    return sorted(facets, key=lambda facet: -facet["score"])


def divides(question: str, facets: list[Facet], passages: list[Passage]) -> list[Facet]:
    """Return the readings of one attribute to ask about, best first; none if the question is clear."""
    passages = of_the_time_asked(passages, question)
    weights = weigh(question, current(passages, question))
    if not facets or wants_all(question, passages) or not _is_known(question, weights):
        return []
    rivals = interpretations(question, passages)
    if unknown_names(question, rivals or passages[:1]):
        return []
    return _readings(rivals, facets) if rivals else [facet for facet in facets if facet["attribute"] == CASE]


def parallel(question: str, facets: list[Facet], found: list[Passage]) -> list[Facet]:
    """Return the folders of which the first found passages are the same page or section, best first.

    If a question is in other words than its documents, only the search tells what it may be about. The folders may also
    divide sections of one document: "Notice in Porto" and "Notice in Hamburg".
    """
    best = current(found, question)[:MOST_COMPARED]
    for first in best[:FIRST_FOUND]:
        rivals = [first, *(other for other in best if kinship(first, other) == "close")]
        if len(rivals) > 1 and rivals[1] in best[:FIRST_FOUND] and (left := left_open(question, rivals)):
            return [] if wants_all(question, best) or unknown_names(question, left) else _of_folders(left, facets)
    return []


def open_in_table(question: str, found: list[Passage]) -> list[Facet]:
    """Return the cases that a question leaves open in a table of the first found passage, in the table's order."""
    best = current(found, question)
    if not best or wants_all(question, best) or unknown_names(question, best[:1]):
        return []
    weights = weigh(question, best)
    scores = {best[0]["id"]: _score(weights, best[0], 0)}
    return [_facet((CASE, name), name, best[:1], weights, scores) for name in open_cases(question, best[0], best[1:])]


def _of_folders(rivals: list[Passage], facets: list[Facet]) -> list[Facet]:
    """Return the folders of passages in parallel places; for sections of one document, the headings that name such."""
    if readings := _readings(rivals, [facet for facet in facets if facet["attribute"].startswith("path:")]):
        return readings
    places = [facet["label"] for facet in facets if facet["attribute"].partition(":")[0] not in _WITHIN]
    known = set(content_words(" ".join(places)))
    headings = [set(content_words(" ".join(passage["heading_path"]))) for passage in rivals]
    shared = set[str].intersection(*headings)
    if not all((own - shared) & known for own in headings):
        return []
    return _readings(rivals, [facet for facet in facets if facet["attribute"].startswith("heading:")])


def offerable(
    question: str, facets: list[Facet], passages: list[Passage], *, most: int | None = MOST_OFFERED
) -> list[Facet]:
    """Return the readings that a model may offer, in groups of one attribute, the best found first.

    They stand for passages in parallel places among the best found ones: two offices, two products, two sections of one
    page. Which of them really compete, the model says. `most` is how many to return; `None`: all, of all passages.
    """
    best = current(passages, question)[: MOST_COMPARED if most else None]
    ranks = {passage["id"]: rank for rank, passage in enumerate(best)}
    parallel = _parallel(best)
    groups: dict[frozenset[frozenset[int]], list[Facet]] = {}
    for kin in KINSHIPS:
        for attribute in _by_preference(facets):
            own = [facet for facet in facets if facet["attribute"] == attribute]
            group = _competing(own, parallel[kin], ranks)
            groups.setdefault(frozenset(frozenset(ranks.keys() & facet["passages"]) for facet in group), group)
    cases = [facet for facet in facets if facet["attribute"] == CASE]
    offered = {facet["id"]: facet for group in [cases, *groups.values()] for facet in group}
    return list(offered.values())[:most]


def named_reading(label: str, question: str, passages: list[Passage]) -> Facet | None:
    """Return the reading that a model named in words of a passage, as a row of a table; None if no passage has them.

    A number alone is no name.
    """
    said = set(content_words(label))
    if len(label) > LONGEST_LABEL or all(word.isdecimal() for word in said):
        return None
    behind = [passage for passage in passages if said <= words_of(passage)]
    if not behind:
        return None
    weights = weigh(question, passages)
    scores = {passage["id"]: _score(weights, passage, rank) for rank, passage in enumerate(behind)}
    return _facet((CASE, same_name(label)), label, behind, weights, scores)


def _parallel(passages: list[Passage]) -> dict[Kinship, list[tuple[int, int]]]:
    """Return the pairs of passages in parallel places, by how parallel these are."""
    pairs: dict[Kinship, list[tuple[int, int]]] = {kin: [] for kin in KINSHIPS}
    for one, other in combinations(passages, 2):
        if kin := kinship(one, other):
            pairs[kin].append((one["id"], other["id"]))
    return pairs


def _competing(values: list[Facet], pairs: list[tuple[int, int]], ranks: dict[int, int]) -> list[Facet]:
    """Return the values of an attribute that tell the two passages of a pair apart, the best found first."""
    held: dict[str, int] = {}
    for pair in pairs:
        behind = [[facet for facet in values if id_ in facet["passages"]] for id_ in pair]
        if all(len(found) == 1 for found in behind) and behind[0] != behind[1]:
            for found, id_ in zip(behind, pair, strict=True):
                held[found[0]["id"]] = min(ranks[id_], held.get(found[0]["id"], ranks[id_]))
    return sorted((facet for facet in values if facet["id"] in held), key=lambda facet: held[facet["id"]])


def short_title(passage: Passage) -> str:
    """Return a document's name for a button: its title, or its file's name if the title is too long."""
    named = _readable(PurePosixPath(passage["path"]).stem)
    title = passage["title"]
    if title.isupper() and len(title) > LONGEST_ABBREVIATION:
        title = title.capitalize()
    return title if len(title) <= LONGEST_LABEL else named


def _score(weights: dict[str, float], passage: Passage, rank: int) -> float:
    """Return how well a passage answers (0–1): the words it holds, less its rank."""
    held = (coverage(weights, words_of(passage)) + best_sentence(weights, passage).score) / 2
    return held * max(0.0, 1 - LATER * rank)


def _attributes(passage: Passage) -> Iterator[tuple[str, str]]:
    above = ""
    for depth, folder in enumerate(PurePosixPath(passage["path"]).parts[:-1]):
        if not is_version(folder):
            # A number alone is no label.
            yield f"path:{depth}", f"{above} {folder}".strip() if folder.isdecimal() else folder
        above = folder
    if not is_version(passage["title"]):
        yield "title", short_title(passage)
    for depth, heading in enumerate(passage["heading_path"]):
        if not is_version(heading):
            yield f"heading:{depth}", heading
    for key, value in passage["attributes"].items():
        if key not in _NO_READING and value and not is_version(value):
            yield key, value


def _facet(
    key: tuple[str, str], value: str, members: list[Passage], weights: dict[str, float], scores: dict[int, float]
) -> Facet:
    attribute = key[0]
    return Facet(
        id=hashlib.blake2s("=".join(key).encode(), digest_size=4).hexdigest(),
        attribute=attribute,
        label=_readable(value) if attribute.startswith("path:") else value,
        passages=[passage["id"] for passage in members],
        best_sentence=best_sentence(weights, members[0]).sentence,
        score=scores[members[0]["id"]],
    )


def alternative_folders(passages: list[Passage], told: Collection[str]) -> list[str]:
    """Return the names, as people read them, of folders that the last answer may have been for.

    They hold a page of the same name as a folder beside them, or one of the titles that were told names them.
    """
    beside: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for passage in passages:
        parts = PurePosixPath(passage["path"]).parts
        for depth in range(1, len(parts) - 1):
            beside.setdefault((parts[:depth], parts[depth + 1 :]), []).append(parts[depth])
    named = (
        (_readable(folder), len({*folders}) > 1)
        for folders in beside.values()
        for folder in folders
        if not is_version(folder)
    )
    return list(dict.fromkeys(name for name, is_rival in named if is_rival or any(holds(one, name) for one in told)))


def _readable(value: str) -> str:
    label = _BETWEEN_WORDS.sub(" ", value).strip()
    return label[:1].upper() + label[1:]


def _preference(attribute: str) -> tuple[int, str]:
    kinds = {"path": 1, "title": 2, "heading": 3}
    return kinds.get(attribute.split(":", 1)[0], 0), attribute


def _by_preference(facets: list[Facet]) -> list[str]:
    return sorted({facet["attribute"] for facet in facets}, key=_preference)


def _readings(rivals: list[Passage], facets: list[Facet]) -> list[Facet]:
    """Return the values of the first attribute that tells all interpretations apart, or else most of them."""
    options = [_options(attribute, rivals, facets) for attribute in _by_preference(facets)]
    readings = max([[], *options], key=len)
    return readings if FEWEST_OPTIONS <= len(readings) <= MOST_OPTIONS else []


def _options(attribute: str, rivals: list[Passage], facets: list[Facet]) -> list[Facet]:
    """Return an attribute's values for the passages, in their order; none if a passage has no value."""
    own = [facet for facet in facets if facet["attribute"] == attribute]
    values = [next((facet for facet in own if rival["id"] in facet["passages"]), None) for rival in rivals]
    distinct = {value["id"]: value for value in values if value}
    return list(distinct.values()) if all(values) else []


def _is_known(question: str, weights: dict[str, float]) -> bool:
    """Tell whether most of the question's words were found."""
    asked = {word for word in content_words(question) if not word.isdecimal()}
    return len(asked & weights.keys()) > KNOWN * len(asked)
