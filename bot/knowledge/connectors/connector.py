"""The port of a source: it lists what may have changed, and returns a document's bytes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from bot.errors import KnowledgeError
from bot.knowledge.sandbox.limits import Limits


class NoTextError(KnowledgeError):
    """The document holds no text. Askback deletes what it knew of it, and counts it as skipped."""


class MissingError(KnowledgeError):
    """The source has no such document or person, or does not show it."""


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What may have changed since the last reading, or a part of it."""

    paths: list[str]
    """Paths of documents that may be new or changed, below the source, with `/`."""
    gone: list[str] | None
    """Paths of deleted documents; `None` if `paths` and `others` are all documents, so that the rest is deleted.

    If they are none, nothing is skipped, and the source had several, the reading fails: see `KnowsAll`.
    """
    cursor: str
    """The start of the next reading. It is stored after all of these documents were examined."""
    others: Collection[str] = ()
    """Paths of documents that exist and are not examined now. Only needed if `gone` is `None`."""
    has_more: bool = False
    """Whether to ask again at once, with the new cursor."""
    known_too: bool = False
    """Whether to read all known documents again, for a source that cannot tell what changed."""
    saved: Mapping[str, str] = field(default_factory=dict[str, str])
    """When documents were last changed, as ISO dates by path. It counts for those that hold no date themselves."""
    skipped: Mapping[str, str] = field(default_factory=dict[str, str])
    """Files that are not read, by path: the suffix of their format, or another reason."""
    unread: Sequence[str] = ()
    """How the paths of documents begin that stay as they are, because we cannot tell whether they are still there."""


class Connector(Protocol):
    """One source. Any error other than `KnowledgeError` is a bug, which ends the reading of this source only."""

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

        A source of many documents may return them in parts. The cursor of each part is stored with its documents,
        so that an interrupted reading continues after the last part.

        Raises `KnowledgeError` that says what to do if the source cannot be read. Then all its documents stay.
        """
        ...

    async def content(self, path: str, limits: Limits) -> bytes:
        """Return a document's bytes, in the format that the suffix of its path names.

        Raises `KnowledgeError` if it cannot be read or is too large, and `NoTextError` if it is empty.
        """
        ...

    def url_of(self, path: str) -> str | None:
        """Return a document's address if the source knows it; `None` if only the document may say it."""
        ...

    async def aclose(self) -> None:
        """Release all resources."""
        ...


@runtime_checkable
class LimitsReaders(Protocol):
    """A connector whose source may be closed to some of those with whom it was shared."""

    async def most_readers(self) -> Collection[str] | None:
        """Return the names of an audience that alone may read the source from now on; `None`: it is open to others.

        Askback asks at the beginning of each reading. Raises `KnowledgeError`; then this reading ends.
        """
        ...


@runtime_checkable
class KnowsReaders(Protocol):
    """A connector whose source says itself who may read what. Askback follows it, and refuses to share it otherwise."""

    async def audiences(self) -> Mapping[str, Collection[str]]:
        """Return the names of the readers of documents and folders by path; of the rest, under an empty path.

        The longest path counts. Names are `everyone`, `guests` and ids of Slack's channels, user groups and people.
        What the source does not know is for nobody. Askback asks at the beginning of each reading, after `changes`.

        Raises `KnowledgeError`; then this reading ends, and what was known before holds.
        """
        ...


@runtime_checkable
class KnowsAll(Protocol):
    """A connector that can list all its documents, for a source whose changes do not tell what was deleted."""

    async def ids(self) -> Collection[str]:
        """Return the paths of all documents. Askback asks after the last part of the changes, and deletes the rest.

        If they are none, and the source had several, everything stays: the source may only be out of reach.

        Raises `KnowledgeError` if the list is not complete; then everything stays.
        """
        ...
