"""Decides where a run goes after each node that has a choice, and within which limits (pure)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import wraps
from typing import Final, Literal, TypeVar, assert_never

from graph.answer.sameness import meant, same
from graph.memory import previous_question, recall, standalone
from graph.state import PresetName, State, TurnState, Understanding, is_suggesting, understood
from graph.sufficiency import UNSAID
from graph.text.grounding import citations
from graph.text.words import content_words
from graph.tools import are_of_web

CONFIDENT: Final = 0.7
"""Least confidence of a draft that is good enough, unless a preset asks for more (requirement A4)."""


@dataclass(frozen=True, kw_only=True)
class Preset:
    """The limits of a run (requirement U6)."""

    passes: int
    """The most searches for evidence, including the first."""
    calls: int
    """The most model calls of a turn (requirement A9)."""
    drafts: int
    """The most drafts, including the first (requirement A5)."""
    rewrites: int = 1
    """The most drafts because of faults of the one before. If it is one, there is none after better evidence."""
    has_validator: bool
    """Whether a model validates drafts. Otherwise only the overlap with the documents counts."""
    confident: float = CONFIDENT
    """Least confidence (0–1) of a draft that is good enough; more than that of a draft with faults."""
    floor: float = 0.4
    """Least confidence (0–1) of a model's draft that is shown."""
    is_written_small: bool = False
    """Whether the last of the models writes, the small one, and the others take over if it fails."""
    second_temperature: float = 0.0
    """The temperature (0–1) of a second draft, with which the first is compared (requirement A7); 0: there is none."""

    @property
    def doubtful(self) -> float:
        """The highest confidence (0–1) of a draft of which a part is refuted: shown, but not as sure."""
        return (self.floor + self.confident) / 2


PRESETS: Final[dict[PresetName, Preset]] = {
    "quick": Preset(passes=1, calls=3, drafts=2, has_validator=False, is_written_small=True),
    "balanced": Preset(passes=2, calls=4, drafts=2, has_validator=True),
    "thorough": Preset(
        passes=4, calls=10, drafts=4, rewrites=2, has_validator=True, confident=0.8, floor=0.5, second_temperature=0.7
    ),
}

Next = TypeVar("Next")


def routed(after: Callable[[State], Next]) -> Callable[[State], Awaitable[Next]]:
    """Make a router async, because LangGraph runs synchronous ones in a thread."""

    @wraps(after)
    async def at_once(state: State) -> Next:
        return after(state)

    return at_once


def after_start(state: State) -> Literal["stay_silent", "review", "approve", "search"]:
    """Stay silent if people talk to each other; go where a person has decided something."""
    turn = state["turn"]
    if turn.get("decision"):
        return "review"
    if "approval" in turn:
        return "approve"
    is_for_people = turn["mentions_others"] or turn["is_muted"]
    return "stay_silent" if is_for_people and not turn["addressed"] else "search"


def after_understand(state: State) -> Literal["stay_silent", "converse", "look_up_place", "retrieve"]:
    """Follow the route. A clarification goes through `retrieve`, which checks its options."""
    understanding = understood(state["turn"])
    route = understanding["route"]
    match route:
        case "stay_silent":
            return "stay_silent"
        case "converse":
            return "converse"
        case "out_of_scope":
            # Where the first search failed, nobody knows what the documents cover.
            is_unsure = state["turn"].get("unsearched") or _is_verified(state["turn"], understanding)
            return "retrieve" if is_unsure else "converse"
        case "answer_from_conversation":
            return "converse" if understanding["reply"] else "retrieve"
        case "look_up_place":
            return "look_up_place"
        case "retrieve" | "clarify":
            return "retrieve"
        case _:
            assert_never(route)


def _is_verified(turn: TurnState, understanding: Understanding) -> bool:
    """Tell whether somebody has answered the question, whatever the documents cover."""
    question, candidates = understanding["standalone"], turn.get("candidates", [])
    return bool(same(question, candidates) or meant(question, candidates, understanding.get("same_as")))


