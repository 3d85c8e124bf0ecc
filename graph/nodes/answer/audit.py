"""Audit the draft by code: compare its values with its passages, and check its citations."""

from langgraph.runtime import Runtime

from graph.answer.audit import audited
from graph.context import Context
from graph.memory import recall, said_in, standalone
from graph.state import State, Update


async def audit(state: State, runtime: Runtime[Context]) -> Update:
    """Correct the citations, and note faults, confidence and doubts."""
    turn = state["turn"]
    asked = f"{turn['question']}\n{standalone(turn)}"
    remembered = "\n".join(said_in(recall(state)))
    today = runtime.context.today(turn).isoformat()
    draft, faults, doubts, confidence = audited(
        turn["draft"], turn["passages"], question=asked, today=today, remembered=remembered
    )
    return {"turn": {**turn, "draft": draft, "issues": faults, "doubts": doubts, "confidence": confidence}}
