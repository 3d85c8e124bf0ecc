"""Adding a message to knowledge, and taking it out again: words that Slack and knowledge share (pure)."""

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from bot.conversation.address import ChannelId, PersonId, Ts

WhyNotAdded: TypeAlias = Literal["added", "source", "forgotten", "unreadable"]
"""Source: the whole channel is one, so its threads are read anyway."""
WhyNotRemoved: TypeAlias = Literal["unknown", "source", "not_yours"]


@dataclass(frozen=True, kw_only=True)
class SharedFile:
    """A file that a message carries."""

    id: str
    name: str
    size: int
    """In bytes."""
    is_here: bool
    """Whether Slack holds it. It may be elsewhere, or gone."""


@dataclass(frozen=True, kw_only=True)
class MessageChosen:
    """A message on which a person wants something."""

    channel: ChannelId
    thread_ts: Ts
    ts: Ts
    person: PersonId
    """Who wants it."""


@dataclass(frozen=True, kw_only=True)
class Addition:
    """A person's wish to add a message to knowledge."""

    chosen: MessageChosen
    writer: PersonId
    whole_thread: bool
    """Whether its thread is people's own. Of a conversation with the bot, only the message is added."""
    has_text: bool
    files: tuple[SharedFile, ...] = ()


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """A file that cannot be read."""

    name: str
    why: str
    """For people."""


@dataclass(frozen=True, kw_only=True)
class Added:
    """What is read from now on."""

    with_text: bool
    whole_thread: bool
    files: tuple[str, ...]
    """Their names."""
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, kw_only=True)
class AddRefused:
    """Nothing was added."""

    reason: WhyNotAdded
    by: PersonId | None = None
    """Who added it before."""
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Removed:
    """What was added is in no answer any more."""

    documents: int


@dataclass(frozen=True, kw_only=True)
class RemovalRefused:
    """Nothing was taken out."""

    reason: WhyNotRemoved
    by: PersonId | None = None
    """Who added it."""


class AddingIntake(Protocol):
    """The intake of what people add; whatever returns has been committed."""

    async def add(self, addition: Addition) -> Added | AddRefused:
        """Let a message, its thread and its files be read; or say why not."""
        ...

    async def undo(self, chosen: MessageChosen) -> Removed | RemovalRefused:
        """Take out what this person added on this message."""
        ...

    async def remove(self, chosen: MessageChosen, *, is_administrator: bool) -> Removed | RemovalRefused:
        """Take out what was added of a message or its thread, if the person added or wrote it, or may do it for all."""
        ...
