"""Review: pause the run until a reviewer has decided about the draft."""

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from graph.answer.review import dossier_of, outdated, ruled, shown_sources
from graph.context import Context
from graph.state import DecisionState, ReviewPacket, State, Update


async def review(state: State, runtime: Runtime[Context]) -> Update:
    """Wait for the decision, unless the turn has one. On resume the node runs again from its top."""
    turn = state["turn"]
    dossier = turn.get("dossier") or dossier_of(turn)
    ruling: DecisionState = turn.get("ruling") or interrupt({"dossier": dossier})
    if ruling["kind"] in ("approved", "expired") and not await _holds(dossier, runtime.context):
        ruling = outdated(ruling)
    return {"turn": ruled(turn, dossier, ruling)}


async def _holds(dossier: ReviewPacket, context: Context) -> bool:
    """Tell whether all passages behind the draft are unchanged and still readable for the asker."""
    ids = {source["passage_id"] for source in shown_sources(dossier, dossier["draft"])}
    return not ids or ids == await context.retriever.still_there(sorted(ids))
