"""Vectors that all test processes share: the first process embeds a text, the others read its file."""

import fcntl
import pickle
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from bot.models.embedding import Embedding, Matrix


class SharedVectors:
    """An embedding that computes only what is not in its file."""

    def __init__(self, embedding: Embedding, known: dict[str, Matrix]) -> None:
        self._embedding = embedding
        self.known = known
        self.model = embedding.model
        self.at_once = embedding.at_once
        self.count_tokens = embedding.count_tokens
        self.embed_query = embedding.embed_query
        self.remember = embedding.remember

    def embed_passages(self, texts: list[str]) -> Matrix:
        """Return one unit vector for each text, as rows."""
        missing = [text for text in dict.fromkeys(texts) if text not in self.known]
        self.known.update(zip(missing, self._embedding.embed_passages(missing), strict=True))
        return np.array([self.known[text] for text in texts], dtype=np.float32)


@contextmanager
def shared_vectors(embedding: Embedding, file: Path) -> Generator[SharedVectors]:
    """Read the file. While it is empty, hold its lock until the context ends, and fill it then."""
    with file.open("a+b") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        is_filled = file.stat().st_size > 0
        opened.seek(0)
        shared = SharedVectors(embedding, pickle.load(opened) if is_filled else {})
        if is_filled:
            # What follows takes long, and the others need not wait for it.
            fcntl.flock(opened, fcntl.LOCK_UN)
        yield shared
        if not is_filled:
            pickle.dump(shared.known, opened)