def after_look_up_place(state: State) -> Literal["assume", "retrieve", "finish"]:
    """Show the list, ask which place is meant, or search the documents if nobody knows the place."""
    turn = state["turn"]
    if "place" not in understood(turn):
        return "retrieve"
    return "finish" if turn["draft"] or turn["answer"] else "assume"


def preset_of(turn: TurnState) -> Preset:
    """Return the turn's limits."""
    return PRESETS[turn.get("preset", "balanced")]


def calls_left(turn: TurnState) -> int:
    """Return the number of model calls left."""
    return max(preset_of(turn).calls - turn.get("calls", 0), 0)


def may_write_again(turn: TurnState) -> bool:
    """Tell whether a model may write another draft, from better evidence or after faults."""
    again = max(turn["drafts"], turn.get("improvements", 0) + 1)
    return again < preset_of(turn).drafts and not turn.get("quoting") and calls_left(turn) > 0


def may_rewrite(turn: TurnState) -> bool:
    """Tell whether a model may write the draft again because of its faults."""
    most = preset_of(turn).rewrites
    # What was improved is not also rewritten, unless the preset has calls for both.
    may_mend = most > 1 or not turn.get("improvements", 0)
    return may_mend and turn.get("rewrites", 0) < most and may_write_again(turn)


def may_improve(turn: TurnState) -> bool:
    """Tell whether the run may search the documents for missing evidence and write again."""
    is_left = turn.get("improvements", 0) + 1 < preset_of(turn).passes
    return is_left and may_write_again(turn) and not are_of_web(turn["passages"])


def may_compare(turn: TurnState) -> bool:
    """Tell whether a second draft may be written: once, and only if another pass could settle a disagreement."""
    is_first = bool(preset_of(turn).second_temperature) and "disagreements" not in turn
    return is_first and may_improve({**turn, "calls": turn.get("calls", 0) + 1})


def after_retrieve(state: State) -> Literal["reuse", "confirm", "assume", "approve", "grade"]:
    """Reuse a verified answer, or ask about one, ask back, or answer. A planned change needs an approval."""
    understanding = understood(state["turn"])
    if "change" in understanding:
        return "assume" if understanding["clarification"] else "approve"
    if "reused" in state["turn"]:
        return "reuse"
    return "confirm" if "near" in state["turn"] else _without_verified(state)


def after_confirm(state: State) -> Literal["reuse", "retrieve", "understand"]:
    """Reuse the answer if it holds; else answer from documents, and understand what was typed."""
    if "reused" in state["turn"]:
        return "reuse"
    return "understand" if state["turn"]["choice"] else "retrieve"


def after_reuse(state: State) -> Literal["finish", "assume", "grade"]:
    """End with the verified answer; without it, go on as if there were none."""
    return "finish" if "verified" in state["turn"] else _without_verified(state)


def _without_verified(state: State) -> Literal["assume", "grade"]:
    """Ask back, or answer."""
    return "assume" if understood(state["turn"])["clarification"] else "grade"


def after_assume(state: State) -> Literal["look_up_place", "retrieve", "clarify"]:
    """Ask, unless an earlier choice was assumed."""
    turn = state["turn"]
    if not turn["choice"]:
        return "clarify"
    return "look_up_place" if "place" in understood(turn) else "retrieve"


def after_clarify(state: State) -> Literal["look_up_place", "retrieve", "understand", "admit"]:
    """Understand a typed answer again; code joins a chosen option to the question, but not to a planned change.

    "Just answer" to a suggestion leaves nothing but to admit.
    """
    turn = state["turn"]
    choice = turn["choice"]
    if "place" in understood(turn):
        return "look_up_place"
    if choice and choice["kind"] == "just_answer" and is_suggesting(turn):
        return "admit"
    unread = ("text", "option") if "change" in understood(turn) else ("text",)
    return "understand" if choice and choice["kind"] in unread else "retrieve"


