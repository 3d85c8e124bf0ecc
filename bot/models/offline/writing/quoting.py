"""Which statements of the passages answer a question (pure).

Weighed like a search: the rare words of the question count most, a heading or title that holds them helps, so do
the passage's rank and a number or a name where one was asked for. Where an embedding is at hand, so does its likeness.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from bot.models.offline.writing.completion import Quotation, completed
from bot.models.offline.writing.statements import Statement, statements
from graph.passages import Passage
from graph.text.relevance import coverage, weigh
from graph.text.versions import are_versions, replacement
from graph.text.words import content_words, quantities

Similarity = Callable[[str, list[str]], list[float]]
"""Likeness of meaning (0–1) of a question and each of some texts."""

MOST = 4
NEAR = 0.72
"""A statement is quoted if it answers as well as this share of the best."""
NEIGHBOUR = 0.5
"""The same for a second statement out of the best one's passage."""
STRANGER = 0.8
"""The same for one out of another passage."""
LIKENESS = 0.8
"""Weight of the likeness of meaning."""
LIKENED = 32
"""Statements that are compared by meaning, at some milliseconds each."""
ALIKE = 0.75

_WANTS_NUMBER = re.compile(
    r"\b(?:how (?:much|many|long|often|far|late|early|old|big|high|soon|quick\w*)|when"
    r"|(?:what|which) (?:time|date|day|number|percentage)|price|cost|fee|limit|deadline|rate|budget|allowance"
    r"|wie ?viel\w*|wie (?:lange|oft|hoch)|wann|kosten|kostet)\b",
    re.IGNORECASE,
)
_WANTS_NAME = re.compile(r"\b(?:who|whom|whose|wer|wem|wen)\b", re.IGNORECASE)
_WANTS_STEPS = re.compile(r"\b(?:how (?:do|can|should|to)|steps|wie (?:kann|muss|mache))\b", re.IGNORECASE)
_NAME = re.compile(r"(?<=[\w,] )[A-ZÄÖÜ][\w-]+")
_TIMES = re.compile(
    r"\d|\b(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|twelve)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class Otherwise:
    """What another version of the quoted document says with other numbers."""

    passage: Passage
    quotation: Quotation
    newer: bool
    """Whether it is newer than the one that was asked for."""


def choose(question: str, passages: list[Passage], similarity: Similarity | None = None) -> list[Quotation]:
    """Return the one to four statements of the newest versions that answer best, and the lists they belong to."""
    numbered = [
        (number, passage)
        for number, passage in enumerate(passages, 1)
        if replacement(passage, passages, question) is None
    ]
    everything = _ranked(question, numbered, passages, similarity)
    ranked = _answers(everything)
    if not ranked:
        return []
    return _in_order(completed(_best(ranked), everything, steps=_WANTS_STEPS.search(question) is not None))


def _answers(everything: list[Quotation]) -> list[Quotation]:
    """Return what may answer; titles only where nothing else was found."""
    answers = [one for one in everything if one.statement.standing == "answer"]
    return answers or [one for one in everything if one.statement.standing == "title"]


def _best(ranked: list[Quotation]) -> list[Quotation]:
    chosen: list[Quotation] = []
    for quotation in ranked:
        if quotation.score < _enough(quotation, chosen) * ranked[0].score or len(chosen) == MOST:
            continue
        if not any(_repeats(quotation.statement.text, other.statement.text) for other in chosen):
            chosen.append(quotation)
    return chosen


def _enough(quotation: Quotation, chosen: list[Quotation]) -> float:
    if chosen and not _same_passage(quotation, chosen[0]):
        return STRANGER
    return NEAR if len(chosen) > 1 else NEIGHBOUR


def _same_passage(one: Quotation, other: Quotation) -> bool:
    return one.statement.number == other.statement.number


def other_version(question: str, passages: list[Passage], chosen: list[Quotation]) -> Otherwise | None:
    """Return what another version of the best quotation's document says with other numbers."""
    if not chosen:
        return None
    best = max(chosen, key=lambda quotation: quotation.score)
    quoted = passages[best.statement.number - 1]
    others = [(number, other) for number, other in enumerate(passages, 1) if are_versions(quoted, other)]
    ranked = _answers(_ranked(question, others, passages, None))
    if not ranked or not _contradicts(ranked[0].statement.text, best.statement.text):
        return None
    found = passages[ranked[0].statement.number - 1]
    return Otherwise(passage=found, quotation=ranked[0], newer=replacement(found, [quoted]) is None)


def _contradicts(one: str, other: str) -> bool:
    return quantities(one) != quantities(other) and _alike(_wordy(one), _wordy(other))


def _ranked(
    question: str, numbered: list[tuple[int, Passage]], passages: list[Passage], similarity: Similarity | None
) -> list[Quotation]:
    weights = weigh(question, passages)
    scored = [
        Quotation(statement=statement, score=_score(question, weights, statement, passage))
        for number, passage in numbered
        for statement in statements(number, passage)
    ]
    ranked = sorted(scored, key=lambda quotation: -quotation.score)
    if similarity is None or not ranked:
        return ranked
    return sorted(_likened(question, ranked, passages, similarity), key=lambda quotation: -quotation.score)


def _likened(
    question: str, ranked: list[Quotation], passages: list[Passage], similarity: Similarity
) -> list[Quotation]:
    """Add the likeness of meaning to the best by words; the others, which cost time, get that of the least alike."""
    texts = [_with_context(one.statement, passages[one.statement.number - 1]) for one in ranked[:LIKENED]]
    likeness = similarity(question, texts)
    rest = [min(likeness)] * (len(ranked) - len(likeness))
    return [
        Quotation(statement=one.statement, score=one.score + LIKENESS * alike)
        for one, alike in zip(ranked, [*likeness, *rest], strict=True)
    ]


def _with_context(statement: Statement, passage: Passage) -> str:
    above = statement.asked or " ".join(passage["heading_path"][-1:]) or passage["title"]
    return f"{above}: {statement.text}"


def _score(question: str, weights: dict[str, float], statement: Statement, passage: Passage) -> float:
    own = set(content_words(f"{statement.text} {statement.asked}"))
    around = own | set(content_words(" ".join([passage["title"], *passage["heading_path"]])))
    held = 0.6 * coverage(weights, own) + 0.4 * coverage(weights, around)
    rank = 0.1 / statement.number + 0.15 * passage.get("relevance", 0.0)
    return held + rank + _fitting(question, statement) - 0.01 * min(statement.place, 10)


def _fitting(question: str, statement: Statement) -> float:
    """Return a bonus for the kind of answer that was asked for."""
    text = statement.text
    fits = (
        (_WANTS_NUMBER.search(question) and _TIMES.search(text))
        or (_WANTS_NAME.search(question) and _NAME.search(text))
        or (_WANTS_STEPS.search(question) and statement.kind == "item")
    )
    return 0.12 if fits else 0.0


def _in_order(chosen: list[Quotation]) -> list[Quotation]:
    best: dict[int, float] = {}
    for one in chosen:
        best[one.statement.number] = max(one.score, best.get(one.statement.number, 0.0))
    return sorted(chosen, key=lambda one: (-best[one.statement.number], one.statement.number, one.statement.place))


def _repeats(one: str, other: str) -> bool:
    return quantities(one) == quantities(other) and _alike(one, other)


def _alike(one: str, other: str) -> bool:
    held = [set(content_words(text)) for text in (one, other)]
    return len(held[0] & held[1]) >= ALIKE * max(1, min(len(held[0]), len(held[1])))


def _wordy(text: str) -> str:
    return re.sub(r"\d[\d.,]*", " ", text)
