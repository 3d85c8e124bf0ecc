"""Drafts compared: what a later one must not spoil (pure)."""

from graph.routing import MAX_DRAFTS
from graph.state import Judged, TurnState


def with_the_best(turn: TurnState) -> TurnState:
    """Return the judged turn with its best draft noted, and in place of the last one where no more is to come.

    The text shown while the last one was written is replaced when the answer is complete.
    """
    own = _judged(turn)
    best = turn.get("best", own)
    if best["confidence"] <= own["confidence"]:
        best = own
    chosen = best if turn["drafts"] >= MAX_DRAFTS else own
    return {
        **turn, "best": best, "draft": chosen["draft"], "confidence": chosen["confidence"], "issues": chosen["issues"],
        "notes": chosen["notes"], "scores": chosen["scores"],
    }  # fmt: skip


def _judged(turn: TurnState) -> Judged:
    return Judged(
        draft=turn["draft"],
        confidence=turn["confidence"],
        issues=turn["issues"],
        notes=turn["notes"],
        scores=turn.get("scores", {}),
    )
