"""What kind of message it is: the kind of the examples that it comes nearest to in meaning.

A word list misses other words and languages, and takes a question for small talk if it holds one of its words. So a
message is compared with examples of each kind (`examples.toml`), with examples of questions, and with what was found.
In doubt it is a question.
"""

from functools import cached_property
from typing import NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from bot.models.offline.understanding.example_vectors import example_vectors
from bot.models.offline.understanding.examples import Examples, MessageKind, read_examples
from graph import patterns
from graph.context import ModelError
from graph.passages import Passage, contextual

_SENTENCE = patterns.compile(r"[^.!?\s][^.!?]*[.!?]*")
_CLAUSE = patterns.compile(r"(?s:.)+?(?:[.!?,;:…–—]+(?:\s+|$)|\s+[-–—]\s+|\n+|$)")

LONGEST_COURTESY, MOST_COURTESIES = 6, 4
"""Words of one, and clauses at either end of a message that may be one: each is compared in its meaning."""

COURTESIES, LONGEST_ADDRESS = ("greeting", "thanks"), 2
"""The kinds that are courtesies, and the words of whom one greets or thanks."""

NEAREST = 4
"""Examples on either side whose mean cosine decides, because a message may be like one example by chance."""
SAME, APART = 0.8, 0.05
"""The cosine from which one example decides alone, since it is the message in other words, and its lead over others."""
FLOOR, LEAD, MARGIN = 0.4, 0.01, 0.04
"""The least cosine to the nearest example, its least lead over the nearest question, and that of the mean of four.

Chosen on half of 1,190 requests and questions.
"""
PASSAGE_MARGIN = 0.08
"""By how much the nearest example must be nearer than any passage."""


class QueryEmbedder(Protocol):
    """An embedding model."""

    @property
    def model(self) -> str:
        """Its id."""
        ...

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return one unit vector."""
        ...

    def embed_queries(self, texts: list[str]) -> NDArray[np.float32]:
        """Return one unit vector a text, as rows: as of questions, to compare them with questions."""
        ...

    def embed_passages(self, texts: list[str]) -> NDArray[np.float32]:
        """Return one unit vector a text, as rows."""
        ...

    def nearness(self, passages: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return how near passages' vectors are to a query's: cosines, on one scale for all models."""
        ...


class _Examples(NamedTuple):
    kinds: NDArray[np.str_]
    vectors: NDArray[np.float32]
    """One unit vector an example, as rows."""


class MessageKinds:
    """Tells kinds of messages apart, with an embedding model."""

    def __init__(self, embedder: QueryEmbedder, examples: Examples | None = None) -> None:
        self._embedder = embedder
        self._given = examples or read_examples()

    def of(self, message: str, passages: list[Passage]) -> MessageKind:
        """Return the kind of a message for which some passages were found; a question if the model fails."""
        kind = self._nearest_kind(message, passages)
        said = self.without_courtesies(message, passages)
        # "Thanks, and the router?" as a whole comes nearest to thanks. But "Thanks, boss" is nothing else.
        if said != message and ("?" in said or len(said.split()) > LONGEST_ADDRESS or kind not in COURTESIES):
            kind = self._nearest_kind(said, passages)
        asking = [sentence for sentence in _SENTENCE.findall(said) if sentence.endswith("?")]
        is_asked = any(self._nearest_kind(sentence, passages) == "question" for sentence in asking)
        return "question" if is_asked else kind

    def without_courtesies(self, message: str, passages: list[Passage]) -> str:
        """Return a message without the greetings and thanks before and after what it asks; the same if it has none."""
        clauses = _CLAUSE.findall(message)
        first, last = 0, len(clauses)
        while first < min(last - 1, MOST_COURTESIES) and self._is_courtesy(clauses[first], passages):
            first += 1
        while last - 1 > max(first, len(clauses) - 1 - MOST_COURTESIES) and self._is_courtesy(
            clauses[last - 1], passages
        ):
            last -= 1
        return message if last - first == len(clauses) else "".join(clauses[first:last]).strip()

    def _is_courtesy(self, clause: str, passages: list[Passage]) -> bool:
        is_short = len(clause.split()) <= LONGEST_COURTESY
        return is_short and self._nearest_kind(clause.strip(" \n,;:–—-"), passages) in COURTESIES

    def _nearest_kind(self, said: str, passages: list[Passage]) -> MessageKind:
        try:
            return self._compared(said, passages)
        except ModelError:
            return "question"

    def _compared(self, said: str, passages: list[Passage]) -> MessageKind:
        vector = self._embedder.embed_query(said)
        cosines = self._embedder.nearness(self._examples.vectors, vector)
        asks = self._examples.kinds == "question"
        other, question = np.sort(cosines[~asks])[::-1], np.sort(cosines[asks])[::-1]
        likeness = float(other[0])
        if likeness <= FLOOR or not self._exceeds(other, question):
            return "question"
        if likeness <= PASSAGE_MARGIN + self._nearest(vector, passages):
            return "question"
        return cast("MessageKind", str(self._examples.kinds[~asks][cosines[~asks].argmax()]))

    def _exceeds(self, other: NDArray[np.float32], question: NDArray[np.float32]) -> bool:
        """Tell whether a message is more like other examples than like questions, by their falling cosines."""
        lead = float(other[0] - question[0])
        if max(other[0], question[0]) > SAME and abs(lead) > APART:
            return lead > 0
        return lead > LEAD and float(other[:NEAREST].mean() - question[:NEAREST].mean()) > MARGIN

    def _nearest(self, vector: NDArray[np.float32], passages: list[Passage]) -> float:
        """Return the cosine to the nearest passage; -1 if there is none."""
        texts = [contextual(found["title"], found["heading_path"], found["text"]) for found in passages]
        vectors = self._embedder.embed_passages(texts)
        return float(self._embedder.nearness(vectors, vector).max()) if texts else -1.0

    @cached_property
    def _examples(self) -> _Examples:
        kinds, known = np.array(list(self._given.values())), example_vectors(self._embedder.model)
        new = [text for text in self._given if text not in known]
        vectors = {**known, **dict(zip(new, self._embedder.embed_queries(new), strict=True))}
        return _Examples(kinds, np.array([vectors[text] for text in self._given]))
