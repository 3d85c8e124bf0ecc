"""Suggest: ask which folder or case was meant, before the run admits that nothing answers."""

from langgraph.runtime import Runtime

from graph.answer.evidence import UNSURE
from graph.asking.suggestions import near_readings, suggesting
from graph.context import Context
from graph.events import DraftWithdrawn
from graph.state import State, Update


async def suggest(state: State, runtime: Runtime[Context]) -> Update:
    """Offer folders, or the cases of a table, that were found first; not if somebody reviews or was asked before."""
    turn = state["turn"]
    if runtime.context.has_reviewer_for(turn) or turn["choice"] or turn["mode"] == "stateless":
        return {"turn": turn}
    # Nothing is offered against a model that has read the passages: only a run that quotes has nearest ones.
    asking = suggesting(turn, near_readings(turn, UNSURE))
    if asking is not turn and turn.get("shown"):
        runtime.stream_writer(DraftWithdrawn(reason="No draft stands."))
    return {"turn": asking}
