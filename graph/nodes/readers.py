"""Who asks, and what they may read now: of what was remembered, and of what was found before a person answered."""

from functools import partial

from graph.context import Context
from graph.memory import evidence_of, is_restricted
from graph.search import or_nothing
from graph.state import State, TurnState


async def with_memory_as_readable(state: State, context: Context) -> TurnState:
    """Note in the turn which passages behind the memory the asker may not read."""
    remembered = evidence_of(state)
    there = await context.retriever.still_there(remembered) if remembered else set[int]()
    return _with_unreadable(state, there)


async def with_profile(turn: TurnState, context: Context) -> TurnState:
    """Note in the turn what is known of its asker."""
    if context.profiles is None:
        return turn
    profile = await or_nothing(partial(context.profiles.of, turn["asker"]), None, "profiles", context)
    return {**turn, "profile": profile} if profile else turn


async def resumed(state: State, context: Context) -> TurnState:
    """Return the turn as it goes on after a question back, which may have been open for a day.

    Found passages that have changed, or that the asker may not read any more, are dropped. The asker's profile is read
    again. A person who was asked back waits from now on, and must get an answer, even if nobody called the bot.
    """
    began = context.clock.now().timestamp()
    found = [passage["id"] for passage in state["turn"]["found"]]
    there = await context.retriever.still_there([*evidence_of(state), *found])
    known = await with_profile(_with_unreadable(state, there), context)
    turn: TurnState = {**known, "addressed": True, "began": began}
    kept = [passage for passage in turn["found"] if passage["id"] in there]
    if len(kept) == len(turn["found"]):
        return turn
    near = [passage for passage in turn.get("nearest", []) if passage["id"] in there]
    return {**turn, "found": kept, "nearest": near, "searched": ""}


def _with_unreadable(state: State, there: set[int]) -> TurnState:
    """Note in the turn the ids behind the memory that are not in `there`."""
    turn: TurnState = {**state["turn"], "unreadable": [id_ for id_ in evidence_of(state) if id_ not in there]}
    if is_restricted(state):
        turn["restricted"] = True
    return turn
