"""Judging a draft by what it shares with its passages."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from graph.answer.audit import invents
from graph.answer.claims import Claim, claims
from graph.answer.evidence import evidence_text
from graph.answer.quotes import contradicts
from graph.context import Hints, Verdict
from graph.passages import Passage
from graph.text.grounding import citations, sentences, support, unsupported_numbers, without_citations
from graph.text.sums.equations import shown_sums
from graph.text.words import content_words, language_of, stems, words

ENOUGH = 0.55
"""Support below which a sentence is an issue of its own."""
_UNREAD = 0.75
"""The score (0–1) of what words cannot tell: enough to be shown."""
_ALIEN = 0.35
"""Support below which a statement is not of these passages: 1 of 100 right ones has less, 2 of 3 of other documents."""
_ENOUGH_WORDS = 3
"""Fewer content words tell nothing."""
FREE_PHRASES = 0.45
"""Share of word pairs that even a faithful answer puts together itself."""


class OverlapValidator:
    """A `Validator` without a model."""

    async def validate(
        self, question: str, answer: str, passages: list[Passage], hints: Hints | None = None
    ) -> Verdict:
        """Judge by overlap; never fails. Of translated statements, only the numbers can be compared.

        What only admits that something is not known may be true, but is no answer.
        """
        texts = [evidence_text(passage) for passage in passages]
        counted = [question, *shown_sums(answer)]
        language = language_of(answer)
        every = claims(answer, language)
        stated = [claim for claim in every if claim.needs_source] or [claim for claim in every if not claim.admits]
        translated = [claim.text for claim in stated if _is_translated(claim, language, passages)]
        comparable = [claim for claim in stated if not _is_translated(claim, language, passages)]
        read = [claim.text for claim in comparable]
        misread = [sentence for sentence in translated if invents(sentence, [*texts, *counted], language)]
        faithful = faithfulness(read, texts, counted=counted) if read else _UNREAD
        return Verdict(
            faithful=faithful / 2 if misread else faithful,
            responsive=_responsive(question, answer, passages, hints) if read else _UNREAD if translated else 0.0,
            issues=[f"No passage says this: {one}" for one in (*_unsupported(read, texts, counted), *misread)],
            # What is quoted is the passages' own.
            refuted=[] if hints and hints["quoted"] else _refuted(comparable, passages, texts),
        )


def _is_translated(claim: Claim, language: str, passages: list[Passage]) -> bool:
    """Tell whether a statement is in another language than all that it cites, so that words cannot be compared."""
    return _is_foreign(language, _cited(claim.cited, passages))


def _is_foreign(language: str, cited: list[Passage]) -> bool:
    """Tell whether all cited passages are in other languages; not if none is cited."""
    return bool(cited) and language not in {passage["language"] for passage in cited}


def _cited(numbers: Iterable[int], passages: list[Passage]) -> list[Passage]:
    """Return the passages with these numbers, as far as there are such."""
    return [passages[number - 1] for number in numbers if 0 < number <= len(passages)]


def faithfulness(stated: Sequence[str], texts: list[str], *, counted: Sequence[str] = ()) -> float:
    """Return how far texts carry statements (0–1): two parts their words and numbers, one part their pairs of words.

    `counted` are other texts that may hold their numbers.
    """
    lengths = [len(content_words(without_citations(sentence))) for sentence in stated]
    if not sum(lengths):
        return 1.0
    together = "\n".join(texts)
    shares = (support(sentence, together, counted=counted) for sentence in stated)
    held = sum(share * length for share, length in zip(shares, lengths, strict=True))
    pairs = _pairs("\n".join(map(without_citations, stated)))
    known = set[tuple[str, str]]().union(*(_pairs(text) for text in texts))
    phrases = len(pairs & known) / len(pairs) if pairs else 1.0
    return (2 * held / sum(lengths) + min(1.0, phrases + FREE_PHRASES)) / 3


def _responsive(question: str, answer: str, passages: list[Passage], hints: Hints | None) -> float:
    if hints and hints.get("answers"):
        # The writer has read the passages, and knows better than the words that they share with the question.
        return 1.0
    cited = _cited(citations(answer), passages)
    said = responsiveness(question, answer, [evidence_text(passage) for passage in cited])
    return max(_UNREAD, said) if _is_foreign(language_of(question), cited) else said


def responsiveness(question: str, answer: str, cited: list[str]) -> float:
    """Return how well an answer speaks of what was asked (0–1); `cited` are the passages that it cites.

    Answers use other words than questions: half of them is enough for a full mark, none is just too little. A short
    answer repeats nothing of the question, so what its passages say counts as well.
    """
    asked = stems(question)
    said = stems(without_citations(answer))
    if not said:
        return 0.0
    share = len(asked & (said | stems(" ".join(cited)))) / len(asked) if asked else 1.0
    return 0.6 + 0.4 * min(1.0, 2 * share)


def _unsupported(stated: Sequence[str], texts: list[str], counted: Sequence[str]) -> list[str]:
    together = "\n".join(texts)
    return [
        sentence
        for sentence in stated
        if len(words(sentence)) > 1
        and (support(sentence, together, counted=counted) < ENOUGH or unsupported_numbers(sentence, [*texts, *counted]))
    ]


def _refuted(stated: Sequence[Claim], passages: list[Passage], texts: list[str]) -> list[str]:
    """Return the statements that share next to nothing with the passages, or say the opposite of one of them."""
    each = [one for passage in passages for one in sentences(passage["text"], passage["language"])]
    known, together = [(one, stems(one)) for one in each], "\n".join(texts)

    def is_refuted(claim: Claim) -> bool:
        statement = claim.text
        said = stems(without_citations(statement))
        # A number that no passage holds may be reckoned, and the audit has judged it.
        if len(said) < _ENOUGH_WORDS or unsupported_numbers(statement, texts):
            return False
        if support(statement, together) < _ALIEN:
            return True
        closest, _ = max(known, key=lambda one: len(said & one[1]), default=("", set[str]()))
        return contradicts(statement, closest, passages, introduced=claim.introduced)

    return [claim.text for claim in stated if is_refuted(claim)]


def _pairs(text: str) -> set[tuple[str, str]]:
    found = content_words(text)
    return set(pairwise(found))
