"""The question back: its options, checked against the found passages (pure)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final, NotRequired, TypedDict

from graph.asking.cases import of_case
from graph.asking.facets import CASE, open_in_table
from graph.documents.versions import unversioned
from graph.events import Option
from graph.passages import FEWEST_OPTIONS, MOST_OPTIONS, Facet, Passage
from graph.state import ChoiceState, TurnState, Understanding, understood
from graph.text.names import same_name
from graph.text.wording import ASSUMED, spoken
from graph.text.words import content_words, language_of
from graph.tools import PlannedChange

WORTH_ASKING = 0.08
"""Least relevance of the best passage behind the options; below it, every click would lead to "not found".

It is far below what an answer needs, because the meaning is not yet part of the question.
"""

SUGGESTED: Final = "near:"
"""How the id of an option begins that stands for one of the nearest documents. The rest is the id of its title."""

MOST_TELLING = 60
"""The most stems that are kept with an option."""


class Offered(TypedDict):
    """An option in the interrupt's payload."""

    id: str
    label: str
    telling: NotRequired[list[str]]
    """Stems that only this option's passages hold, the most frequent first."""


class Asked(TypedDict):
    """The interrupt's payload."""

    question: str
    options: list[Offered]
    attribute: NotRequired[str]
    """The options' attribute and subject: "office of offices vacation"; empty if no choice among them lasts."""
    change: NotRequired[PlannedChange]
    """What is to be approved, if it is no question about meaning."""
    asker: NotRequired[str]
    """The only person who may approve it."""


@dataclass(frozen=True, kw_only=True)
class Ambiguity:
    """The competing readings of a question: values of one attribute, about one subject."""

    attribute: str
    """The attribute and the subject: a choice of an office for vacation days does not hold for parking."""
    labels: tuple[str, ...]


def question_for(turn: TurnState) -> Asked:
    """Return the question and options for the turn's clarification."""
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
    best = [id_ for facet in chosen for id_ in facet["passages"][:1]]
    subject = subject_of([passage for passage in turn["found"] if passage["id"] in best])
    # Which document or argument a person meant once says nothing of the next question.
    is_lasting = len(attributes) == 1 and not (clarification.get("suggested") or clarification.get("of_change"))
    attribute = f"{attributes.pop()} of {subject}".removesuffix(" of ") if is_lasting else ""
    return Asked(question=clarification["question"], options=options, attribute=attribute)


def subject_of(passages: list[Passage]) -> str:
    """Return the common subject of passages that answer a question differently. A choice holds for one subject.

    It is what the documents' names have in common; if the names are the options, what the headings have in common.
    """
    paths = [PurePosixPath(passage["path"]) for passage in passages]
    folders = _shared([path.parts[:-1] for path in paths])
    names = _shared([unversioned(path.stem).split() for path in paths])
    headings = _shared([passage["heading_path"][-1:] for passage in passages])
    return " ".join([*folders, *(names or headings or sorted({str(path) for path in paths}))])


def options_of(asked: Asked) -> tuple[Option, ...]:
    """Return the options in the form of the event."""
    return tuple(
        Option(id=option["id"], label=option["label"], telling=tuple(option.get("telling", ())))
        for option in asked["options"]
    )


def ambiguity_of(asked: Asked) -> Ambiguity | None:
    """Return the ambiguity; `None` if the options have no common attribute."""
    attribute = asked.get("attribute", "")
    labels = tuple(sorted(option["label"] for option in asked["options"]))
    return Ambiguity(attribute=attribute, labels=labels) if attribute else None


def named_readings(understanding: Understanding, found: list[Passage] | None = None) -> list[Facet]:
    """Return the readings that a model named; of these, the ones with a passage in `found`, if that is given."""
    clarification = understanding["clarification"]
    named = clarification.get("named", []) if clarification else []
    if found is None or is_of_change(understanding):
        return named
    ids = {passage["id"] for passage in found}
    return [facet for facet in named if ids & set(facet["passages"])]


def is_of_change(understanding: Understanding) -> bool:
    """Tell whether the question back asks what a planned change is to be called with."""
    clarification = understanding["clarification"]
    return clarification is not None and clarification.get("of_change", False)


def settled(turn: TurnState) -> Understanding:
    """Return the understanding with the person's choice in it, without asking a model again."""
    understanding, choice = understood(turn), turn["choice"]
    if understanding["clarification"] is None or choice is None:
        return understanding
    answered: Understanding = {**understanding, "route": "retrieve", "clarification": None}
    if choice["kind"] == "just_answer":
        likeliest = _likeliest(turn, understanding["clarification"]["options"])
        if likeliest is None:
            return {**answered, "assumption": ""}
        # The first option's passages may have been removed while the question back was open.
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
    """Add the chosen reading to a question, unless the question names it."""
    if set(content_words(label)) <= set(content_words(question)):
        return question
    return f"{question.rstrip(' ?.!')} ({label.strip()})?"


def rechecked(understanding: Understanding, before: list[Facet], after: list[Facet]) -> Understanding:
    """Keep the options that still have a passage after the rewrite. If only one is left, assume it.

    `before` holds the facets of the first search, `after` those of the search for the stand-alone question.
    """
    clarification = understanding["clarification"]
    if clarification is None or is_of_change(understanding):
        return understanding
    still = {_reading(facet): facet["id"] for facet in after}
    chosen = [facet for option in clarification["options"] for facet in before if facet["id"] == option]
    kept = [facet for facet in chosen if _reading(facet) in still]
    if len(kept) >= FEWEST_OPTIONS:
        options = [still[_reading(facet)] for facet in kept][:MOST_OPTIONS]
        return {**understanding, "clarification": {**clarification, "options": options}}
    settled: Understanding = {**understanding, "route": "retrieve", "clarification": None}
    return assuming(settled, kept[0]) if kept else settled


