"""Stay silent on what was not said to the bot, and remember it as conversation."""

from langgraph.runtime import Runtime

from graph.context import Context
from graph.events import SilenceKept
from graph.memory import remember_remark
from graph.state import State, Update


async def stay_silent(state: State, runtime: Runtime[Context]) -> Update:
    """End the run without a word."""
    turn = state["turn"]
    understanding = turn["understanding"]
    reason = understanding["reason"] if understanding else "It mentions somebody else."
    runtime.stream_writer(SilenceKept(reason=reason))
    return {"memory": remember_remark(state), "turn": {**turn, "outcome": "silent"}}
