"""Audit the draft by code: compare its values with its passages, and check its citations."""

from langgraph.runtime import Runtime

from graph.answer.citations import audited
from graph.asking.profiles import today_for
from graph.context import Context
from graph.memory import recall, said_in, standalone
from graph.state import State, Update


async def audit(state: State, runtime: Runtime[Context]) -> Update:
    """Correct the citations, and note faults, confidence and doubts."""
    turn = state["turn"]
    today = today_for(runtime.context.clock.now(), turn.get("profile")).isoformat()
    asked = f"{turn['question']}\n{standalone(turn)}"
    remembered = "\n".join(said_in(recall(state)))
    found = audited(turn["draft"], turn["passages"], question=asked, today=today, remembered=remembered)
    return {
        "turn": {
            **turn,
            "draft": found.draft,
            "issues": found.faults,
            "doubts": found.doubts,
            "confidence": found.confidence,
        }
    }
