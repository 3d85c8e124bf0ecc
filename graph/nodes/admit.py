"""Admit that no document answers the question, and show the nearest."""

from langgraph.runtime import Runtime

from graph.answer.evidence import sources_of
from graph.context import Context
from graph.state import State, Update
from graph.text.wording import nothing_found
from graph.text.words import language_of

NEAREST = 3


async def admit(state: State, runtime: Runtime[Context]) -> Update:
    """Say so honestly; nothing is drafted."""
    turn = state["turn"]
    one_each = {passage["document_id"]: passage for passage in reversed(turn["found"])}
    nearest = [passage for passage in turn["found"] if one_each[passage["document_id"]] is passage][:NEAREST]
    answer = nothing_found(
        nearest=bool(nearest),
        has_reviewer=runtime.context.has_reviewer,
        language=language_of(turn["question"]),
    )
    return {
        "turn": {
            **turn, "outcome": "admitted", "sources": sources_of(nearest),
            "answer": answer,
        }
    }  # fmt: skip
