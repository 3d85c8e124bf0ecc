"""Stay silent on what was not said to the bot, and remember it as conversation."""

from langgraph.runtime import Runtime

from graph.context import Context
from graph.events import SilenceKept
from graph.memory import remember_remark
from graph.state import State, TurnState, Update


async def stay_silent(state: State, runtime: Runtime[Context]) -> Update:
    """End the run without a word."""
    turn = state["turn"]
    runtime.stream_writer(SilenceKept(reason=_reason(turn)))
    return {"memory": remember_remark(state), "turn": {**turn, "outcome": "silent"}}


def _reason(turn: TurnState) -> str:
    understanding = turn["understanding"]
    if understanding is None:
        return "It mentions somebody else."
    return understanding["reason"] if understanding["route"] == "stay_silent" else "Nothing answers it among people."
