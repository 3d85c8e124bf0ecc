"""The address of a message and of its answer."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import NewType, TypeAlias

from bot.audience import Names

TeamId = NewType("TeamId", str)
ChannelId = NewType("ChannelId", str)
PersonId = NewType("PersonId", str)
Ts = NewType("Ts", str)
"""Slack's message id: seconds with six decimals, as text; its order is the order of a conversation."""


NamesAt: TypeAlias = Callable[["Address"], Awaitable[Names]]
"""Returns the names under which the person of an address may read there now."""


def ts_at(moment: datetime) -> Ts:
    """Return the id that Slack would give a message at this moment: what Slack does not stamp gets its place so."""
    return Ts(f"{moment.timestamp():.6f}")


@dataclass(frozen=True, kw_only=True)
class Placed:
    """The place of a message of ours, in another channel if Slack refused the question's channel."""

    channel: ChannelId
    ts: Ts


@dataclass(frozen=True, kw_only=True)
class Address:
    """A message's place in a conversation."""

    team: TeamId
    """The installation's workspace, never the sender's."""
    channel: ChannelId
    thread_ts: Ts
    """The thread's root; the message's own ts where it starts one."""
    message_ts: Ts
    person: PersonId
    """Who wrote, clicked or asked."""
    person_team: TeamId
    """That person's own workspace, which Slack wants named when a stream has a recipient."""
    privately: bool = False
    """Whether the answer is for a direct message: another company reads along there, or its asker wants it alone."""
    alone: bool = False
    """Whether its asker wants it alone, from all that they may read."""
    asked_at: "Address | None" = None
    """The question that a direct message answers, if it is from a channel. The address is then of our own first
    message.
    """

    untagged: bool = False
    """Whether nobody called the bot there, and it answers because the documents do."""

    @property
    def is_held(self) -> bool:
        """Whether only a whole answer may be shown: it appears in a channel in which nobody called the bot."""
        return self.untagged and self.asked_at is None

    @property
    def is_in_company(self) -> bool:
        """Whether it is still to be answered elsewhere."""
        return self.privately and self.asked_at is None

    @property
    def starts_a_direct_conversation(self) -> bool:
        """Whether it was said to the bot alone, and in no thread: in a direct message, at the bottom."""
        return self.channel.startswith("D") and self.thread_ts == self.message_ts and self.asked_at is None

    @property
    def thread_id(self) -> str:
        """The LangGraph thread: installation team, channel and root."""
        return f"{self.team}:{self.channel}:{self.thread_ts}"
