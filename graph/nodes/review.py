"""Review: pause the run until a person has said what becomes of a draft that falls short."""

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from graph.answer.review import dossier_of, ruled
from graph.context import Context
from graph.review_packet import Deciding
from graph.state import State, Update


async def review(state: State, runtime: Runtime[Context]) -> Update:  # noqa: ARG001
    """Wait for the ruling, unless the turn brings it along; on resume the node runs again from its top."""
    turn = state["turn"]
    dossier = turn.get("dossier") or dossier_of(turn)
    ruling: Deciding = turn.get("ruling") or interrupt({"dossier": dossier})
    return {"turn": ruled(turn, dossier, ruling)}
