"""Checks a validator's quotations: finds them in passages despite typing errors, then compares exactly (pure).

Compared are negations, numbers with their units, and names.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rapidfuzz import fuzz

from graph.answer.evidence import evidence_text
from graph.answer.held_values import agree
from graph.answer.negation import denies, negates, repeats
from graph.passages import Passage
from graph.text.grounding import citations, sentences, without_citations
from graph.text.names import named
from graph.text.values import Number, values
from graph.text.words import content_words, language_of

SAME = 85.0
"""Least score (0–100) of a quotation: two typing errors score above 90, another sentence below 60."""
FEWEST_CHARACTERS = 8
SHARED = 0.7
"""Share of a quoted sentence's words, without its names, that a statement has if it repeats it."""
_LONG_ENOUGH = 0.8
"""A sentence must have this share of the quotation's length to hold it."""


def quoted_sentence(quotation: str, passages: Sequence[Passage]) -> str | None:
    """Return the sentence that holds a quotation, or the quotation if several do; `None` if no passage does."""
    wanted = _plain(quotation)
    if len(wanted) < FEWEST_CHARACTERS:
        return None
    each = [sentence for passage in passages for sentence in _sentences(passage)]
    scored = [(_likeness(wanted, _plain(sentence)), sentence) for sentence in each]
    score, sentence = max(scored, key=lambda pair: pair[0], default=(0.0, ""))
    if score >= SAME:
        return sentence
    return quotation if any(_likeness(wanted, _plain(evidence_text(one))) >= SAME for one in passages) else None


def contradicts(sentence: str, quoted: str, passages: Sequence[Passage], *, introduced: str = "") -> bool:
    """Tell whether a statement, in the list that a line may introduce, says the opposite of the quoted sentence.

    The statement may take its negation from a neighbour of the quoted sentence or from a heading above it ("Not
    covered"); then it does not contradict.
    """
    if not denies(sentence, [quoted], introduced=introduced) or any(map(negates, _above(quoted, passages))):
        return False
    return not any(negates(beside) and repeats(sentence, beside) for beside in _beside(quoted, passages))


def misquotes(sentence: str, quoted: str, passages: Sequence[Passage]) -> bool:
    """Tell whether a statement has a number or a name of another sentence in place of the quoted one's.

    This holds for a sentence that a model quotes. One that code takes for the closest may not be the one that is meant.
    """
    # With several citations, a statement joins what several passages say.
    is_joined = len(citations(sentence)) > 1
    return not is_joined and (
        _has_another_number(sentence, quoted, passages) or _has_another_name(sentence, quoted, passages)
    )


def _has_another_number(sentence: str, quoted: str, passages: Sequence[Passage]) -> bool:
    """Tell whether a statement has a number of another sentence in place of the quoted one's number of this unit.

    Numbers that no passage holds may be reckoned, and are the audit's.
    """
    said, theirs = _numbers(sentence), _numbers(quoted)
    others = [one for one in theirs if not any(agree(number, one, hedged=True) for number in said)]
    kept = [one for one in theirs if one not in others]
    foreign = [
        number
        for number in said
        if number.unit
        and not any(agree(number, one, hedged=True) for one in theirs)
        and number.unit in {one.unit for one in others} - {one.unit for one in kept}
    ]
    return any(_is_from_afar(_telling(sentence), quoted, _holding(number, passages)) for number in foreign)


def _has_another_name(sentence: str, quoted: str, passages: Sequence[Passage]) -> bool:
    """Tell whether a statement repeats the quoted sentence with a name of another sentence in place of its own."""
    above = " ".join(_above(quoted, passages))
    bare = without_citations(sentence)
    said, held = set(content_words(bare)), set(content_words(quoted))
    foreign = set(content_words(" ".join(named(bare)))) - held - set(content_words(above))
    own = set(content_words(" ".join(named(quoted)))) - said
    rest = held - own
    if not (foreign and own and rest) or len(rest & said) < SHARED * len(rest):
        return False
    holding = [one for passage in passages for one in _sentences(passage) if foreign & set(content_words(one))]
    return _is_from_afar(_telling(sentence) - foreign, quoted, holding)


def _is_from_afar(said: set[str], quoted: str, holding: Sequence[str]) -> bool:
    """Tell whether a statement's other words are rather the quoted sentence's than those of its value's."""
    own = len(said & _telling(quoted))
    return bool(holding) and all(len(said & _telling(other)) < own for other in holding if other != quoted)


def _telling(sentence: str) -> set[str]:
    return {word for word in content_words(without_citations(sentence)) if not word.isdecimal()}


def _numbers(sentence: str) -> tuple[Number, ...]:
    bare = without_citations(sentence)
    return values(bare, language_of(bare)).numbers


def _holding(number: Number, passages: Sequence[Passage]) -> list[str]:
    return [
        sentence
        for passage in passages
        for sentence in _sentences(passage)
        if any(agree(number, other, hedged=False) for other in values(sentence, passage["language"]).numbers)
    ]


def _sentences(passage: Passage) -> list[str]:
    return sentences(passage["text"], passage["language"])


def _above(quoted: str, passages: Sequence[Passage]) -> Iterator[str]:
    for passage in passages:
        if quoted in _sentences(passage):
            yield from passage["heading_path"]


def _beside(quoted: str, passages: Sequence[Passage]) -> Iterator[str]:
    for passage in passages:
        for one, other in pairwise(_sentences(passage)):
            if quoted in (one, other):
                yield other if quoted == one else one


def _likeness(wanted: str, text: str) -> float:
    # `partial_ratio` searches the shorter text in the longer one, and "Yes." is in every quotation.
    return fuzz.partial_ratio(wanted, text) if len(text) >= _LONG_ENOUGH * len(wanted) else 0.0


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .…\"'“”*_")
