"""Validate the draft: check that the passages support it and that it answers the question."""

from langgraph.runtime import Runtime

from graph.answer.claims import without
from graph.context import Context, Hints, ModelError, Verdict
from graph.memory import standalone
from graph.routing import calls_left, may_rewrite, preset_of
from graph.state import Judged, State, TurnState, Update
from graph.sufficiency import UNSAID
from graph.text.grounding import sentences
from graph.text.wording import LEFT_OUT
from graph.text.words import content_words, language_of

_SAME = 0.8
"""Two sentences that share this much of their words say the same."""


async def validate(state: State, runtime: Runtime[Context]) -> Update:
    """Judge the draft, at most as confident as the audit. If it is the last, the best draft replaces it.

    If the validator fails, the draft passes. If no call is left, it passes if it does not repeat refuted sentences.
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
    return {"turn": _judged(_as_found(asked, verdict), runtime.context)}


def _as_found(turn: TurnState, verdict: Verdict) -> TurnState:
    """Take over a verdict. What it refutes is left out; if the rest does not stand alone, the draft is not sure."""
    faithful = min(verdict["faithful"], turn["confidence"])
    judged: TurnState = {
        **turn,
        "confidence": min(faithful, verdict["responsive"]),
        "issues": [*turn["issues"], *verdict["issues"]],
        "refuted": verdict.get("refuted", sentences(turn["draft"])),
        "scores": {"faithful": verdict["faithful"], "responsive": verdict["responsive"]},
    }
    refuted = [] if turn.get("quoting") else verdict.get("refuted", [])
    if not refuted:
        return judged
    rest = without(turn["draft"], refuted, language_of(turn["draft"]))
    if rest is None:
        return {**judged, "confidence": min(judged["confidence"], preset_of(turn).doubtful)}
    supported = min(verdict["faithful"] * len(turn["draft"]) / len(rest), 1.0)
    return {
        **judged,
        "draft": rest,
        "confidence": min(supported, turn["confidence"], verdict["responsive"]),
        "issues": [issue for issue in judged["issues"] if not any(one in issue for one in refuted)],
        "notes": [*turn["notes"], LEFT_OUT],
    }


def _hints(turn: TurnState, context: Context) -> Hints:
    return Hints(
        today=context.today(turn).isoformat(),
        doubts=turn.get("doubts", []),
        found=turn["found"],
        quoted=bool(turn.get("quoting")),
        by_rules=not preset_of(turn).has_validator,
        answers=turn.get("sufficiency", UNSAID)["level"] in ("full", "part"),
    )


def _unasked(turn: TurnState) -> TurnState:
    """Let a second draft pass without a validator, unless it repeats a sentence that no passage supports."""
    again = [sentence for sentence in turn.get("refuted", []) if _repeats(turn["draft"], sentence)]
    if not again:
        return {**turn, "confidence": min(turn["confidence"], preset_of(turn).confident)}
    before, issues = (turn["best"]["confidence"], turn["best"]["issues"]) if "best" in turn else (0.0, list[str]())
    return {**turn, "confidence": min(turn["confidence"], before), "issues": [*turn["issues"], *issues]}


def _judged(turn: TurnState, context: Context) -> TurnState:
    chosen = _with_the_best(turn)
    # Reviewers may read only what is for everybody.
    needs_review = chosen["confidence"] < context.review_below and not chosen.get("restricted")
    is_last = not may_rewrite(chosen) and not needs_review and not turn.get("quoting")
    if is_last and chosen["confidence"] < preset_of(turn).floor:
        return {**chosen, "draft": "", "quoting": "unproved", "needs_review": False}
    return {**chosen, "needs_review": needs_review}


def _with_the_best(turn: TurnState) -> TurnState:
    """Note the best draft in the turn. If no further draft may come, the best one replaces the last one.

    The complete answer then replaces the text that was streamed from the last draft.
    """
    own = _as_judged(turn)
    best = turn.get("best", own)
    # A quotation replaces drafts that did not match the documents.
    if best["confidence"] <= own["confidence"] or turn.get("quoting"):
        best = own
    chosen = own if may_rewrite(turn) else best
    return {**turn, **chosen, "best": best}


def _repeats(draft: str, sentence: str) -> bool:
    """Tell whether a draft holds a sentence, in nearly the same words."""
    wanted = set(content_words(sentence))
    return any(
        len(wanted & said) >= _SAME * len(wanted | said)
        for said in (set(content_words(one)) for one in sentences(draft))
        if said
    )


def _as_judged(turn: TurnState) -> Judged:
    return Judged(
        draft=turn["draft"],
        confidence=turn["confidence"],
        issues=turn["issues"],
        notes=turn["notes"],
        scores=turn.get("scores", {}),
    )
