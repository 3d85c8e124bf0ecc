"""The clarifying question: what is asked, checked against what was found (pure)."""

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NotRequired, TypedDict

from graph.asking.facets import CASE, same_name
from graph.asking.preferences import Ambiguity
from graph.events import Option
from graph.passages import FEWEST_OPTIONS, MOST_OPTIONS, Facet, Passage
from graph.state import TurnState, Understanding, understood
from graph.text.versions import unversioned
from graph.text.wording import assumed
from graph.text.words import content_words, language_of

WORTH_ASKING = 0.08
"""Relevance of the best passage behind any option; below it every click would lead to "not found".

Far below what an answer needs, for what was meant is not yet part of the question.
"""

MOST_TELLING = 60
"""Stems of an option's passages that are kept with it."""


class Offered(TypedDict):
    """An option as the interrupt carries it."""

    id: str
    label: str
    telling: NotRequired[list[str]]
    """The stems that only its passages hold, the most frequent first."""


class Asked(TypedDict):
    """The interrupt's payload."""

    question: str
    options: list[Offered]
    attribute: NotRequired[str]
    """What the options are values of, and of which subject: "office of offices vacation"; empty if of several."""


def question_for(turn: TurnState) -> Asked:
    """Return what to ask for the turn's clarification."""
    clarification = understood(turn)["clarification"]
    if clarification is None:
        raise LookupError("There is nothing to clarify.")
    facets = {facet["id"]: facet for facet in turn["facets"]}
    chosen = [facets[option] for option in clarification["options"]]
    telling = _telling(chosen, turn["found"])
    options = [
        Offered(id=facet["id"], label=facet["label"], telling=own) for facet, own in zip(chosen, telling, strict=True)
    ]
    attributes = {facet["attribute"] for facet in chosen}
    best = [facet["passages"][0] for facet in chosen]
    subject = subject_of([passage for passage in turn["found"] if passage["id"] in best])
    attribute = f"{attributes.pop()} of {subject}" if len(attributes) == 1 else ""
    return Asked(question=clarification["question"], options=options, attribute=attribute)


def subject_of(passages: list[Passage]) -> str:
    """Return what passages that answer a question differently are about: what their names have in common.

    Their documents' names tell it, or if these are the options' own, the headings. A choice holds for one subject.
    """
    paths = [PurePosixPath(passage["path"]) for passage in passages]
    folders = _shared([path.parts[:-1] for path in paths])
    names = _shared([unversioned(path.stem).split() for path in paths])
    headings = _shared([passage["heading_path"][-1:] for passage in passages])
    return " ".join([*folders, *(names or headings or sorted({str(path) for path in paths}))])


def options_of(asked: Asked) -> tuple[Option, ...]:
    """Return the options as an event carries them."""
    return tuple(
        Option(id=option["id"], label=option["label"], telling=tuple(option.get("telling", ())))
        for option in asked["options"]
    )


def ambiguity_of(asked: Asked) -> Ambiguity | None:
    """Return what competes; None where it is nothing that could be met again."""
    attribute = asked.get("attribute", "")
    labels = tuple(sorted(option["label"] for option in asked["options"]))
    return Ambiguity(attribute=attribute, labels=labels) if attribute else None


def settled(turn: TurnState) -> Understanding:
    """Return what was understood with the choice in it; nobody needs to read the question a second time for that."""
    understanding, choice = understood(turn), turn["choice"]
    if understanding["clarification"] is None or choice is None:
        return understanding
    answered: Understanding = {**understanding, "route": "retrieve", "clarification": None}
    if choice["kind"] == "just_answer":
        likeliest = _likeliest(turn, understanding["clarification"]["options"])
        if likeliest is None:
            return {**answered, "assumption": ""}
        # What was to be assumed may have gone while a person was asked.
        said = understanding["assumption"] if likeliest["id"] == understanding["clarification"]["options"][0] else ""
        assumed_one = assuming(answered, likeliest)
        return {**assumed_one, "assumption": said} if said else assumed_one
    asked = [joined(question, choice["label"]) for question in (answered["standalone"], *answered["subquestions"])]
    return {**answered, "standalone": asked[0], "subquestions": asked[1:], "queries": [], "assumption": ""}


def _likeliest(turn: TurnState, options: list[str]) -> Facet | None:
    """Return the first option that still has a passage behind it."""
    found = {passage["id"] for passage in turn["found"]}
    backed_by = {facet["id"]: facet for facet in turn["facets"] if found & set(facet["passages"])}
    return next((backed_by[option] for option in options if option in backed_by), None)


def joined(question: str, label: str) -> str:
    """Return a question with the reading that was meant, unless it names it."""
    if set(content_words(label)) <= set(content_words(question)):
        return question
    return f"{question.rstrip(' ?.!')} ({label.strip()})?"


