"""Judging a draft by what it shares with its passages."""

from itertools import pairwise

from graph.answer.evidence import evidence_text
from graph.context import Hints, Verdict
from graph.passages import Passage
from graph.text.grounding import citations, sentences, support, unsupported_numbers, without_citations
from graph.text.words import content_words, language_of, words

ENOUGH = 0.55
"""Support below which a sentence is an issue of its own."""
_UNREAD = 0.75
"""The score (0–1) of what words cannot tell: enough to be shown."""
FREE_PHRASES = 0.45
"""Share of word pairs that even a faithful answer puts together itself."""


class OverlapValidator:
    """A `Validator` without a model."""

    async def validate(
        self, question: str, answer: str, passages: list[Passage], hints: Hints | None = None
    ) -> Verdict:
        """Judge by overlap; never fails."""
        del hints
        texts = [evidence_text(passage) for passage in passages]
        if _is_translated(answer, passages):
            return _by_numbers(answer, texts)
        return Verdict(
            faithful=faithfulness(answer, texts),
            responsive=responsiveness(question, answer, [_said_by(passages, number) for number in citations(answer)]),
            issues=[f"No passage says this: {sentence}" for sentence in _unsupported(answer, texts)],
        )


def _is_translated(answer: str, passages: list[Passage]) -> bool:
    """Tell whether an answer is in another language than all that it cites, so that their words cannot be compared."""
    cited = [passages[number - 1]["language"] for number in citations(answer) if 0 < number <= len(passages)]
    return bool(cited) and language_of(answer) not in cited


def _by_numbers(answer: str, texts: list[str]) -> Verdict:
    """Judge a translated answer by its numbers alone."""
    wrong = [sentence for sentence in sentences(answer) if unsupported_numbers(sentence, texts)]
    return Verdict(
        faithful=_UNREAD if not wrong else _UNREAD / 2,
        responsive=_UNREAD,
        issues=[f"No passage says this: {sentence}" for sentence in wrong],
    )


def faithfulness(answer: str, texts: list[str]) -> float:
    """Return how far texts carry an answer (0–1): two parts its words and numbers, one part its pairs of words."""
    found = sentences(answer)
    lengths = [len(content_words(without_citations(sentence))) for sentence in found]
    if not sum(lengths):
        return 1.0
    together = "\n".join(texts)
    held = sum(support(sentence, together) * length for sentence, length in zip(found, lengths, strict=True))
    pairs = _pairs(without_citations(answer))
    known = set[tuple[str, str]]().union(*(_pairs(text) for text in texts))
    phrases = len(pairs & known) / len(pairs) if pairs else 1.0
    return (2 * held / sum(lengths) + min(1.0, phrases + FREE_PHRASES)) / 3


def responsiveness(question: str, answer: str, cited: list[str]) -> float:
    """Return how well an answer speaks of what was asked (0–1); `cited` are the passages that it cites.

    Answers use other words than questions: half of them is enough for a full mark, none is just too little. A short
    answer repeats nothing of the question, so what its passages say counts as well.
    """
    asked = set(content_words(question))
    said = set(content_words(without_citations(answer)))
    if not said:
        return 0.0
    share = len(asked & (said | set(content_words(" ".join(cited))))) / len(asked) if asked else 1.0
    return 0.6 + 0.4 * min(1.0, 2 * share)


def _said_by(passages: list[Passage], number: int) -> str:
    return evidence_text(passages[number - 1]) if 0 < number <= len(passages) else ""


def _unsupported(answer: str, texts: list[str]) -> list[str]:
    together = "\n".join(texts)
    return [
        sentence
        for sentence in sentences(answer)
        if len(words(sentence)) > 1 and (support(sentence, together) < ENOUGH or unsupported_numbers(sentence, texts))
    ]


def _pairs(text: str) -> set[tuple[str, str]]:
    found = content_words(text)
    return set(pairwise(found))
