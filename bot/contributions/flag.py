"""Flagging documents that readers find out of date or wrong: words that Slack and knowledge share (pure)."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Literal, Protocol, TypeAlias

from bot.audience import Names, NamesOf
from bot.conversation.address import PersonId, Placed, Ts

Reason: TypeAlias = Literal["outdated", "wrong", "off_topic", "other"]
"""What was wrong with an answer."""
FlagReason: TypeAlias = Literal["outdated", "wrong", "contradicted"]
"""What may be wrong with a document."""
Outcome: TypeAlias = Literal["right", "changed", "removed"]
"""The outcome of a report: the owner says that the document is right, or it changed, or it is no longer there."""
Fate: TypeAlias = Literal["sought", "told", "right", "nobody"]
"""What happens to a flag: Askback looks for an owner, told one or found nobody; or its owner says that all is right."""
OF_DOCUMENTS: Final[frozenset[str]] = frozenset({"outdated", "wrong"})
"""The reasons that lie in a document, and not in the answer."""
Recipient: TypeAlias = str
"""Who is told of a flag: a person, or the review channel."""


@dataclass(frozen=True, kw_only=True)
class RatedAnswer:
    """An answer that a person rated."""

    channel: str
    message_ts: Ts
    person: PersonId
    passages: tuple[int, ...] = ()
    """The passages that it cites, as the button says."""


@dataclass(frozen=True, kw_only=True)
class CitedDocument:
    """A document that an answer cites."""

    id: int
    title: str


@dataclass(frozen=True, kw_only=True)
class FlaggedDocument:
    """A document that a person flagged."""

    title: str
    fate: Fate


@dataclass(frozen=True, kw_only=True)
class Objectionable:
    """What a person may say of an answer."""

    documents: Sequence[CitedDocument]
    """Those that the person may read, as they are now."""
    said: str
    """The reason that they gave before; empty if none."""


@dataclass(frozen=True, kw_only=True)
class Objection:
    """What a person says was wrong with an answer."""

    answer: RatedAnswer
    reason: Reason | None
    """None if the person chose none."""
    document_id: int | None = None
    """The document that it lies in; None for all that the answer cites."""
    words: str = ""
    is_named: bool = False
    """Whether the owner may know who says so."""


@dataclass(frozen=True, kw_only=True)
class Voice:
    """What one reader, or another document, says of a flagged document."""

    reason: FlagReason
    words: str
    """A reader's own sentence; empty without one."""
    person: PersonId | None
    """The reader, if they want to be named."""
    other: str
    """The title of the document that says otherwise; empty without one."""
    other_dated: date | None
    answered_in: Placed | None = None
    """The answer that the reader disliked; None unless they want to be named."""


@dataclass(frozen=True, kw_only=True)
class FlagNotice:
    """A flagged document, and what its owner is told."""

    document_id: int
    title: str
    path: str
    url: str | None
    """Its address, if people may click it."""
    since: datetime
    voices: Sequence[Voice]
    can_reread: bool
    """Whether its source is read again by itself."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a reader flagged, and the outcome."""

    id: int
    person: PersonId
    title: str
    url: str | None
    """The document's address, if people may click it."""
    reported_at: datetime
    outcome: Outcome


TellOwner: TypeAlias = Callable[[FlagNotice, Recipient], Awaitable[bool]]
"""Tells an owner of a flagged document, once, however often it is called; returns whether they can be told."""

TellReader: TypeAlias = Callable[[Report], Awaitable[bool]]
"""Tells a reader the outcome of their report, once, however often it is called; returns whether that is possible."""


class Owners(Protocol):
    """The people who may own documents."""

    async def named(self, text: str) -> PersonId | None:
        """Return the person whom a document names as its owner; None if nobody, or several, are called so."""
        ...

    async def names_of(self, recipient: Recipient) -> Names:
        """Return the names under which a person or a channel reads now."""
        ...


class FlagIntake(Protocol):
    """The intake of what readers say of documents; whatever returns has been committed."""

    async def look(self, answer: RatedAnswer, names: Names) -> Objectionable:
        """Return what a person who reads under these names may say of an answer."""
        ...

    async def note(self, objection: Objection, names: Names) -> list[FlaggedDocument] | None:
        """Store what a person says was wrong; return the documents that they have flagged by this answer.

        None if the person did not dislike an answer there.
        """
        ...

    async def take_back(self, answer: RatedAnswer, *, is_liked: bool) -> None:
        """Forget what a person said was wrong with an answer; also the rating itself, unless it is good now."""
        ...

    async def settle(self, document_id: int, by: Recipient, names: Names) -> bool:
        """Let a document count as right, if who was told of its flags says so; return whether they counted."""
        ...

    async def reread(self, document_id: int, by: Recipient, names: Names) -> bool:
        """Let a document's source be read again at once, if who was told of its flags wants it."""
        ...

    async def tell_next(self, tell: TellOwner, owners: Owners) -> bool:
        """Let the owner of the next flagged document be told; return whether there was one."""
        ...

    async def answer_next(self, tell: TellReader, names_of: NamesOf) -> bool:
        """Let the next reader be told the outcome of their report; return whether there was one."""
        ...

    async def forget_old(self) -> None:
        """Delete flags, and what readers wrote, after a while."""
        ...
