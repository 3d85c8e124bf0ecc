"""Search for the question first, because the results help to understand it."""

import asyncio
from functools import partial

from langgraph.runtime import Runtime

from graph.asking.called_in import calls_the_bot_in, last_question
from graph.asking.facets import find_facets
from graph.context import Context
from graph.memory import previous_question, recall
from graph.nodes.readers import with_memory_as_readable, with_profile
from graph.nodes.steps import begun
from graph.passages import Passage
from graph.patterns import skimmed
from graph.search import find, holding, or_nothing
from graph.state import Memory, State, TurnState, Update
from graph.verified import OTHERWISE, confirmed


async def search(state: State, runtime: Runtime[Context]) -> Update:
    """Find passages and their facets, in a conversation also with the previous question's words."""
    runtime.stream_writer(begun(state, "search"))
    readable = _as_begun(await with_memory_as_readable(state, runtime.context))
    turn: TurnState = {**readable, "began": runtime.context.clock.now().timestamp()}
    if "preset" not in turn and runtime.context.presets:
        turn["preset"] = await runtime.context.presets.usual()
    turn, query = _with_query(turn, recall({**state, "turn": turn}))
    turn, found, candidates = await asyncio.gather(
        with_profile(turn, runtime.context),
        _found(query, runtime.context),
        or_nothing(partial(runtime.context.verified.candidates, query), [], "verified", runtime.context),
    )
    if candidates:
        turn["candidates"] = candidates
    if runtime.context.web and turn["addressed"]:
        turn["may_search_web"] = True
    if found is None:
        return {"turn": {**turn, "unsearched": True}}
    held = holding(turn, found, runtime.context)
    return {"turn": {**held, "searched": query, "facets": find_facets(skimmed(query), found)}}


def _with_query(turn: TurnState, memory: Memory) -> tuple[TurnState, str]:
    """Return the turn and what to search for. A bare mention in a thread means the last question there."""
    previous = previous_question(memory)
    asked = last_question(memory) if turn["addressed"] and calls_the_bot_in(turn["question"]) else None
    question = turn["question"] if turn["question"].strip() else (asked.question if asked else previous)
    if asked:
        return {**turn, "question": question}, asked.question
    return {**turn, "question": question}, question if previous in question else f"{previous} {question}"


async def _found(query: str, context: Context) -> list[Passage] | None:
    """Search; return `None` if that fails. What needs documents searches again, and ends the run if that fails too."""
    try:
        return await find(context, [query])
    except Exception:  # noqa: BLE001 — whatever it is, places, tools and the thread may answer.
        return None


def _as_begun(turn: TurnState) -> TurnState:
    """Return the turn without a choice about a verified answer: it is in the answer's phrasings, if it counts."""
    choice = turn["choice"]
    if choice and (confirmed(choice["value"]) or choice["value"] == OTHERWISE):
        return {**turn, "choice": None, "confirming": True}
    return turn
