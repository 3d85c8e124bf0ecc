"""Audit the draft's citations, without a model: uncited sentences, unsupported ones, numbers from nowhere."""

from langgraph.runtime import Runtime

from graph.answer.citations import audited
from graph.context import Context
from graph.state import State, Update


async def audit(state: State, runtime: Runtime[Context]) -> Update:  # noqa: ARG001
    """Note what is wrong and how much it costs."""
    turn = state["turn"]
    issues, confidence = audited(turn["draft"], turn["passages"])
    return {"turn": {**turn, "issues": issues, "confidence": confidence}}
