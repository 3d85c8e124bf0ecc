"""Checks a validator's quotations: finds them in passages despite typing errors, then compares exactly (pure)."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rapidfuzz import fuzz

from graph.answer.evidence import evidence_text
from graph.answer.negation import denies, negates, repeats
from graph.passages import Passage
from graph.text.grounding import sentences

SAME = 85.0
"""Least score (0–100) of a quotation: two typing errors score above 90, another sentence below 60."""
FEWEST_CHARACTERS = 8
_LONG_ENOUGH = 0.8
"""A sentence must have this share of the quotation's length to hold it."""


def quoted_sentence(quotation: str, passages: Sequence[Passage]) -> str | None:
    """Return the sentence that holds a quotation, or the quotation if several do; `None` if no passage does."""
    wanted = _plain(quotation)
    if len(wanted) < FEWEST_CHARACTERS:
        return None
    each = [sentence for passage in passages for sentence in sentences(passage["text"], passage["language"])]
    scored = [(_likeness(wanted, _plain(sentence)), sentence) for sentence in each]
    score, sentence = max(scored, key=lambda pair: pair[0], default=(0.0, ""))
    if score >= SAME:
        return sentence
    return quotation if any(_likeness(wanted, _plain(evidence_text(one))) >= SAME for one in passages) else None


def contradicts(sentence: str, quoted: str, passages: Sequence[Passage] = (), *, introduced: str = "") -> bool:
    """Tell whether a statement, in the list that a line may introduce, says the opposite of the quoted sentence.

    The statement may take its negation from a neighbour of the quoted sentence or from a heading above it ("Not
    covered"); then it does not contradict.
    """
    if not denies(sentence, [quoted], introduced=introduced) or any(map(negates, _above(quoted, passages))):
        return False
    return not any(negates(beside) and repeats(sentence, beside) for beside in _beside(quoted, passages))


def _above(quoted: str, passages: Sequence[Passage]) -> Iterator[str]:
    for passage in passages:
        if quoted in sentences(passage["text"], passage["language"]):
            yield from passage["heading_path"]


def _beside(quoted: str, passages: Sequence[Passage]) -> Iterator[str]:
    for passage in passages:
        for one, other in pairwise(sentences(passage["text"], passage["language"])):
            if quoted in (one, other):
                yield other if quoted == one else one


def _likeness(wanted: str, text: str) -> float:
    # `partial_ratio` searches the shorter text in the longer one, and "Yes." is in every quotation.
    return fuzz.partial_ratio(wanted, text) if len(text) >= _LONG_ENOUGH * len(wanted) else 0.0


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .…\"'“”*_")
