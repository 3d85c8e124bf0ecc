"""What kind of message it is: the kind of the examples that it comes nearest to in meaning.

Word lists do not know what they have not met, in any language, and eat questions that have one of their words in them.
Here a message is compared with examples of each kind (`examples.toml`), with examples of questions, and with what was
found: in doubt it is a question.
"""

from functools import cached_property
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from bot.models.offline.likeness import Embedder
from bot.models.offline.understanding.examples import KINDS, Examples, MessageKind, read_examples
from graph import patterns
from graph.context import ModelError
from graph.passages import Passage, contextual

_SENTENCE = patterns.compile(r"[^.!?\s][^.!?]*[.!?]*")
_CLAUSE = patterns.compile(r"(?s:.)+?(?:[.!?,;:…–—]+(?:\s+|$)|\s+[-–—]\s+|\n+|$)")

LONGEST_COURTESY, MOST_COURTESIES = 6, 4
"""Words of one, and clauses at either end of a message that may be one: each is compared in its meaning."""

FLOOR, MARGIN = 0.4, 0.08
"""The least cosine to an example that tells a kind, and by how much it must exceed those to questions and passages.

Chosen by grid on one half of 1,190 requests and questions: 89 of 100 are caught, 97 of 100 questions are kept.
"""


class _Examples(NamedTuple):
    kinds: NDArray[np.str_]
    vectors: NDArray[np.float32]
    """One unit vector an example, as rows."""


class MessageKinds:
    """Tells kinds of messages apart, with an embedding model."""

    def __init__(self, embedder: Embedder, examples: Examples | None = None) -> None:
        self._embedder = embedder
        self._given = examples or read_examples()

    def of(self, message: str, passages: list[Passage]) -> MessageKind:
        """Return the kind of a message for which some passages were found; a question if the model fails."""
        kind = self._nearest_kind(message, passages)
        asking = [sentence for sentence in _SENTENCE.findall(message) if sentence.endswith("?")]
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
        return is_short and self._nearest_kind(clause.strip(" \n,;:–—-"), passages) in ("greeting", "thanks")

    def _nearest_kind(self, said: str, passages: list[Passage]) -> MessageKind:
        try:
            return self._compared(said, passages)
        except ModelError:
            return "question"

    def _compared(self, said: str, passages: list[Passage]) -> MessageKind:
        vector = self._embedder.embed_query(said)
        cosines = self._embedder.nearness(self._examples.vectors, vector)
        near = {kind: float(cosines[self._examples.kinds == kind].max()) for kind in KINDS}
        asked = near.pop("question")
        kind, likeness = max(near.items(), key=lambda each: each[1])
        if likeness <= max(FLOOR, MARGIN + asked) or likeness <= MARGIN + self._nearest(vector, passages):
            return "question"
        return cast("MessageKind", kind)

    def _nearest(self, vector: NDArray[np.float32], passages: list[Passage]) -> float:
        """Return the cosine to the nearest passage; -1 where there is none."""
        texts = [contextual(found["title"], found["heading_path"], found["text"]) for found in passages]
        vectors = self._embedder.embed_passages(texts)
        return float(self._embedder.nearness(vectors, vector).max()) if texts else -1.0

    @cached_property
    def _examples(self) -> _Examples:
        kinds = np.array(list(self._given.values()))
        return _Examples(kinds, self._embedder.embed_passages(list(self._given)))
