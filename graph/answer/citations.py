"""The deterministic audit of citations (pure; requirement A3)."""

from graph.answer.draft import cited_numbers
from graph.answer.evidence import evidence_text
from graph.passages import Passage
from graph.text.grounding import sentences, support, unsupported_numbers

SUPPORTED = 0.4
"""Share of a sentence's content words that its cited passages must hold."""
PENALTY = 0.03
"""What each uncited sentence costs; one that its source does not hold is worse."""
UNSUPPORTED_PENALTY = 0.2
FEWEST_WORDS = 4
"""Shorter sentences are headings or connecting words."""


def audited(draft: str, passages: list[Passage]) -> tuple[list[str], float]:
    """Return the issues, one sentence each, and the confidence (0–1) that is left."""
    texts = {number: evidence_text(passage) for number, passage in enumerate(passages, 1)}
    issues: list[str] = []
    confidence = 1.0
    for sentence in sentences(draft):
        if len(sentence.split()) < FEWEST_WORDS:
            continue
        issue, penalty = _issue(sentence, texts)
        if issue:
            issues.append(f"{issue}: {sentence}")
            confidence -= penalty
    return issues, max(confidence, 0.0)


def _issue(sentence: str, texts: dict[int, str]) -> tuple[str, float]:
    cited = [texts[number] for number in cited_numbers(sentence) if number in texts]
    if not cited:
        return "Not cited", PENALTY
    if unsupported_numbers(sentence, cited):
        return "A number that its source does not hold", UNSUPPORTED_PENALTY
    if support(sentence, " ".join(cited)) < SUPPORTED:
        return "Not supported by its source", UNSUPPORTED_PENALTY
    return "", 0.0
