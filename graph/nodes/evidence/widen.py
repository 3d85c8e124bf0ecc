"""Widen the search once, because the question may continue the previous one."""

from langgraph.runtime import Runtime

from graph.answer.evidence import band_of, bearing_on, relevant
from graph.context import Context
from graph.memory import previous_question, recall
from graph.nodes.steps import begun
from graph.search import find, holding, weighed_for
from graph.state import State, Update


async def widen(state: State, runtime: Runtime[Context]) -> Update:
    """Search with the previous question too. Keep only passages that hold the new question's own words."""
    turn = state["turn"]
    runtime.stream_writer(begun(state, "widen"))
    joined = f"{previous_question(recall(state))} {turn['question']}"
    found = await find(runtime.context, [joined])
    read = await weighed_for(runtime.context, [joined], bearing_on(turn["question"], found))
    if band_of(read) != "sure":
        return {"turn": turn}
    return {"turn": {**holding(turn, found, runtime.context), "passages": relevant(read)}}
