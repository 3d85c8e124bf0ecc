"""Where the run goes after each node: pure, one function a node."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import wraps
from typing import Final, Literal, TypeVar, assert_never

from graph.answer.draft import cited_numbers
from graph.memory import previous_question, recall, standalone
from graph.state import PresetName, State, TurnState, understood
from graph.sufficiency import UNSAID


@dataclass(frozen=True, kw_only=True)
class Preset:
    """What an answer may take (requirement U6)."""

    passes: int
    """Searches for evidence, the first included."""
    calls: int
    """Model calls in a turn (requirement A9)."""
    drafts: int
    """The first included (requirement A5)."""
    has_validator: bool
    """Whether a model validates drafts; else their overlap with the documents is all that counts."""


PRESETS: Final[dict[PresetName, Preset]] = {
    "quick": Preset(passes=1, calls=3, drafts=2, has_validator=False),
    "balanced": Preset(passes=2, calls=4, drafts=2, has_validator=True),
    "thorough": Preset(passes=4, calls=10, drafts=4, has_validator=True),
}

CONFIDENT = 0.7
"""From here a draft is good enough (requirement A4)."""
FLOOR = 0.4
"""Below it nothing of a model's draft is shown."""


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


def preset_of(turn: TurnState) -> Preset:
    """Return what the turn may take."""
    return PRESETS[turn.get("preset", "balanced")]


def calls_left(turn: TurnState) -> int:
    """Return how many model calls the turn may still take."""
    return max(preset_of(turn).calls - turn.get("calls", 0), 0)


def may_write_again(turn: TurnState) -> bool:
    """Tell whether a model may write again, from better evidence or with what was wrong; once both are one draft."""
    again = max(turn["drafts"], turn.get("improvements", 0) + 1)
    return again < preset_of(turn).drafts and not turn.get("quoting") and calls_left(turn) > 0


def may_improve(turn: TurnState) -> bool:
    """Tell whether it may be searched again for what is missing, to write from that."""
    return turn.get("improvements", 0) + 1 < preset_of(turn).passes and may_write_again(turn)


def after_retrieve(state: State) -> Literal["assume", "grade"]:
    """Look into what there still is to ask."""
    return "assume" if understood(state["turn"])["clarification"] else "grade"


def after_assume(state: State) -> Literal["retrieve", "clarify"]:
    """Ask, unless the asker's habit has answered."""
    return "retrieve" if state["turn"]["choice"] else "clarify"


def after_clarify(state: State) -> Literal["retrieve", "understand"]:
    """Understand again only what was typed; a choice is joined to the question by code."""
    choice = state["turn"]["choice"]
    return "understand" if choice and choice["kind"] == "text" else "retrieve"


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


def after_write(state: State) -> Literal["audit", "improve", "grade", "admit"]:
    """Look for what is missing; quote where the models failed; admit where nothing says it, and check all else."""
    turn = state["turn"]
    level = turn.get("sufficiency", UNSAID)["level"]
    if turn["outcome"] == "admitted":
        return "admit"
    if level in ("part", "none") and may_improve(turn):
        return "improve"
    if level == "none" or (level == "part" and not cited_numbers(turn["draft"])):
        return "admit"
    return "audit" if turn["draft"] else "grade"


def after_improve(state: State) -> Literal["write", "audit", "admit"]:
    """Write from what was found; without anything new, what was written stands, if it says something."""
    turn = state["turn"]
    if turn["outcome"] == "admitted":
        return "admit"
    if not turn["draft"]:
        return "write"
    return "audit" if cited_numbers(turn["draft"]) else "admit"


def after_audit(state: State) -> Literal["write", "validate"]:
    """Write again at once what is certainly wrong; the validator's call is kept for the next draft."""
    turn = state["turn"]
    return "write" if turn["issues"] and may_write_again(turn) else "validate"


def after_validate(state: State) -> Literal["write", "grade", "review", "finish"]:
    """Write again once what falls short; then a person looks at it, if one does; quote if it cannot be shown."""
    turn = state["turn"]
    if turn["confidence"] < CONFIDENT and may_write_again(turn):
        return "write"
    if turn.get("needs_review"):
        return "review"
    return "finish" if turn["draft"] else "grade"
