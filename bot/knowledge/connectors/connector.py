"""The port of a source: it lists what may have changed, and returns a document's bytes."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

from bot.knowledge.sandbox.limits import Limits


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What may have changed since the last reading."""

    paths: list[str]
    """Paths of documents that may be new or changed, below the source, with `/`."""
    gone: list[str] | None
    """Paths of deleted documents; `None` if `paths` are all documents, so that every other one is deleted."""
    cursor: str
    """The start of the next reading. It is stored after all of these documents were examined."""
    skipped: Counter[str] = field(default_factory=Counter[str])
    """The number of files in other formats, by suffix."""


class Connector(Protocol):
    """One source. Any error other than `KnowledgeError` is a bug of ours."""

    @property
    def kind(self) -> str:
        """The name of the kind."""
        ...

    @property
    def location(self) -> str:
        """The folder or address of the source."""
        ...

    async def changes(self, cursor: str) -> Changes:
        """Return the changes since a cursor, which is empty the first time.

        Raises `KnowledgeError` that says what to do if the source cannot be read. All its documents then stay.
        """
        ...

    async def content(self, path: str, limits: Limits) -> bytes:
        """Return a document's bytes. Raises `KnowledgeError` if it cannot be read or is too large."""
        ...

    def url_of(self, path: str) -> str | None:
        """Return a document's address if the source knows it; `None` if only the document may say it."""
        ...

    async def aclose(self) -> None:
        """Release all resources."""
        ...
