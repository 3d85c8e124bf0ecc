"""Understand the turn: its route, what to search for, and whether to ask back."""

from langgraph.runtime import Runtime

from graph.answer.evidence import SURE, relevance_of
from graph.answer.follow_ups import section_asked_for
from graph.asking.clarification import named_readings
from graph.asking.place_questions import place_follow_up, place_question
from graph.context import Case, Context, ModelError
from graph.memory import previous_question, recall, standalone
from graph.nodes.steps import begun
from graph.passages import Facet
from graph.patterns import skimmed
from graph.places import PlaceQuestion
from graph.routing import calls_left
from graph.search import or_nothing, weighed_for
from graph.state import Route, State, TurnState, Understanding, Update, plainly, without_keys

FEWEST_LEFT = 2
"""Model calls that must be left to understand a typed answer: one for this, one for the writer."""
HIGHLY_RELEVANT: dict[Route, float] = {"out_of_scope": SURE, "converse": 0.75}
"""The relevance (0–1) of a passage for which a model's route is not taken. Thanks for an answer may share its words."""


async def understand(state: State, runtime: Runtime[Context]) -> Update:
    """Ask the understander for route, stand-alone question and clarification. If it fails, retrieve.

    The words of a typed answer are joined by code if the writer needs the last call.
    """
    runtime.stream_writer(begun(state, "understand"))
    turn = state["turn"]
    if not turn["question"]:
        nothing = plainly("converse", "", reason="Nothing was asked.", confidence=1.0)
        return {"turn": {**turn, "understanding": nothing}}
    if turn["understanding"] and calls_left(turn) < FEWEST_LEFT:
        return {"turn": {**turn, "understanding": _without_a_model(turn)}}
    kinds = await or_nothing(runtime.context.places.kinds, [], "places", runtime.context)
    case = await _case(state, runtime.context, kinds)
    try:
        understanding = await _searching(await runtime.context.understander.understand(case), turn, runtime.context)
    except ModelError:
        understanding = _without_a_model(turn)
    understanding = _as_it_stands(understanding, turn)
    understanding = _for_places(understanding, state, kinds, case["today"])
    facets = [*turn["facets"], *named_readings(understanding)]
    return {"turn": {**turn, "understanding": understanding, "facets": facets, "calls": turn.get("calls", 0) + 1}}


async def _searching(understanding: Understanding, turn: TurnState, context: Context) -> Understanding:
    """Search for the answer if a model takes for small talk, or declines, what a passage is highly relevant to."""
    least = HIGHLY_RELEVANT.get(understanding["route"])
    if least is None or not (context.has_model and turn["found"]):
        return understanding
    best, *_ = await weighed_for(context, [skimmed(turn["question"])], turn["found"])
    return understanding if relevance_of(best) < least else {**understanding, "route": "retrieve", "reply": ""}


def _as_it_stands(understanding: Understanding, turn: TurnState) -> Understanding:
    """Leave a question that names a section as it is: a title like "What we know about them" points back to nothing."""
    question = skimmed(turn["question"])
    is_named = bool(section_asked_for(question, turn["found"])) and not turn["choice"]
    return {**understanding, "standalone": question, "subquestions": []} if is_named else understanding


async def _case(state: State, context: Context, kinds: list[str]) -> Case:
    turn = state["turn"]
    case = Case(
        question=skimmed(turn["question"]),
        memory=recall(state),
        passages=turn["found"],
        facets=_backed(turn),
        topics=await context.retriever.topics(),
        languages=await context.retriever.languages(),
        addressed=turn["addressed"],
        may_ask=turn["choice"] is None and turn["mode"] == "conversational",
        candidates=turn.get("candidates", []),
        today=context.today(turn).isoformat(),
        kinds=kinds,
        tools=await context.tools.offers(),
    )
    if profile := turn.get("profile"):
        case["profile"] = profile
    if turn["choice"]:
        case["choice"] = turn["choice"]
    return case


def _for_places(understanding: Understanding, state: State, kinds: list[str], today: str) -> Understanding:
    """Look up places if the question, or a follow-up of one, asks for nothing else; or if the model planned it."""
    if not kinds or understanding["route"] == "stay_silent":
        return understanding
    # The rules read whole questions exactly, so they come before a model's plan.
    asked = _place_in(state, understanding["standalone"], kinds, today) or understanding.get("place")
    if not asked:
        return understanding
    return {**without_keys(understanding, "change"), "route": "look_up_place", "place": asked, "tools": []}


def _place_in(state: State, standalone: str, kinds: list[str], today: str) -> PlaceQuestion | None:
    question = skimmed(state["turn"]["question"])
    previous = place_question(previous_question(recall(state)), kinds, today)
    return (
        place_question(question, kinds, today)
        or (place_follow_up(question, previous, kinds, today) if previous else None)
        or place_question(standalone, kinds, today)
    )


def _backed(turn: TurnState) -> list[Facet]:
    """Return the readings whose passages still exist; some may have gone while the question back was open."""
    found = {passage["id"] for passage in turn["found"]}
    return [facet for facet in turn["facets"] if found & set(facet["passages"])]


def _without_a_model(turn: TurnState) -> Understanding:
    # An addressed message gets an answer even if the model is down (requirement U1).
    question = skimmed(standalone(turn))
    if turn["choice"] and turn["choice"]["kind"] != "just_answer":
        question = f"{question} ({turn['choice']['label']})"
    route: Route = "retrieve" if turn["addressed"] else "stay_silent"
    return plainly(route, question, reason="No model could be asked.", confidence=0.0)