def rechecked(understanding: Understanding, before: list[Facet], after: list[Facet]) -> Understanding:
    """Keep the options that still have a passage after the rewrite; with fewer than two left, assume the one.

    `before` are the facets the options were chosen from, `after` those of the search for the stand-alone question.
    """
    clarification = understanding["clarification"]
    if clarification is None:
        return understanding
    still = {(facet["attribute"], facet["label"]): facet["id"] for facet in after}
    chosen = [facet for option in clarification["options"] for facet in before if facet["id"] == option]
    kept = [facet for facet in chosen if (facet["attribute"], facet["label"]) in still]
    if len(kept) >= FEWEST_OPTIONS:
        options = [still[facet["attribute"], facet["label"]] for facet in kept][:MOST_OPTIONS]
        return {**understanding, "clarification": {**clarification, "options": options}}
    settled: Understanding = {**understanding, "route": "retrieve", "clarification": None}
    return assuming(settled, kept[0]) if kept else settled


def assuming(understanding: Understanding, reading: Facet) -> Understanding:
    """Take one reading without asking, and say so."""
    said = assumed(reading["label"], language_of(understanding["standalone"]))
    return {**understanding, "assumption": said, "assumed": reading["id"]}


def backed(understanding: Understanding, facets: list[Facet], relevances: dict[int, float]) -> Understanding:
    """Ask only with options that are alternatives, if anything behind them bears on it; `relevances` are by passage."""
    clarification = understanding["clarification"]
    if clarification is None:
        return understanding
    options = alternatives([facet for option in clarification["options"] for facet in facets if facet["id"] == option])
    bears = any(relevances.get(id_, 0.0) >= WORTH_ASKING for facet in options for id_ in facet["passages"])
    if bears and len(options) >= FEWEST_OPTIONS:
        return {**understanding, "clarification": {**clarification, "options": [facet["id"] for facet in options]}}
    return {**understanding, "route": "retrieve", "clarification": None}


def alternatives(options: list[Facet]) -> list[Facet]:
    """Return those of the options that a person can choose from, best first.

    They are values of one attribute, the one with most of them; no two read alike, or stand for the same passages,
    unless they are cases within one.
    """
    attributes = [facet["attribute"] for facet in options]
    attribute = max(attributes, key=attributes.count, default="")
    distinct: dict[str, Facet] = {}
    for facet in options:
        behind = {frozenset(other["passages"]) for other in distinct.values()}
        is_other = attribute == CASE or frozenset(facet["passages"]) not in behind
        if facet["attribute"] == attribute and is_other:
            distinct.setdefault(same_name(facet["label"]), facet)
    return list(distinct.values())


def narrowed(turn: TurnState, found: list[Passage], facets: list[Facet]) -> list[Passage]:
    """Return the passages of the reading that was chosen or assumed first, and none of the other readings.

    `facets` are those of `found`; the chosen one is known from the search that was asked about.
    """
    chosen = chosen_facet(turn) or _assumed_facet(turn)
    if chosen is None:
        return found
    own = [passage for passage in turn["found"] if passage["id"] in chosen["passages"]]
    same = {id_ for facet in facets if _same(facet, chosen) for id_ in facet["passages"]} | set(chosen["passages"])
    rivals = [*turn["facets"], *facets]
    others = {id_ for facet in rivals if _rival(facet, chosen) for id_ in facet["passages"]} - same
    known = {passage["id"] for passage in found}
    joined = [*found, *(passage for passage in own if passage["id"] not in known)]
    kept = [passage for passage in joined if passage["id"] not in others]
    return sorted(kept, key=lambda passage: passage["id"] not in same)


def chosen_facet(turn: TurnState) -> Facet | None:
    """Return the reading that a person chose; none where they typed, or left it to the bot."""
    choice = turn["choice"]
    if choice is None or choice["kind"] != "option":
        return None
    return next((facet for facet in turn["facets"] if facet["id"] == choice["value"]), None)


def _assumed_facet(turn: TurnState) -> Facet | None:
    reading = understood(turn).get("assumed")
    return next((facet for facet in turn["facets"] if facet["id"] == reading), None)


def _same(facet: Facet, chosen: Facet) -> bool:
    return facet["attribute"] == chosen["attribute"] and facet["label"] == chosen["label"]


def _rival(facet: Facet, chosen: Facet) -> bool:
    return facet["attribute"] == chosen["attribute"] and facet["label"] != chosen["label"]


def _telling(facets: list[Facet], found: list[Passage]) -> list[list[str]]:
    """Return for each reading the stems that its passages hold and those of no other do, most frequent first."""
    held = [Counter(_stems(facet, found)) for facet in facets]
    return [
        [word for word, _ in own.most_common() if not any(word in other for other in held if other is not own)][
            :MOST_TELLING
        ]
        for own in held
    ]


def _stems(facet: Facet, found: list[Passage]) -> list[str]:
    behind = [passage for passage in found if passage["id"] in facet["passages"]]
    texts = [" ".join([passage["title"], *passage["heading_path"], passage["text"]]) for passage in behind]
    return content_words(" ".join(texts))


def _shared(names: list[Sequence[str]]) -> list[str]:
    """Return the parts of the first name that all the others have."""
    return [part for part in names[0] if all(part in name for name in names)] if names else []
