"""Validate the draft: whether it is grounded, and whether it answers the question."""

from langgraph.runtime import Runtime

from graph.answer.best_draft import repeats, with_the_best
from graph.context import Context, Hints, ModelError
from graph.memory import standalone
from graph.routing import CONFIDENT, FLOOR, calls_left, may_write_again, preset_of
from graph.state import State, TurnState, Update
from graph.text.grounding import sentences


async def validate(state: State, runtime: Runtime[Context]) -> Update:
    """Judge the draft, capped by the audit; the last one gives way to a better.

    Without a validator it passes on, and without a call left for one it passes if it mends what was wrong before.
    """
    turn = state["turn"]
    by_model = preset_of(turn).has_validator
    if by_model and not calls_left(turn):
        return {"turn": _judged(_unasked(turn), runtime.context)}
    asked: TurnState = {**turn, "calls": turn.get("calls", 0) + by_model}
    try:
        verdict = await runtime.context.validator.validate(
            standalone(turn), turn["draft"], turn["passages"], _hints(turn, runtime.context)
        )
    except ModelError:
        return {"turn": _judged(asked, runtime.context)}
    faithful = min(verdict["faithful"], turn["confidence"])
    judged: TurnState = {
        **asked,
        "confidence": min(faithful, verdict["responsive"]),
        "issues": [*turn["issues"], *verdict["issues"]],
        "refuted": verdict.get("refuted", sentences(turn["draft"])),
        "scores": {"faithful": verdict["faithful"], "responsive": verdict["responsive"]},
    }
    return {"turn": _judged(judged, runtime.context)}


def _hints(turn: TurnState, context: Context) -> Hints:
    return Hints(
        today=context.clock.now().date().isoformat(),
        doubts=turn.get("doubts", []),
        found=turn["found"],
        quoted=bool(turn.get("quoting")),
        by_rules=not preset_of(turn).has_validator,
    )


def _unasked(turn: TurnState) -> TurnState:
    """Let a second draft pass that nobody can be asked about, unless it says again what no passage says."""
    again = [sentence for sentence in turn.get("refuted", []) if repeats(turn["draft"], sentence)]
    if not again:
        return {**turn, "confidence": min(turn["confidence"], CONFIDENT)}
    before, issues = (turn["best"]["confidence"], turn["best"]["issues"]) if "best" in turn else (0.0, list[str]())
    return {**turn, "confidence": min(turn["confidence"], before), "issues": [*turn["issues"], *issues]}


def _judged(turn: TurnState, context: Context) -> TurnState:
    chosen = with_the_best(turn)
    # Reviewers may read what is for everyone.
    needs_review = chosen["confidence"] < context.review_below and not chosen.get("restricted")
    is_last = not may_write_again(chosen) and not needs_review and not turn.get("quoting")
    if is_last and chosen["confidence"] < FLOOR:
        return {**chosen, "draft": "", "quoting": "unproved", "needs_review": False}
    return {**chosen, "needs_review": needs_review}
