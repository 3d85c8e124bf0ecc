"""Review: pause the run until a reviewer has decided about the draft."""

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from graph.answer.review import decided, outdated, packet_of, shown_sources
from graph.context import Context
from graph.state import ReviewPacket, State, Update
from graph.tools import in_documents
from graph.turn import ReviewDecision


async def review(state: State, runtime: Runtime[Context]) -> Update:
    """Wait for the decision, unless the turn has one. On resume the node runs again from its top."""
    turn = state["turn"]
    packet = turn.get("packet") or packet_of(turn)
    decision: ReviewDecision = turn.get("decision") or interrupt({"packet": packet})
    if decision["kind"] in ("approved", "expired") and not await _holds(packet, runtime.context):
        decision = outdated(decision)
    return {"turn": decided(turn, packet, decision)}


async def _holds(packet: ReviewPacket, context: Context) -> bool:
    """Tell whether all passages behind the draft are unchanged and still readable for the asker."""
    ids = in_documents({source["passage_id"] for source in shown_sources(packet, packet["draft"])})
    return not ids or ids == await context.retriever.still_there(sorted(ids))