def after_grade(
    state: State,
) -> Literal["use_tools", "write", "retrieve", "widen", "search_web", "suggest", "stay_silent"]:
    """Use the planned tools, once in a turn."""
    turn = state["turn"]
    is_planned = bool(understood(turn).get("tools")) and "results" not in turn
    return "use_tools" if is_planned else after_use_tools(state)


def after_use_tools(state: State) -> Literal["write", "retrieve", "widen", "search_web", "suggest", "stay_silent"]:
    """Write if there is evidence; search again if that failed, and once more if the question may continue another."""
    if state["turn"]["passages"]:
        return "write"
    if state["turn"].get("unsearched"):
        return "retrieve"
    previous = previous_question(recall(state))
    return "widen" if previous and not _is_joined(state["turn"], previous) else after_widen(state)


def _is_joined(turn: TurnState, previous: str) -> bool:
    """Tell whether the stand-alone question says already what only the question before said."""
    own = set(content_words(turn["question"]))
    return previous in standalone(turn) or bool(
        set(content_words(standalone(turn))) & set(content_words(previous)) - own
    )


def after_widen(state: State) -> Literal["write", "search_web", "suggest", "stay_silent"]:
    """Write, or go on without documents; stay silent if the question may be for somebody else."""
    turn = state["turn"]
    if turn["passages"]:
        return "write"
    return "stay_silent" if may_leave_it_to_people(state) else _unanswered(turn)


def may_leave_it_to_people(state: State) -> bool:
    """Tell whether a question that nothing answers is left to the people: several talk here, and nobody called us."""
    return not state["turn"]["addressed"] and len(recall(state)["people"]) > 1


def _unanswered(turn: TurnState) -> Literal["search_web", "suggest"]:
    """Ask the web if no document answers and it was not asked yet; else suggest what was meant."""
    return "search_web" if turn.get("may_search_web") else "suggest"


def after_search_web(state: State) -> Literal["write", "suggest"]:
    """Write from what the web says; without anything, suggest what was meant."""
    return "write" if are_of_web(state["turn"]["passages"]) else "suggest"


def after_write(state: State) -> Literal["audit", "improve", "grade", "search_web", "suggest"]:
    """Search for missing evidence; quote if the models failed; look further if nothing answers; audit the rest."""
    turn = state["turn"]
    level = turn.get("sufficiency", UNSAID)["level"]
    if turn["outcome"] == "admitted":
        return _unanswered(turn)
    if level in ("part", "none") and may_improve(turn):
        return "improve"
    if level == "none" or (level == "part" and not citations(turn["draft"])):
        return _unanswered(turn)
    return "audit" if turn["draft"] else "grade"


def after_improve(state: State) -> Literal["write", "audit", "search_web", "suggest"]:
    """Write from new passages, or again if drafts disagree. Otherwise, keep the draft if it cites something."""
    turn = state["turn"]
    if turn["outcome"] == "admitted":
        return _unanswered(turn)
    if not turn["draft"] or turn.get("disagreements"):
        return "write"
    return "audit" if citations(turn["draft"]) else _unanswered(turn)


def after_suggest(state: State) -> Literal["clarify", "admit"]:
    """Ask which document was meant, if several are offered; otherwise admit."""
    return "clarify" if understood(state["turn"])["clarification"] else "admit"


def after_audit(state: State) -> Literal["write", "compare", "validate"]:
    """Rewrite a draft with faults at once, and keep the validator's call for the next draft."""
    turn = state["turn"]
    if turn["issues"]:
        return "write" if may_rewrite(turn) else "validate"
    return "compare" if may_compare(turn) else "validate"


def after_compare(state: State) -> Literal["improve", "validate"]:
    """Start one more pass if two drafts disagree."""
    return "improve" if state["turn"].get("disagreements") else "validate"


def after_validate(state: State) -> Literal["write", "grade", "review", "finish"]:
    """Rewrite an unsure draft while drafts are left; then review it, show it, or quote the documents."""
    turn = state["turn"]
    if turn["confidence"] < preset_of(turn).confident and may_rewrite(turn):
        return "write"
    if turn.get("needs_review"):
        return "review"
    return "finish" if turn["draft"] else "grade"
