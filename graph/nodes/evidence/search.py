"""Search for the question first, because the results help to understand it."""

import asyncio

from langgraph.runtime import Runtime

from graph.asking.facets import find_facets
from graph.context import Context
from graph.events import StepStarted
from graph.memory import previous_question, recall
from graph.patterns import skimmed
from graph.search import find, with_memory_as_readable
from graph.state import State, TurnState, Update, holding
from graph.verified import OTHERWISE, confirmed


async def search(state: State, runtime: Runtime[Context]) -> Update:
    """Find passages and their facets, in a conversation also with the previous question's words."""
    runtime.stream_writer(StepStarted(step="search", title="Searching the documents"))
    readable = _as_begun(await with_memory_as_readable(state, runtime.context))
    turn: TurnState = {
        **readable,
        "began": runtime.context.clock.now().timestamp(),
        "preset": readable.get("preset") or await runtime.context.presets.usual(),
    }
    previous = previous_question(recall({**state, "turn": turn}))
    # A bare mention in a thread means the last question there.
    if not turn["question"].strip():
        turn = {**turn, "question": previous}
    query = turn["question"] if previous in turn["question"] else f"{previous} {turn['question']}"
    found, candidates = await asyncio.gather(find(runtime.context, [query]), runtime.context.verified.candidates(query))
    if candidates:
        turn["candidates"] = candidates
    if runtime.context.web and turn["addressed"]:
        turn["may_search_web"] = True
    return {"turn": {**holding(turn, found), "searched": query, "facets": find_facets(skimmed(query), found)}}


def _as_begun(turn: TurnState) -> TurnState:
    """Return the turn without a choice about a verified answer: it is in the answer's phrasings, if it counts."""
    choice = turn["choice"]
    if choice and (confirmed(choice["value"]) or choice["value"] == OTHERWISE):
        return {**turn, "choice": None, "confirming": True}
    return turn
