"""Retrieve for the stand-alone question; the first search is used as it is where it was for that question."""

from langgraph.runtime import Runtime

from graph.clarifying import narrowed, rechecked
from graph.context import Context
from graph.events import StepStarted
from graph.facets import find_facets
from graph.finding import find
from graph.state import State, Update, understood


async def retrieve(state: State, runtime: Runtime[Context]) -> Update:
    """Find the passages to answer from, and check again the readings to be offered."""
    turn = state["turn"]
    understanding = understood(turn)
    queries = [understanding["standalone"], *understanding["subquestions"]]
    if queries == [turn["searched"]]:
        return {"turn": {**turn, "passages": narrowed(turn, turn["found"], turn["facets"])}}
    runtime.stream_writer(StepStarted(step="retrieve", title="Searching again for what was meant"))
    found = await find(runtime.context, queries)
    facets = find_facets(queries[0], found)
    passages = narrowed(turn, found, facets)
    understanding = rechecked(understanding, turn["facets"], facets)
    return {
        "turn": {
            **turn, "searched": queries[0], "found": found, "facets": facets, "passages": passages,
            "understanding": understanding,
        }
    }  # fmt: skip
