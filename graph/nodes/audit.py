"""Audit the draft, without a model: its values against those of its passages, and whether it cites them."""

from langgraph.runtime import Runtime

from graph.answer.citations import audited
from graph.context import Context
from graph.memory import standalone
from graph.state import State, Update


async def audit(state: State, runtime: Runtime[Context]) -> Update:
    """Correct the citations; note what is certainly wrong, what it leaves, and what the validator is to look at."""
    turn = state["turn"]
    today = runtime.context.clock.now().date().isoformat()
    asked = f"{turn['question']}\n{standalone(turn)}"
    found = audited(turn["draft"], turn["passages"], question=asked, today=today)
    return {
        "turn": {
            **turn, "draft": found.draft, "issues": found.faults, "doubts": found.doubts,
            "confidence": found.confidence,
        }
    }  # fmt: skip
