"""Whether a passage says what a validator quotes of it: found with typing errors, then compared exactly (pure)."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rapidfuzz import fuzz

from graph.answer.citations import denies, negates, repeats
from graph.answer.evidence import evidence_text
from graph.passages import Passage
from graph.text.grounding import sentences

SAME = 85.0
"""Score (0–100) from which a quotation is a passage's: above 90 with two typing errors, below 60 of another one."""
FEWEST_CHARACTERS = 8
_LONG_ENOUGH = 0.8
"""Share of the quotation's length that a sentence must have to hold it."""


def quoted_sentence(quotation: str, passages: Sequence[Passage]) -> str | None:
    """Return the passage's sentence that holds a quotation, or the quotation if several do; None if no passage does."""
    wanted = _plain(quotation)
    if len(wanted) < FEWEST_CHARACTERS:
        return None
    each = [sentence for passage in passages for sentence in sentences(passage["text"], passage["language"])]
    scored = [(_likeness(wanted, _plain(sentence)), sentence) for sentence in each]
    score, sentence = max(scored, key=lambda pair: pair[0], default=(0.0, ""))
    if score >= SAME:
        return sentence
    return quotation if any(_likeness(wanted, _plain(evidence_text(one))) >= SAME for one in passages) else None


def contradicts(sentence: str, quoted: str, passages: Sequence[Passage] = ()) -> bool:
    """Tell whether a statement says the opposite of the sentence that it is said to rest on.

    A statement that goes on with what stands beside the quoted sentence may have its negation from there.
    """
    return denies(sentence, [quoted]) and not any(
        negates(beside) and repeats(sentence, beside) for beside in _beside(quoted, passages)
    )


def _beside(quoted: str, passages: Sequence[Passage]) -> Iterator[str]:
    for passage in passages:
        for one, other in pairwise(sentences(passage["text"], passage["language"])):
            if quoted in (one, other):
                yield other if quoted == one else one


def _likeness(wanted: str, text: str) -> float:
    # The shorter of the two is looked for in the other: "Yes." would be found in every quotation.
    return fuzz.partial_ratio(wanted, text) if len(text) >= _LONG_ENOUGH * len(wanted) else 0.0


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .…\"'“”*_")
