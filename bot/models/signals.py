"""What tells that a passage bears on a question, before any of it is weighed."""

import asyncio
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bot.models.embedding import Matrix, MiniLm, Reading
from graph.passages import Passage
from graph.words import STOP_WORDS, content_words, words

_LEAST_WEIGHT = 0.1
"""Of the commonest content word, so that a question of common words alone still weighs something."""


class Signals(NamedTuple):
    """Six figures, each 0–1 or near it; the higher, the likelier that the passage bears on the question."""

    similarity: float
    """Cosine of the two meanings."""
    interaction: float
    """How near the question's words come to their nearest in the passage, on average by weight (Khattab 2020)."""
    weakest: float
    """The same of the word that comes least near: what the passage may lack."""
    coverage: float
    """The share of the question's words, by weight, that the passage or what stands above it holds."""
    above: float
    """The same share for title, headings and path alone."""
    names: float
    """The share of the question's names and numbers that the passage or what stands above it holds; 1 without any."""


async def signals(model: MiniLm, question: str, passages: list[Passage]) -> list[Signals]:
    """Return the signals of each passage, off the event loop: a passage not seen lately takes 30 ms."""
    return await asyncio.to_thread(_signals, model, question, passages)


@dataclass(frozen=True, kw_only=True)
class _Asked:
    question: str
    reading: Reading
    token_weights: Matrix
    word_weights: dict[str, float]


def _signals(model: MiniLm, question: str, passages: list[Passage]) -> list[Signals]:
    reading, *readings = model.read([question, *(_contextual(passage) for passage in passages)])
    sought = [word for word in dict.fromkeys(words(question)) if word not in STOP_WORDS]
    asked = _Asked(
        question=question,
        reading=reading,
        token_weights=_token_weights(model, reading),
        word_weights={word: _weight(model, word) for word in sought},
    )
    return [_signals_of(asked, passage, reading) for passage, reading in zip(passages, readings, strict=True)]


def _signals_of(asked: _Asked, passage: Passage, reading: Reading) -> Signals:
    weights, above = asked.token_weights, _above(passage)
    nearest = _nearest(asked.reading, reading)
    counted = nearest[weights > 0]
    everything = f"{above} {passage['text']}"
    return Signals(
        similarity=float(asked.reading.vector @ reading.vector),
        interaction=float(nearest @ weights / weights.sum()) if counted.size else 0.0,
        weakest=float(counted.min()) if counted.size else 0.0,
        coverage=_coverage(asked.word_weights, everything),
        above=_coverage(asked.word_weights, above),
        names=_names_held(asked.question, everything),
    )


def _nearest(asked: Reading, reading: Reading) -> Matrix:
    if not len(asked.tokens) or not len(reading.tokens):
        return np.zeros(len(asked.tokens), dtype=np.float32)
    return (asked.tokens.astype(np.float32) @ reading.tokens.astype(np.float32).T).max(axis=1)


def _token_weights(model: MiniLm, asked: Reading) -> Matrix:
    texts = [model.word_of(token) for token in asked.ids]
    weights = [
        _LEAST_WEIGHT + model.rarity(token) if re.search(r"\w", text) and text not in STOP_WORDS else 0.0
        for token, text in zip(asked.ids, texts, strict=True)
    ]
    return np.array(weights, dtype=np.float32)


def _weight(model: MiniLm, word: str) -> float:
    tokens = model.tokens_of(word)
    # A word that the vocabulary holds only in parts is rarer than all of them.
    return _LEAST_WEIGHT + (1.0 if len(tokens) > 1 else max(map(model.rarity, tokens), default=0.0))


def _coverage(sought: dict[str, float], text: str) -> float:
    held = _stems(text)
    total = sum(sought.values())
    return sum(weight for word, weight in sought.items() if held.issuperset(content_words(word))) / max(total, 1e-9)


def _names_held(question: str, text: str) -> float:
    # The first word is a capital by its place.
    names = [name for name in re.findall(r"(?<=\s)[A-Z]\w+|\b\w*\d\w*\b", question) if content_words(name)]
    held = _stems(text)
    return sum(held.issuperset(content_words(name)) for name in names) / len(names) if names else 1.0


@lru_cache(maxsize=1024)
def _stems(text: str) -> frozenset[str]:
    return frozenset(content_words(text))


def _above(passage: Passage) -> str:
    path = passage["path"].rsplit(".", 1)[0]
    return " ".join([passage["title"], *passage["heading_path"], re.sub(r"[/_-]+", " ", path)])


def _contextual(passage: Passage) -> str:
    return f"{' › '.join((passage['title'], *passage['heading_path']))}\n{passage['text']}"
