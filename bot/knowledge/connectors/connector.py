"""What a kind of source has to be able to do: say what may have changed, and give a document's bytes."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

from bot.knowledge.sandbox.limits import Limits


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What is to be looked at since the last time."""

    paths: list[str]
    """Documents that may be new or different, by their paths below the source, with `/`."""
    gone: list[str] | None
    """Documents that are there no more; None: `paths` are all that there are, and what else is known is gone."""
    cursor: str
    """What the next time begins with; it is kept once all of these were looked at."""
    skipped: Counter[str] = field(default_factory=Counter[str])
    """How many files of other kinds there are, by how their names end."""


class Connector(Protocol):
    """One source; whatever it raises but `KnowledgeError` is a fault of ours."""

    @property
    def kind(self) -> str:
        """The name of its kind."""
        ...

    @property
    def location(self) -> str:
        """What it is known by: a folder, an address."""
        ...

    async def changes(self, cursor: str) -> Changes:
        """Return what may have changed since a cursor, which is empty the first time.

        Raises `KnowledgeError` that says what to do if nobody can tell: then all that is known stays.
        """
        ...

    async def content(self, path: str, limits: Limits) -> bytes:
        """Return a document's bytes; raise `KnowledgeError` if it cannot be read or is too large."""
        ...

    def url_of(self, path: str) -> str | None:
        """Return where people read a document, if that is known by its place and not by what it says of itself."""
        ...

    async def aclose(self) -> None:
        """Let go of what was needed to read."""
        ...