def assuming(understanding: Understanding, reading: Facet) -> Understanding:
    """Assume one reading, and say so."""
    said = spoken(ASSUMED, language_of(understanding["standalone"]), label=reading["label"])
    return {**understanding, "assumption": said, "assumed": reading["id"]}


def backed(understanding: Understanding, facets: list[Facet], relevances: dict[int, float]) -> Understanding:
    """Keep the clarification only if its options are alternatives and a passage behind them is relevant.

    `relevances` are by passage id.
    """
    clarification = understanding["clarification"]
    if clarification is None or is_of_change(understanding):
        return understanding
    options = alternatives([facet for option in clarification["options"] for facet in facets if facet["id"] == option])
    bears = any(relevances.get(id_, 0.0) >= WORTH_ASKING for facet in options for id_ in facet["passages"])
    if bears and len(options) >= FEWEST_OPTIONS:
        return {**understanding, "clarification": {**clarification, "options": [facet["id"] for facet in options]}}
    return {**understanding, "route": "retrieve", "clarification": None}


def alternatives(options: list[Facet]) -> list[Facet]:
    """Return the options that a person can choose from, best first.

    They are values of one attribute, the most frequent one. No two look alike or have the same passages, except
    cases of one table.
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
    """Put the passages of the chosen or assumed reading first, and drop those of the other readings.

    If a person chose one of the nearest folders, only its passages stay. Of a table, only the chosen case stays.
    `facets` are those of `found`. The chosen reading comes from the search before the question back.
    """
    chosen = chosen_facet(turn) or _assumed_facet(turn)
    if chosen is None:
        return found
    own = [passage for passage in turn["found"] if passage["id"] in chosen["passages"]]
    same = {id_ for facet in facets if _reading(facet) == _reading(chosen) for id_ in facet["passages"]} | set(
        chosen["passages"]
    )
    rivals = [*turn["facets"], *facets]
    others = {id_ for facet in rivals if _rival(facet, chosen) for id_ in facet["passages"]} - same
    known = {passage["id"] for passage in found}
    joined = [*found, *(passage for passage in own if passage["id"] not in known)]
    kept = [passage for passage in joined if passage["id"] not in others]
    if chosen["attribute"] == CASE:
        kept = _of_table(chosen, kept, rivals, turn["question"])
    elif is_from_suggestions(turn["choice"]):
        documents = {passage["document_id"] for passage in kept if passage["id"] in same}
        kept = [passage for passage in kept if passage["document_id"] in documents]
    return sorted(kept, key=lambda passage: passage["id"] not in same)


def _of_table(chosen: Facet, passages: list[Passage], rivals: list[Facet], question: str) -> list[Passage]:
    """Return the passages with nothing but the chosen case of its table, without those of a place of another case.

    The other documents stay, because the table may be the wrong one.
    """
    others = {same_name(facet["label"]) for facet in rivals if _rival(facet, chosen)}
    elsewhere = {id_ for facet in rivals if same_name(facet["label"]) in others for id_ in facet["passages"]}
    return [
        {**passage, "text": of_case(passage["text"], chosen["label"], question)}
        if passage["id"] in chosen["passages"]
        else passage
        for passage in passages
        if passage["id"] in chosen["passages"] or passage["id"] not in elsewhere
    ]


def chosen_facet(turn: TurnState) -> Facet | None:
    """Return the reading that a person chose; `None` if they typed their own words or "just answer"."""
    choice = turn["choice"]
    if choice is None or choice["kind"] != "option":
        return None
    # A run that begins with the choice has not suggested anything, but its search found the same passages.
    ids = (choice["value"], choice["value"].removeprefix(SUGGESTED))
    known = [*turn["facets"], *(open_in_table(turn["question"], turn["found"]) if is_from_suggestions(choice) else [])]
    return next((facet for facet in known if facet["id"] in ids), None)


def is_from_suggestions(choice: ChoiceState | None) -> bool:
    """Tell whether a person chose among the nearest documents, which may not answer."""
    return choice is not None and choice["kind"] == "option" and choice["value"].startswith(SUGGESTED)


def without_suggestion(question: str, choice: ChoiceState | None) -> str:
    """Return a question without the chosen document's title, whose words make all its passages look relevant."""
    if choice is None or not is_from_suggestions(choice):
        return question
    return question.removesuffix(f" ({choice['label'].strip()})?")


def _assumed_facet(turn: TurnState) -> Facet | None:
    reading = understood(turn).get("assumed")
    return next((facet for facet in turn["facets"] if facet["id"] == reading), None)


def _reading(facet: Facet) -> tuple[str, str]:
    return facet["attribute"], facet["label"]


def _rival(facet: Facet, chosen: Facet) -> bool:
    return facet["attribute"] == chosen["attribute"] and facet["label"] != chosen["label"]


def _telling(facets: list[Facet], found: list[Passage]) -> list[list[str]]:
    """Return for each reading the stems that only its own passages hold, the most frequent first."""
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
