"""What we show for an item: words that the spine, the inbox and Slack have in common."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bot.address import ChannelId, Ts

Shown: TypeAlias = Literal["answer", "card", "failure", "reminder"]
"""The kinds of our messages."""
Record: TypeAlias = Callable[[Shown, ChannelId, Ts], Awaitable[None]]
"""Remembers a message; awaited as soon as Slack has named it."""
Settled: TypeAlias = Literal["answered", "superseded", "expired"]
"""How a card's question ended."""


@dataclass(frozen=True, kw_only=True)
class Crowd:
    """Why a message was not taken: too many wait already."""

    of: Literal["person", "everybody"]
    """Whose messages they are."""
    limit: int
