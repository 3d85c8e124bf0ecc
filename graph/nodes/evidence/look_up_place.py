"""Look up places in the directory: find out where "near" is, ask back if it may be several places, and list them."""

from functools import partial

from langgraph.runtime import Runtime

from graph.answer.place_list import days_of, list_of, passages_of, where_to_look, which_one
from graph.asking.place_questions import asked_as
from graph.context import Context
from graph.nodes.steps import begun
from graph.passages import facet_without_passages
from graph.places import Place, PlaceQuestion, Spot
from graph.search import or_nothing
from graph.state import (
    ChoiceState,
    PlannedClarification,
    Route,
    State,
    TurnState,
    Understanding,
    Update,
    understood,
    without_keys,
)
from graph.text.words import language_of

Found = tuple[Spot, list[Place]]
"""A spot, and the places around it."""


async def look_up_place(state: State, runtime: Runtime[Context]) -> Update:
    """List the places near what was meant. If nobody knows where that is, the documents are asked."""
    turn, context = state["turn"], runtime.context
    understanding = understood(turn)
    asked = understanding.get("place")
    if asked is None:
        raise LookupError("No place was asked for.")
    runtime.stream_writer(begun(state, "look_up_place"))
    if not asked["near"]:
        answer = where_to_look(asked, language_of(turn["question"]))
        return {"turn": {**turn, "outcome": "conversed", "answer": answer}}
    found = await or_nothing(partial(_found, asked, turn["choice"], context), [], "places", context)
    if not found:
        return {"turn": {**turn, "understanding": _without_places(understanding)}}
    distinct = _distinct(found)
    if len(distinct) > 1 and turn["choice"] is None and turn["mode"] == "conversational":
        return {"turn": _asking(turn, asked, [spot for spot, _ in distinct])}
    return {"turn": _listed(turn, asked, distinct[0], is_chosen=bool(turn["choice"]))}


async def _found(asked: PlaceQuestion, choice: ChoiceState | None, context: Context) -> list[Found]:
    spots = await _spots(asked, choice, context)
    around = await context.places.around(asked, spots) if spots else []
    return [(spot, places) for spot, places in zip(spots, around, strict=True) if places]


async def _spots(asked: PlaceQuestion, choice: ChoiceState | None, context: Context) -> list[Spot]:
    """Return what "near" may mean, the chosen one alone."""
    spots = await context.places.spots(asked["near"])
    match choice:
        case {"kind": "option", "value": value, "label": label}:
            chosen = [spot for spot in spots if spot["id"] == value] or [one for one in spots if one["label"] == label]
            return chosen or spots
        case {"kind": "text", "value": typed}:
            return await context.places.spots(f"{asked['near']}, {typed}") or await context.places.spots(typed)
        case _:
            return spots


def _distinct(found: list[Found]) -> list[Found]:
    """Return the spots that lead to different places; of two with the same ones, the likelier."""
    by_places: dict[frozenset[int], Found] = {}
    for spot, places in found:
        by_places.setdefault(frozenset(place["id"] for place in places), (spot, places))
    return [*by_places.values()]


def _asking(turn: TurnState, asked: PlaceQuestion, spots: list[Spot]) -> TurnState:
    """Return the turn with a question back, whose options all have places near them."""
    facets = [facet_without_passages(spot["id"], "place", spot["label"]) for spot in spots]
    question = which_one(asked, language_of(turn["question"]))
    clarification = PlannedClarification(question=question, options=[facet["id"] for facet in facets])
    return {
        **turn,
        "facets": [*turn["facets"], *facets],
        "understanding": {**understood(turn), "clarification": clarification},
    }


def _listed(turn: TurnState, asked: PlaceQuestion, found: Found, *, is_chosen: bool) -> TurnState:
    spot, places = found
    language = language_of(turn["question"])
    passages = passages_of(places)
    # The name of a directory's place is not for everybody who may read the thread's memory later.
    is_settled = is_chosen and not spot["from_directory"]
    meant: PlaceQuestion = {**asked, "near": spot["label"]} if is_settled else asked
    said = asked_as(meant, [days_of(asked, "en")] if asked["days"] else [])
    listed: TurnState = {
        **turn,
        "understanding": {**understood(turn), "clarification": None, "standalone": said, "assumption": ""},
        "passages": passages,
        "draft": list_of(asked, spot, places, passages, language),
        "notes": [],
    }
    if any(passage.get("restricted") for passage in passages):
        listed["restricted"] = True
    return listed


def _without_places(understanding: Understanding) -> Understanding:
    """Return the understanding as if nobody had asked for a place, so that the documents are searched."""
    route: Route = "clarify" if understanding["clarification"] else "retrieve"
    return {**without_keys(understanding, "place"), "route": route}
