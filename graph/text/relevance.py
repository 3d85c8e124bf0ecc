"""How relevant a text is to a question, by the question's words. Words that are rare in the passages count most."""

import math
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import NamedTuple

from graph.passages import Passage
from graph.text.grounding import sentences
from graph.text.words import content_words, stems


class Relevance(NamedTuple):
    """A sentence, and the share of the question's weight that it holds (0–1)."""

    sentence: str
    score: float


def weigh(question: str, passages: list[Passage]) -> dict[str, float]:
    """Return the weight of each content word of the question that a passage holds. Rare words weigh more."""
    return weigh_among(question, [words_of(passage) for passage in passages])


def weigh_among(question: str, held: list[frozenset[str]]) -> dict[str, float]:
    """Return the same for passages of which the stems are given."""
    counts = {word: sum(word in found for found in held) for word in content_words(question)}
    return {word: math.log(1 + len(held) / count) for word, count in counts.items() if count}


def coverage(weights: dict[str, float], found: AbstractSet[str]) -> float:
    """Return the share (0–1) of the weight of the found words."""
    total = sum(weights.values())
    return sum(weight for word, weight in weights.items() if word in found) / total if total else 0.0


def best_sentence(weights: dict[str, float], passage: Passage) -> Relevance:
    """Return the sentence that holds most of the question, the first of equals."""
    return _best_sentence(passage["text"], tuple(weights.items()))


@lru_cache(maxsize=1024)
def _best_sentence(text: str, weights: tuple[tuple[str, float], ...]) -> Relevance:
    # Cached, because each reading of a question asks for the best sentence of the same passages.
    weighed = dict(weights)
    scored = [Relevance(sentence, coverage(weighed, stems(sentence))) for sentence in sentences(text)]
    return max(scored, key=lambda one: one.score, default=Relevance(text.strip(), 0.0))


def words_of(passage: Passage) -> frozenset[str]:
    """Return the stems of a passage, its headings, its title and its path."""
    named = [passage["title"], *passage["heading_path"], passage["path"].rsplit(".", 1)[0].replace("/", " ")]
    return stems(" ".join([*named, passage["text"]]))
