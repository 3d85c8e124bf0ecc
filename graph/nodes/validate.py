"""Validate the draft: whether it is grounded, and whether it answers the question."""

from langgraph.runtime import Runtime

from graph.context import Context, ModelError
from graph.memory import standalone
from graph.state import State, Update


async def validate(state: State, runtime: Runtime[Context]) -> Update:
    """Judge the draft; the audit caps its faithfulness, and without a validator it passes on."""
    turn = state["turn"]
    try:
        verdict = await runtime.context.validator.validate(standalone(turn), turn["draft"], turn["passages"])
    except ModelError:
        return {"turn": turn}
    faithful = min(verdict["faithful"], turn["confidence"])
    return {
        "turn": {
            **turn,
            "confidence": min(faithful, verdict["responsive"]),
            "issues": [*turn["issues"], *verdict["issues"]],
        }
    }
