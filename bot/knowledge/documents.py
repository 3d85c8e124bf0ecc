"""What is read from a file, and what it is split into."""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bot.knowledge.blocks import Block

Matrix = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class Document:
    """A file's text and what it says about itself."""

    path: str
    """Below its source's root, with `/`."""
    title: str
    blocks: tuple[Block, ...]
    language: str
    """ISO 639-1."""
    url: str | None = None
    notices: tuple[str, ...] = ()
    """What was left out, in sentences."""
    dated: str | None = None
    """ISO date."""
    attributes: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A passage before it is stored."""

    heading_path: tuple[str, ...]
    text: str


class Embedder(Protocol):
    """Turns text into vectors whose cosine says how near two meanings are."""

    @property
    def model(self) -> str:
        """The id that vectors are stored under; only vectors of one id compare."""
        ...

    def embed_passages(self, texts: list[str]) -> Matrix:
        """Return one unit vector a text, as rows."""
        ...

    def embed_query(self, text: str) -> Matrix:
        """Return one unit vector."""
        ...

    def remember(self, text: str, vector: Matrix) -> None:
        """Keep the vector of a text that was embedded before, for whoever asks again."""
        ...

    def count_tokens(self, text: str) -> int:
        """Return how much of the model's window the text takes."""
        ...
