"""Grade the passages: keep those that bear on the question."""

from langgraph.runtime import Runtime

from graph.answer.evidence import graded, is_enough
from graph.asking.clarification import chosen_facet
from graph.context import Context
from graph.events import StepStarted
from graph.memory import standalone
from graph.search import LONGEST_QUERY
from graph.state import State, Update

AT_LEAST = 2
"""Passages of a chosen reading that are kept whatever their grade: no button leads to "not found"."""


async def grade(state: State, runtime: Runtime[Context]) -> Update:
    """Keep the relevant passages; none, if together they are not enough."""
    turn = state["turn"]
    passages = turn["passages"]
    runtime.stream_writer(StepStarted(step="grade", title=f"Reading {len(passages)} passages"))
    relevances = await runtime.context.grader.grade(standalone(turn)[:LONGEST_QUERY], passages)
    kept = graded(passages, relevances)
    if not is_enough(kept):
        kept = passages[:AT_LEAST] if chosen_facet(turn) else []
    return {"turn": {**turn, "passages": kept}}
