"""An embedding model behind a network: any that LangChain can name, with deadlines, retries and checked vectors.

Only questions and the text of documents go there, the latter when they are stored. What else a run compares, such as
the sentences of a passage or the results of a tool, the model on this machine compares.
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from http import HTTPStatus
from typing import ClassVar, Final, TypeAlias

import numpy as np
import structlog
from langchain_core.embeddings import Embeddings

from bot.models.embedding import Embedding, Matrix, load_tokenizer
from bot.models.llm.errors import RequestTooLargeError, explain
from bot.models.llm.retries import RetryPolicy
from bot.models.llm.usage import Usage
from bot.models.remote.model import RemoteModel
from bot.models.remote.scale import Scale, anchors, scale_of
from graph.context import ModelError, TextRefusedError

Connect: TypeAlias = Callable[[float], AbstractContextManager[Embeddings]]
"""Opens a client whose requests take at most some seconds."""

_CONNECTIONS: Final = 4
"""Requests at a time."""
_REFUSED: Final = {HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY}
"""Statuses that are about a request's texts, such as one that is too long, or forbidden words."""
RETRIES: Final = {
    True: RetryPolicy(pauses=(0.2,), patience_seconds=0.5, budget_seconds=1.0),
    False: RetryPolicy(pauses=(1.0, 2.0, 4.0, 8.0, 16.0), patience_seconds=60.0, budget_seconds=110.0),
}


class RemoteEmbedding(Embedding):
    """A provider's model. Its questions count like calls to language models."""

    passage_seconds = 180.0
    query_request_seconds: ClassVar = 3.5
    """Seconds of one request for a question, because a person waits."""
    passage_request_seconds: ClassVar = 60.0
    batch = 32

    def __init__(
        self,
        model: RemoteModel,
        local: Embedding,
        *,
        query_prefix: str,
        count: Callable[[Usage], None],
    ) -> None:
        """`local` compares what is not stored."""
        super().__init__(load_tokenizer(), local=local, threads=_CONNECTIONS)
        self.model = model.id
        self._remote = model
        self._prefixes = {True: query_prefix, False: model.passage_prefix}
        self._count = count
        self._clients: dict[bool, Embeddings] = {}
        self._opened = ExitStack()
        self._scale: Scale | None = None
        self._passages = self._tokens = 0
        self.dimensions = model.dimensions

    def open(self, connect: Connect) -> None:
        """Open the connections. Raises `SettingsError`. Without them, what embeds raises `ModelError`."""
        for is_query, seconds in ((True, self.query_request_seconds), (False, self.passage_request_seconds)):
            self._clients[is_query] = self._opened.enter_context(connect(seconds))

    def close(self) -> None:
        """Close the connections, and log what all passages cost. The tokens are those of the built-in tokenizer."""
        if self._passages:
            structlog.get_logger().info(
                "passages_embedded", model=self._remote.name, passages=self._passages, tokens=self._tokens
            )
        self._clients.clear()
        self._opened.close()

    def embed_query(self, text: str) -> Matrix:
        """Return one unit vector, and count what it cost. Its tokens are those of the built-in model's tokenizer."""
        began, is_known = time.monotonic(), self._known(text, is_query=True) is not None
        vector = super().embed_query(text)
        if not is_known:
            tokens, seconds = self.count_tokens(text), round(time.monotonic() - began, 3)
            self._count(
                Usage(
                    model=self._remote.name,
                    role="embedding",
                    prompt="search",
                    tokens_in=tokens,
                    tokens_cached=0,
                    tokens_out=0,
                    seconds=seconds,
                )
            )
        return vector

    def similarities(self, question: str, texts: list[str]) -> Matrix:
        """Return how near each passage is to a question: by its stored vector if it has one, else by `local`."""
        vectors = [self._known(text, is_query=False) for text in texts]
        try:
            scale, query = self._scaled(), self.embed_query(question)
        except ModelError:
            return self.local.similarities(question, texts)
        others = [text for text, vector in zip(texts, vectors, strict=True) if vector is None]
        near = iter(self.local.similarities(question, others) if others else ())
        return np.array([next(near) if vector is None else scale.of(float(vector @ query)) for vector in vectors])

    def _scaled(self) -> Scale:
        if self._scale is None:
            questions, passages = anchors()
            jobs = [partial(self._embed_all, [question], is_query=True) for question in questions]
            *asked, rows = self._computed(
                self._for_queries, [*jobs, partial(self._embed_all, passages, is_query=False)]
            )
            here = np.array([self.local.similarities(question, passages) for question in questions])
            self._scale = scale_of(np.concatenate(asked) @ rows.T, here)
        return self._scale

    def _embed_all(self, texts: list[str], *, is_query: bool) -> Matrix:
        return RETRIES[is_query].call_now(partial(self._ask, texts, is_query=is_query))

    def _ask(self, texts: list[str], *, is_query: bool) -> Matrix:
        client = self._clients.get(is_query)
        if client is None:
            raise ModelError(f"{self.model} cannot be asked: its settings or its library are missing.")
        told = [self._prefixes[is_query] + text for text in texts]
        try:
            given = [client.embed_query(text) for text in told] if is_query else client.embed_documents(told)
        except Exception as error:  # Only libraries run here, and a malformed answer makes them raise any error.
            reason = explain(error)
            if reason.status in _REFUSED or isinstance(reason, RequestTooLargeError):
                raise TextRefusedError(str(reason)) from error
            raise reason from error
        vectors = unit_vectors(given, len(texts), self.dimensions)
        if not is_query:
            with self._lock:
                self._passages += len(told)
                self._tokens += sum(map(self.count_tokens, told))
        return vectors


def unit_vectors(given: list[list[float]], number: int, dimensions: int) -> Matrix:
    """Return a provider's vectors as rows, cut to some dimensions. Raises `ModelError` if they are not vectors."""
    try:
        rows = np.array(given, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise ModelError("The embedding model's answer cannot be read.") from error
    if rows.ndim != 2 or len(rows) != number:  # noqa: PLR2004 — rows and columns.
        raise ModelError(f"The embedding model gave {len(rows)} vectors for {number} texts.")
    if rows.shape[1] < dimensions:
        raise ModelError(
            f"The embedding model's vectors have {rows.shape[1]} dimensions, not {dimensions}:"
            f" set ASKBACK_EMBEDDING_DIMENSIONS={rows.shape[1]}."
        )
    lengths = np.linalg.norm(rows[:, :dimensions], axis=1, keepdims=True)
    if not np.isfinite(rows).all() or not lengths.all():
        raise TextRefusedError("The embedding model gave a vector that is none.")
    return rows[:, :dimensions] / lengths
