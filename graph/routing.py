"""Where the run goes after each node: pure, one function a node."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Literal, TypeVar, assert_never

from graph.memory import previous_question, recall, standalone
from graph.state import State, understood

MAX_DRAFTS = 3
"""A first draft and two more (requirement A5)."""
CONFIDENT = 0.7
"""From here a draft is good enough (requirement A4)."""


Next = TypeVar("Next")


def routed(after: Callable[[State], Next]) -> Callable[[State], Awaitable[Next]]:
    """Return the router for LangGraph to call on its loop: one that is not async would go through a thread."""

    @wraps(after)
    async def at_once(state: State) -> Next:
        return after(state)

    return at_once


def after_start(state: State) -> Literal["stay_silent", "review", "search"]:
    """Keep out of what people say to each other, and look nothing up for what a reviewer has decided."""
    turn = state["turn"]
    if turn.get("ruling"):
        return "review"
    return "stay_silent" if turn["mentions_others"] and not turn["addressed"] else "search"


def after_understand(state: State) -> Literal["stay_silent", "converse", "decline", "retrieve"]:
    """Follow the route; a clarification passes through `retrieve`, which checks its options."""
    understanding = understood(state["turn"])
    route = understanding["route"]
    match route:
        case "stay_silent":
            return "stay_silent"
        case "converse":
            return "converse"
        case "out_of_scope":
            return "decline"
        case "answer_from_conversation":
            return "converse" if understanding["reply"] else "retrieve"
        case "retrieve" | "clarify":
            return "retrieve"
        case _:
            assert_never(route)


def after_retrieve(state: State) -> Literal["assume", "grade"]:
    """Look into what there still is to ask."""
    return "assume" if understood(state["turn"])["clarification"] else "grade"


def after_assume(state: State) -> Literal["understand", "clarify"]:
    """Ask, unless the asker's habit has answered."""
    return "understand" if state["turn"]["choice"] else "clarify"


def after_grade(state: State) -> Literal["write", "widen", "admit", "stay_silent"]:
    """Write only from evidence; search once more where the question may be a part of the one before."""
    if state["turn"]["passages"]:
        return "write"
    previous = previous_question(recall(state))
    return "widen" if previous and previous not in standalone(state["turn"]) else after_widen(state)


def after_widen(state: State) -> Literal["write", "admit", "stay_silent"]:
    """Tell nobody of nothing who may have asked somebody else."""
    turn = state["turn"]
    if turn["passages"]:
        return "write"
    is_among_people = not turn["addressed"] and len(recall(state)["people"]) > 1
    return "stay_silent" if is_among_people else "admit"


def after_validate(state: State) -> Literal["write", "review", "finish"]:
    """Write again while the draft falls short and another may be written; then a person looks at it, if one does."""
    turn = state["turn"]
    short = turn["confidence"] < CONFIDENT
    if short and turn["drafts"] < MAX_DRAFTS:
        return "write"
    return "review" if turn.get("needs_review") else "finish"
