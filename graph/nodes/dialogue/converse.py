"""Converse: answer what needs no documents, with the model's words or a fixed sentence."""

from langgraph.runtime import Runtime

from graph.context import Context
from graph.memory import language_asked
from graph.state import Outcome, State, Update, understood
from graph.text.wording import out_of_scope, small_talk


async def converse(state: State, runtime: Runtime[Context]) -> Update:
    """Answer a greeting, thanks or "what can you do"; decline a question that the documents do not cover."""
    turn, understanding = state["turn"], understood(state["turn"])
    is_outside = understanding["route"] == "out_of_scope"
    say = out_of_scope if is_outside else small_talk
    answer = understanding["reply"] or say(await runtime.context.retriever.topics(), language_asked(state))
    outcome: Outcome = "declined" if is_outside else "conversed"
    return {"turn": {**turn, "outcome": outcome, "answer": answer, "sources": understanding.get("cites", [])}}
