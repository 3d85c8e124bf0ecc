"""Decline: say that the documents do not cover a question, and what they cover."""

from langgraph.runtime import Runtime

from graph.context import Context
from graph.state import State, Update, understood
from graph.text.wording import out_of_scope
from graph.text.words import language_of


async def decline(state: State, runtime: Runtime[Context]) -> Update:
    """Decline a question that the documents do not cover, and say what they cover."""
    turn = state["turn"]
    answer = understood(turn)["reply"] or out_of_scope(
        await runtime.context.retriever.topics(), language_of(turn["question"])
    )
    return {"turn": {**turn, "outcome": "declined", "answer": answer}}
