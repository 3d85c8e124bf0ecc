"""Stay silent: say nothing to a message for somebody else, and remember it."""

from langgraph.runtime import Runtime

from graph.context import Context
from graph.events import SilenceKept
from graph.memory import remember_remark
from graph.state import State, TurnState, Update


async def stay_silent(state: State, runtime: Runtime[Context]) -> Update:
    """Say nothing to a message that was not meant for the bot, and remember it as conversation."""
    turn = state["turn"]
    runtime.stream_writer(SilenceKept(reason=_reason(turn)))
    return {"memory": remember_remark(state), "turn": {**turn, "outcome": "silent"}}


def _reason(turn: TurnState) -> str:
    understanding = turn["understanding"]
    if understanding is None:
        return "It mentions somebody else."
    return understanding["reason"] if understanding["route"] == "stay_silent" else "Nothing answers it among people."
