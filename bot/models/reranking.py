"""Reranks passages by words and meaning together, the newest version of a document first."""

import asyncio

from bot.models.embedding import Embedding
from bot.models.grading import Weights, fitted_weights, ranking_weights
from bot.models.signals import signals, titles_named
from graph.documents.versions import newest_versions
from graph.passages import Passage, with_score


class SignalReranker:
    """A reranker by the grader's log odds, by titles, and by the search, which knows how rare each word is."""

    def __init__(self, model: Embedding, weights: Weights | None = None) -> None:
        self._model = model
        self._weights = weights or fitted_weights(model.local.model)
        self._ranking = ranking_weights(model.local.model)

    async def rerank(self, question: str, passages: list[Passage], *, keep: int) -> list[Passage]:
        """Return the best `keep` passages with new scores, best first."""
        odds = self._weights.log_odds(await signals(self._model, question, passages))
        named = await asyncio.to_thread(titles_named, question, passages)
        scored = [
            with_score(passage, score + self._ranking.of(passage, titled))
            for passage, score, titled in zip(passages, odds.tolist(), named, strict=True)
        ]
        ranked = sorted(scored, key=lambda passage: -passage["score"])
        return newest_first(question, ranked)[:keep]


def newest_first(question: str, ranked: list[Passage]) -> list[Passage]:
    """Return the passages, with the newest version of a document moved in front of older ones."""
    newest_of, ordered, placed = newest_versions(ranked, question), list[Passage](), set[int]()
    for passage in ranked:
        newest = newest_of.get(passage["document_id"], passage)
        for one in (newest, passage):
            if one["id"] not in placed:
                placed.add(one["id"])
                ordered.append(with_score(one, passage["score"]))
    return ordered
