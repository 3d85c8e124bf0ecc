"""Retrieve for the stand-alone question with the chosen reading. An identical search is not repeated."""

from langgraph.runtime import Runtime

from graph.answer.sameness import meant, near_miss, same
from graph.asking.clarification import backed, chosen_facet, named_readings, narrowed, rechecked, settled
from graph.asking.facets import find_facets
from graph.context import Context
from graph.memory import standalone
from graph.nodes.steps import begun
from graph.passages import Facet, Passage
from graph.search import LONGEST_QUERY, find, holding
from graph.state import State, TurnState, Understanding, Update, queries_of, understood, without_keys
from graph.verified import LONGEST_PHRASING


async def retrieve(state: State, runtime: Runtime[Context]) -> Update:
    """Find the passages to answer from, and check the offered readings again."""
    understanding = _with_sound_change(settled(state["turn"]), runtime.context)
    turn: TurnState = {**state["turn"], "understanding": understanding}
    queries = queries_of(understanding)
    if queries == [turn["searched"]] and "only" not in understanding:
        understanding = await _worth_asking(understanding, turn["found"], turn["facets"], runtime.context)
        known: TurnState = {**turn, "understanding": understanding}
        return {"turn": matched({**known, "passages": narrowed(known, turn["found"], turn["facets"])})}
    runtime.stream_writer(begun(state, "retrieve"))
    try:
        understanding, found = await _found(understanding, queries, runtime.context)
    except Exception:
        if not _may_do_without(turn):
            raise
        return {"turn": {**turn, "passages": [], "unsearched": True}}
    facets = [*find_facets(queries[0], found), *named_readings(understanding, found)]
    understanding = rechecked(understanding, turn["facets"], facets)
    passages = narrowed({**turn, "understanding": understanding}, found, facets)
    understanding = await _worth_asking(understanding, found, facets, runtime.context)
    retrieved: TurnState = {
        **holding(turn, found, runtime.context),
        "searched": queries[0],
        "facets": _with_chosen(turn, facets),
        "passages": passages,
        "understanding": understanding,
    }
    return {"turn": matched(retrieved)}


def _with_chosen(turn: TurnState, facets: list[Facet]) -> list[Facet]:
    """Return the facets with the chosen one: a question that names a case of a table leaves none open."""
    chosen = chosen_facet(turn)
    if chosen is None or any(facet["id"] == chosen["id"] for facet in facets):
        return facets
    return [*facets, chosen]


def _with_sound_change(understanding: Understanding, context: Context) -> Understanding:
    """Return the understanding without a change that could not be made: nobody is asked to approve it.

    If people are asked first what it is to be called with, the call is not whole yet.
    """
    if "change" not in understanding or understanding["clarification"] or context.tools.takes(understanding["change"]):
        return understanding
    return without_keys(understanding, "change")


def _may_do_without(turn: TurnState) -> bool:
    """Tell whether something else than documents may answer, and was not asked yet."""
    understanding = understood(turn)
    return "change" in understanding or bool(understanding.get("tools") and "results" not in turn)


async def _found(
    understanding: Understanding, queries: list[str], context: Context
) -> tuple[Understanding, list[Passage]]:
    """Search the documents that the question is for; if there are none, all."""
    found = await find(context, queries, only=understanding.get("only"))
    if found or "only" not in understanding:
        return understanding, found
    return without_keys(understanding, "only"), await find(context, queries)


def matched(turn: TurnState) -> TurnState:
    """Note which verified answer is that of the turn's question, or differs in one word, if people may be asked."""
    question, candidates = standalone(turn), turn.get("candidates", [])
    if one := same(question, candidates):
        return {**turn, "reused": one["id"]}
    near = near_miss(question, candidates)
    if near is None and (one := meant(question, candidates, understood(turn).get("same_as"))):
        return {**turn, "reused": one["id"]}
    return {**turn, "near": near, "confirming": True} if near and _may_ask_about(turn) else turn


def _may_ask_about(turn: TurnState) -> bool:
    """Tell whether people may be asked about a near miss: nobody was asked anything yet, and nothing else is asked."""
    is_asked = turn["choice"] is not None or "confirming" in turn or understood(turn)["clarification"] is not None
    may_ask = turn["addressed"] and turn["mode"] == "conversational"
    return may_ask and not is_asked and len(standalone(turn)) <= LONGEST_PHRASING


async def _worth_asking(
    understanding: Understanding, found: list[Passage], facets: list[Facet], context: Context
) -> Understanding:
    if understanding["clarification"] is None:
        return understanding
    relevances = await context.grader.grade(understanding["standalone"][:LONGEST_QUERY], found)
    ids = [passage["id"] for passage in found]
    return backed(understanding, facets, dict(zip(ids, relevances, strict=True)))
