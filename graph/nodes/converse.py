"""Converse: answer a greeting, thanks, or "what can you do"."""

from langgraph.runtime import Runtime

from graph.context import Context
from graph.state import State, Update, understood
from graph.text.wording import small_talk
from graph.text.words import language_of


async def converse(state: State, runtime: Runtime[Context]) -> Update:
    """Say what the model proposed, or what the bot can do."""
    turn = state["turn"]
    answer = understood(turn)["reply"] or small_talk(
        await runtime.context.retriever.topics(), language_of(turn["question"])
    )
    return {"turn": {**turn, "outcome": "conversed", "answer": answer}}
