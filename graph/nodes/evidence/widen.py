"""Widen the search once, because the question may continue the previous one."""

from langgraph.runtime import Runtime

from graph.answer.evidence import band_of, bearing_on, relevant
from graph.context import Context
from graph.events import StepStarted
from graph.memory import language_asked, previous_question, recall
from graph.search import find, holding, weighed_for
from graph.state import State, Update
from graph.text.wording import STEPS, spoken


async def widen(state: State, runtime: Runtime[Context]) -> Update:
    """Search with the previous question too. Keep only passages that hold the new question's own words."""
    turn = state["turn"]
    if turn["addressed"]:
        runtime.stream_writer(StepStarted(step="widen", title=spoken(STEPS["widen"], language_asked(state))))
    joined = f"{previous_question(recall(state))} {turn['question']}"
    found = await find(runtime.context, [joined])
    read = await weighed_for(runtime.context, [joined], bearing_on(turn["question"], found))
    if band_of(read) != "sure":
        return {"turn": turn}
    return {"turn": {**holding(turn, found, runtime.context), "passages": relevant(read)}}
