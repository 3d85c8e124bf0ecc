"""Signals that a passage is relevant to a question, before they are weighed.

Late interaction over token embeddings ranked no better than these signals, and took 30 ms for each passage.
"""

import asyncio
from typing import NamedTuple

from bot.models.embedding import Embedding
from bot.models.thesaurus import Wording, wording_of
from graph import patterns
from graph.context import ModelError
from graph.passages import Passage, contextual
from graph.text.grounding import sentences
from graph.text.words import STOP_WORDS, language_of, stems, words

_LEAST_WEIGHT = 0.1
"""Weight of the commonest word, so that a question of common words alone still has some."""
_LIKE_COVERAGE = 0.5
"""The similarity that stands in for a missing one, for each unit of coverage. Set by docs/evaluation.md: with more,
questions that no document answers are answered all the same.
"""
_NAME = patterns.compile(r"\s[A-Z]\w+|\b\w*\d\w*\b")
"""A number, or a capitalised word that is not the first."""
OTHERWISE = 0.8
"""What a word counts that a passage says with another one, which may mean something else."""
_BETWEEN_WORDS = str.maketrans("/_-", "   ")


class Signals(NamedTuple):
    """Figures of one passage. A higher figure means that the passage is more likely relevant."""

    similarity: float
    """The similarity of meaning."""
    coverage: float
    """The share (0–1) of the question's words, by rarity, in the passage, its title, headings and path."""
    sentence: float
    """The same share for the best single sentence or row, with title, headings and path."""
    names: float
    """The share (0–1) of the question's names and numbers that the passage holds; 1 without any."""
    foreign: float = 0.0
    """1 if the passage is in another language than the question, so that their words cannot match."""
    similarity_lag: float = 0.0
    """The distance of the similarity to the best in the set, 0 or less."""
    coverage_lag: float = 0.0
    sentence_lag: float = 0.0


async def signals(model: Embedding, question: str, passages: list[Passage]) -> list[Signals]:
    """Return the signals of each passage in this set, computed off the event loop."""
    return await asyncio.to_thread(_signals, model, question, passages)


def titles_named(question: str, passages: list[Passage]) -> list[float]:
    """Return the share (0–1) of the words of each passage's title that the question holds."""
    asked = stems(question)
    titles = [stems(passage["title"]) for passage in passages]
    return [len(title & asked) / len(title) if title else 0.0 for title in titles]


def with_lags(rows: list[Signals]) -> list[Signals]:
    """Return the rows with each one's distance to the best: an answer stands out from the other passages."""
    best = [max(row[place] for row in rows) for place in range(3)] if rows else []
    return [
        row._replace(
            similarity_lag=row.similarity - best[0],
            coverage_lag=row.coverage - best[1],
            sentence_lag=row.sentence - best[2],
        )
        for row in rows
    ]


class _Asked(NamedTuple):
    """A question, read once for all passages."""

    weights: list[tuple[frozenset[str], float]]
    """The stems of each word that counts, and its weight."""
    total: float
    names: list[frozenset[str]]
    """The stems of each name and number."""
    language: str
    wording: Wording

    def share(self, held: frozenset[str], passage: Passage) -> float:
        """Return the share (0–1) of the words that stems of a passage say, also with other words."""
        said = self.wording.with_meant(held, passage["language"])
        shares = (weight * (1.0 if word <= held else OTHERWISE) for word, weight in self.weights if word <= said)
        return sum(shares) / self.total


def _signals(model: Embedding, question: str, passages: list[Passage]) -> list[Signals]:
    asked = _asked(model, question)
    rows = [_by_words(asked, passage) for passage in passages]
    near = _nearness(model, question, passages) or [row.coverage * _LIKE_COVERAGE for row in rows]
    return with_lags([row._replace(similarity=near_it) for row, near_it in zip(rows, near, strict=True)])


def _nearness(model: Embedding, question: str, passages: list[Passage]) -> list[float] | None:
    """Return the similarity of each passage; `None` if the model fails."""
    # A search has handed over the vectors of these very texts.
    texts = [contextual(one["title"], one["heading_path"], one["text"]) for one in passages]
    try:
        return model.similarities(question, texts).tolist()
    except ModelError:
        return None


def _asked(model: Embedding, question: str) -> _Asked:
    counting = dict.fromkeys(word for word in words(question) if word not in STOP_WORDS)
    weights = [(stems(word), _LEAST_WEIGHT + model.rarity(word)) for word in counting]
    names = [name for found in _NAME.finditer(question) if (name := stems(found[0]))]
    return _Asked(
        weights, max(sum(weight for _, weight in weights), 1e-9), names, language_of(question), wording_of(question)
    )


def _by_words(asked: _Asked, passage: Passage) -> Signals:
    """Return the signals of a passage without its similarity of meaning."""
    above = stems(_above(passage))
    parts = [above | stems(sentence) for sentence in sentences(passage["text"], passage["language"])]
    whole = above | stems(passage["text"])
    return Signals(
        similarity=0.0,
        coverage=asked.share(whole, passage),
        sentence=max((asked.share(part, passage) for part in parts), default=0.0),
        names=_names_held(asked, whole),
        foreign=float(asked.language != passage["language"]),
    )


def _names_held(asked: _Asked, held: frozenset[str]) -> float:
    return sum(name <= held for name in asked.names) / len(asked.names) if asked.names else 1.0


def _above(passage: Passage) -> str:
    path = passage["path"].rsplit(".", 1)[0].translate(_BETWEEN_WORDS)
    return " ".join([passage["title"], *passage["heading_path"], path])
