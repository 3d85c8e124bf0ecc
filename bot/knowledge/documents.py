"""A document as read from a file, its passages, and the port of the embedder."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bot.knowledge.blocks import Block
from graph.passages import contextual

Matrix = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class Document:
    """A file's text and its own fields."""

    path: str
    """The path below the source, with `/`."""
    title: str
    blocks: tuple[Block, ...]
    language: str
    """ISO 639-1."""
    url: str | None = None
    notices: tuple[str, ...] = ()
    """What was left out, one sentence each."""
    dated: str | None = None
    """ISO date."""
    attributes: dict[str, str] = field(default_factory=dict[str, str])
    writers: tuple[str, ...] = ()
    """The ids of the people in Slack whose words it holds."""


@dataclass(frozen=True, kw_only=True)
class NewPassage:
    """A passage before it is stored."""

    heading_path: tuple[str, ...]
    text: str


@dataclass(frozen=True, kw_only=True)
class ReadDocument:
    """A document that has changed since it was stored."""

    document: Document
    hash: str
    pieces: list[NewPassage]

    @property
    def texts(self) -> list[str]:
        """What is embedded of each piece."""
        return [contextual(self.document.title, piece.heading_path, piece.text) for piece in self.pieces]


class Embedder(Protocol):
    """Turns text into vectors. The cosine of two vectors is the similarity of meaning.

    What embeds raises `ModelError` if the model fails.
    """

    @property
    def model(self) -> str:
        """The id stored with each vector. Only vectors of the same id can be compared."""
        ...

    @property
    def at_once(self) -> int:
        """Passages to embed in one call."""
        ...

    def embed_passages(self, texts: list[str]) -> Matrix:
        """Return one unit vector for each text, as rows."""
        ...

    def embed_query(self, text: str) -> Matrix:
        """Return one unit vector."""
        ...

    def remember(self, text: str, vector: Matrix) -> None:
        """Cache a stored vector of a text."""
        ...

    def count_tokens(self, text: str) -> int:
        """Return the text's length in the model's tokens."""
        ...


Embedders: TypeAlias = Callable[[str], Embedder]
"""Returns the embedder of a model's id. It raises `ModelError` if there is none."""
