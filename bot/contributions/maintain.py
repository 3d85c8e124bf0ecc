"""What happens to a verified answer later: it is edited, checked, doubted, renewed or retired (pure).

These are words that Slack and knowledge share. How an answer is made: `bot.contributions.verify`.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol, TypeAlias

from bot.audience import NamesOf
from bot.contributions.verify import VerifiedUntil, VerifyRefused
from bot.conversation.address import ChannelId, PersonId, Ts
from bot.conversation.inputs import Rating


@dataclass(frozen=True, kw_only=True)
class KeptAnswer:
    """A verified answer, as people may see it."""

    origin: str
    question: str
    text: str
    """Markdown, without citations."""
    writer: PersonId
    writer_name: str
    kept_on: date
    until: datetime


@dataclass(frozen=True, kw_only=True)
class Asker:
    """A person who asked in vain, and where and when."""

    person: PersonId
    channel: ChannelId
    asked_ts: Ts
    asked_on: date
    question: str


@dataclass(frozen=True, kw_only=True)
class Dispute:
    """A verified answer beside which a document says otherwise, and the person to be asked which one is right."""

    answer: KeptAnswer
    title: str
    """Of the document."""
    dated: date | None
    said: str
    """What the document says."""
    is_its_source: bool = False
    """Whether the answer cites the document, which has changed since."""


@dataclass(frozen=True, kw_only=True)
class Editor:
    """A person who wants to change a verified answer."""

    person: PersonId
    is_reviewer: bool
    """Whether they are a reviewer, and do so on a card of the reviewers."""


@dataclass(frozen=True, kw_only=True)
class VerifiedText:
    """A verified answer, as it can be edited."""

    question: str
    text: str


AskUsers: TypeAlias = Callable[[KeptAnswer, Sequence[PersonId]], Awaitable[None]]
"""Asks people whether an answer that ends soon held, each once, however often it is called."""
TellAskers: TypeAlias = Callable[[KeptAnswer, Sequence[Asker]], Awaitable[None]]
"""Tells an answer to the people who had asked the same in vain, each once, however often it is called."""
AskWriter: TypeAlias = Callable[[Dispute], Awaitable[None]]
"""Asks the writer of an answer which one is right, once, however often it is called."""
TellWriter: TypeAlias = Callable[[KeptAnswer, date], Awaitable[None]]
"""Tells the writer of an answer, on a day, that people object to it: once a day, however often it is called."""


class MaintainIntake(Protocol):
    """The intake of what happens to verified answers; whatever returns has been committed."""

    async def retire(self, origin: str, editor: Editor) -> VerifyRefused | None:
        """Let a verified answer be told no more, if its writer or a reviewer wants it; say why not."""
        ...

    async def look(self, origin: str, editor: Editor) -> VerifiedText | VerifyRefused:
        """Return a verified answer, if its writer or a reviewer wants to change it; or say why not."""
        ...

    async def revise(self, origin: str, editor: Editor, *, text: str, name: str) -> VerifiedUntil | VerifyRefused:
        """Tell an answer in the words of its writer or a reviewer, who is its writer from then on; or say why not."""
        ...

    async def liked(self, rating: Rating, place_of: Callable[[], Awaitable[str]]) -> bool:
        """Let a verified answer also hold for the words of a question whose answer was liked; say whether it does now.

        `place_of` returns the audience of the place where it was asked.
        """
        ...

    async def ask_next(self, ask: AskUsers, names_of: NamesOf) -> bool:
        """Let the last users of the next answer that ends be asked; return whether there was one."""
        ...

    async def tell_next(self, tell: TellAskers, names_of: NamesOf) -> bool:
        """Let those be told of the next new answer who had asked the same in vain; return whether there was one."""
        ...

    async def settle_next(self, ask: AskWriter, names_of: NamesOf) -> bool:
        """Let the writer be asked about the next answer that a document contradicts; return whether there was one."""
        ...

    async def object_next(self, tell: TellWriter) -> bool:
        """Let the writer be told of the next answer that people object to; return whether there was one."""
        ...

    async def check(self, origin: str, editor: Editor) -> VerifiedUntil | VerifyRefused:
        """Let an answer count as checked today, if its writer or a reviewer says so; or say why not."""
        ...

    async def renew(self, origin: str, person: PersonId) -> VerifiedUntil | VerifyRefused:
        """Let an answer hold for longer, if its writer or a person to whom it was told says so."""
        ...

    async def doubt(self, origin: str, person: PersonId) -> KeptAnswer | VerifyRefused:
        """Let an answer be told no more, if its writer or a person to whom it was told says so; return it."""
        ...
