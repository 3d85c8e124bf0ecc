"""Grade the passages: keep those that bear on the question."""

from langgraph.runtime import Runtime

from graph.asking.clarification import chosen_facet
from graph.context import Context
from graph.events import StepStarted
from graph.memory import standalone
from graph.search import evidence_for
from graph.state import State, Update

AT_LEAST = 2
"""Passages of a chosen reading that are kept whatever their grade: no button leads to "not found"."""


async def grade(state: State, runtime: Runtime[Context]) -> Update:
    """Keep the relevant passages; none, if together they are not enough."""
    turn = state["turn"]
    passages = turn["passages"]
    if turn["addressed"]:  # Nothing shows of what may end in silence.
        runtime.stream_writer(StepStarted(step="grade", title=f"Reading {len(passages)} passages"))
    kept = await evidence_for(runtime.context, standalone(turn), passages)
    if not kept and chosen_facet(turn):
        kept = passages[:AT_LEAST]
    return {"turn": {**turn, "passages": kept}}
