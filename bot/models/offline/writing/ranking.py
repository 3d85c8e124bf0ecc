"""How well each statement of the passages answers a question (pure).

Weighed like a search: the rare words of the question count most, a heading or title that holds them helps, so do
the passage's rank and a number or a name if one was asked for. If an embedding is at hand, so does its likeness.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from bot.models.offline.writing.quotable import wants_record, wants_update
from bot.models.offline.writing.statements import Statement, statements
from bot.models.thesaurus import Wording, wording_of
from graph import patterns
from graph.answer.negation import asks_what_is_not, forbids
from graph.calendar.names import DAYS, ENGLISH_MONTHS
from graph.passages import Passage
from graph.text.relevance import coverage, weigh_among, words_of
from graph.text.words import stems

Similarity = Callable[[str, list[str]], list[float]]
"""Likeness of meaning (0–1) of a question and each of some texts."""

FORBIDS = 0.3
"""Weight of a negation, in a statement or its heading, if the question has one: other rules may have all its words."""
LIKENESS = 0.8
"""Weight of the likeness of meaning."""
LIKENED, LIKENED_OF_ONE = 32, 10
"""Statements that are compared by meaning, at some milliseconds each, in all and of one passage."""

_WANTS_NUMBER = patterns.compile(
    r"\b(?:how (?:much|many|long|often|far|late|early|old|big|high|soon|quick\w*)|when"
    r"|(?:what|which) (?:time|date|day|number|percentage)|price|cost|fee|limit|deadline|rate|budget|allowance"
    r"|wie ?viel\w*|wie (?:lange|oft|hoch)|wann|kosten|kostet)\b",
    patterns.IGNORE_CASE,
)
_WANTS_NAME = patterns.compile(r"\b(?:who|whom|whose|wer|wem|wen)\b", patterns.IGNORE_CASE)
_NAME = patterns.compile(r"[\w,] [A-Z][\w-]+")
_TIMES = patterns.compile(
    rf"\d|\b(?:{'|'.join((*ENGLISH_MONTHS, *DAYS))}"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|twelve)\b",
    patterns.IGNORE_CASE,
)


WANTS_STEPS = patterns.compile(r"\b(?:how (?:do|can|should|to)|steps|wie (?:kann|muss|mache))\b", patterns.IGNORE_CASE)


def ranked(
    question: str, numbered: list[tuple[int, Passage]], passages: list[Passage], similarity: Similarity | None
) -> list[Statement]:
    """Return every statement of the numbered passages, best first; words are weighed among all passages.

    What a document says of itself, such as its version, is among them only if the question asks for it.
    """
    words = sought(question, passages)
    every = _fit([one for number, passage in numbered for one in statements(number, passage)], question)
    scored = [replace(one, score=_score(question, words, one)) for one in every]
    if asks_what_is_not(question):
        scored = [replace(one, score=one.score + FORBIDS) if _says_no(one) else one for one in scored]
    by_words = _best_first(scored)
    return _best_first(_likened(question, by_words, similarity)) if similarity and by_words else by_words


def _fit(every: list[Statement], question: str) -> list[Statement]:
    wanted = {"record": wants_record(question), "update": wants_update(question)}
    kept = [one for one in every if wanted.get(one.standing, True)]
    return [replace(one, standing="answer") if one.standing in wanted else one for one in kept]


def _best_first(scored: list[Statement]) -> list[Statement]:
    return sorted(scored, key=lambda one: -one.score)


def _likened(question: str, ranked: list[Statement], similarity: Similarity) -> list[Statement]:
    """Add the likeness of meaning to the best by words; the others, which cost time, get that of the least alike."""
    texts = [_with_context(one) for one in ranked[:LIKENED]]
    likeness = similarity(question, texts)
    rest = [min(likeness)] * (len(ranked) - len(likeness))
    return [
        replace(one, score=one.score + LIKENESS * alike) for one, alike in zip(ranked, [*likeness, *rest], strict=True)
    ]


def likest(question: str, passages: list[Passage], similarity: Similarity) -> list[float]:
    """Return for each passage how alike in meaning its likest statement is; 0 for one without any."""
    words = sought(question, passages)
    texts: list[list[str]] = []
    for number, passage in enumerate(passages, 1):
        answers = [one for one in _fit(statements(number, passage), question) if one.standing == "answer"]
        by_words = sorted(answers, key=lambda one: -held(words, one))
        texts.append([_with_context(one) for one in by_words[:LIKENED_OF_ONE]])
    alike = iter(similarity(question, [text for own in texts for text in own]))
    return [max((next(alike) for _ in own), default=0.0) for own in texts]


def _with_context(statement: Statement) -> str:
    passage = statement.passage
    above = statement.asked or " ".join(passage["heading_path"][-1:]) or passage["title"]
    return f"{above}: {statement.text}"


class Sought(NamedTuple):
    """The words of a question, with what says the same."""

    weights: dict[str, float]
    """Of each word that some passage says, also with another. Rare ones weigh more."""
    wording: Wording

    def share(self, held: frozenset[str], language: str) -> float:
        """Return the share (0–1) of the words that a text of these stems says."""
        return coverage(self.weights, self.wording.with_meant(held, language))


def sought(question: str, passages: list[Passage]) -> Sought:
    """Read a question, and weigh its words among the passages."""
    wording = wording_of(question)
    said = [wording.with_meant(words_of(passage), passage["language"]) for passage in passages]
    return Sought(weigh_among(question, said), wording)


def held(words: Sought, statement: Statement) -> float:
    """Return the share (0–1) of the question's words that a statement says, and less for those above it."""
    own, language = stems(f"{statement.text} {statement.asked}"), statement.passage["language"]
    around = own | stems(statement.above)
    return 0.6 * words.share(own, language) + 0.4 * words.share(around, language)


def _score(question: str, words: Sought, statement: Statement) -> float:
    rank = 0.1 / statement.number + 0.4 * statement.passage.get("relevance", 0.0)
    return held(words, statement) + rank + _fitting(question, statement) - 0.01 * min(statement.place, 10)


def _fitting(question: str, statement: Statement) -> float:
    """Return a bonus for the kind of answer that was asked for."""
    text = statement.text
    fits = (
        (_WANTS_NUMBER.search(question) and _TIMES.search(text))
        or (_WANTS_NAME.search(question) and _NAME.search(text))
        or (WANTS_STEPS.search(question) and statement.kind == "item")
    )
    return 0.12 if fits else 0.0


def _says_no(statement: Statement) -> bool:
    """Tell whether a statement or its heading says that something is not so."""
    return forbids(f"{' '.join(statement.passage['heading_path'][-1:])}: {statement.text}")
