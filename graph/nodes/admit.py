"""Admit that no document answers the question, and show the nearest."""

from langgraph.runtime import Runtime

from graph.context import Context
from graph.evidence import sources_of
from graph.state import State, Update
from graph.wording import nothing_found

NEAREST = 3


async def admit(state: State, runtime: Runtime[Context]) -> Update:
    """Say so honestly; nothing is drafted."""
    turn = state["turn"]
    one_each = {passage["document_id"]: passage for passage in reversed(turn["found"])}
    nearest = [passage for passage in turn["found"] if one_each[passage["document_id"]] is passage][:NEAREST]
    return {
        "turn": {
            **turn, "outcome": "admitted", "sources": sources_of(nearest),
            "answer": nothing_found(bool(nearest), runtime.context.has_reviewer),
        }
    }  # fmt: skip
