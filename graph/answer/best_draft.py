"""Drafts compared: what a later one must not spoil, and what it must not repeat (pure)."""

from graph.routing import may_write_again
from graph.state import Judged, TurnState
from graph.text.grounding import sentences
from graph.text.words import content_words

_SAME = 0.8
"""Share of the words of two sentences from which they say the same."""


def with_the_best(turn: TurnState) -> TurnState:
    """Return the judged turn with its best draft noted, and in place of the last one where no more is to come.

    The text shown while the last one was written is replaced when the answer is complete.
    """
    own = _judged(turn)
    best = turn.get("best", own)
    # What is quoted stands in for drafts that did not hold.
    if best["confidence"] <= own["confidence"] or turn.get("quoting"):
        best = own
    chosen = own if may_write_again(turn) else best
    return {
        **turn, "best": best, "draft": chosen["draft"], "confidence": chosen["confidence"], "issues": chosen["issues"],
        "notes": chosen["notes"], "scores": chosen["scores"],
    }  # fmt: skip


def repeats(draft: str, sentence: str) -> bool:
    """Tell whether a draft says a sentence, in much the same words."""
    wanted = set(content_words(sentence))
    return any(
        len(wanted & said) >= _SAME * len(wanted | said)
        for said in (set(content_words(one)) for one in sentences(draft))
        if said
    )


def _judged(turn: TurnState) -> Judged:
    return Judged(
        draft=turn["draft"],
        confidence=turn["confidence"],
        issues=turn["issues"],
        notes=turn["notes"],
        scores=turn.get("scores", {}),
    )
