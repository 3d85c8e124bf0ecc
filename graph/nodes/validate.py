"""Validate the draft: whether it is grounded, and whether it answers the question."""

from langgraph.runtime import Runtime

from graph.answer.best_draft import with_the_best
from graph.context import Context, ModelError
from graph.memory import standalone
from graph.state import State, TurnState, Update


async def validate(state: State, runtime: Runtime[Context]) -> Update:
    """Judge the draft, capped by the audit; without a validator it passes on. The last one gives way to a better."""
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
    chosen = with_the_best(turn)
    return {**chosen, "needs_review": chosen["confidence"] < context.review_below}
