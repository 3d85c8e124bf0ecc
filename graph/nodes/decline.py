"""Decline what the documents are not about, and say what they are about."""

from langgraph.runtime import Runtime

from graph.context import Context
from graph.state import State, Update, understood
from graph.text.wording import out_of_scope
from graph.text.words import language_of


async def decline(state: State, runtime: Runtime[Context]) -> Update:
    """Say politely that this is not covered."""
    turn = state["turn"]
    answer = understood(turn)["reply"] or out_of_scope(
        await runtime.context.retriever.topics(), language_of(turn["question"])
    )
    return {"turn": {**turn, "outcome": "declined", "answer": answer}}
