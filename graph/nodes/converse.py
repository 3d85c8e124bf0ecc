"""Converse: answer small talk with the model's words, or with a fixed sentence."""

from langgraph.runtime import Runtime

from graph.context import Context
from graph.state import State, Update, understood
from graph.text.wording import small_talk
from graph.text.words import language_of


async def converse(state: State, runtime: Runtime[Context]) -> Update:
    """Answer a greeting, thanks or "what can you do": with the model's words, or with a fixed sentence."""
    turn = state["turn"]
    answer = understood(turn)["reply"] or small_talk(
        await runtime.context.retriever.topics(), language_of(turn["question"])
    )
    return {"turn": {**turn, "outcome": "conversed", "answer": answer}}
