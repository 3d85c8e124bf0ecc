"""Validate the draft: whether it is grounded, and whether it answers the question."""

from langgraph.runtime import Runtime

from graph.context import Context, ModelError
from graph.memory import standalone
from graph.state import State, TurnState, Update


async def validate(state: State, runtime: Runtime[Context]) -> Update:
    """Judge the draft; the audit caps its faithfulness, and without a validator it passes on."""
    turn = state["turn"]
    try:
        verdict = await runtime.context.validator.validate(standalone(turn), turn["draft"], turn["passages"])
    except ModelError:
        return {"turn": _judged(turn, runtime.context)}
    faithful = min(verdict["faithful"], turn["confidence"])
    judged: TurnState = {
        **turn,
        "confidence": min(faithful, verdict["responsive"]),
        "issues": [*turn["issues"], *verdict["issues"]],
        "scores": {"faithful": verdict["faithful"], "responsive": verdict["responsive"]},
    }
    return {"turn": _judged(judged, runtime.context)}


def _judged(turn: TurnState, context: Context) -> TurnState:
    return {**turn, "needs_review": turn["confidence"] < context.review_below}
