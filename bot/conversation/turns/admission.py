"""Admission of a message: the limits of waiting turns, and the notices about refusals (pure)."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from bot.conversation.address import Ts
from bot.conversation.inputs import Message
from bot.conversation.items import Surface, new_reference

PAUSE: Final = timedelta(minutes=1)
"""After this pause without a refusal, the next refusal brings a new notice."""


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """A message as it arrives."""

    message: Message
    workspace: str
    surface: Surface
    now: datetime
    changed_at: Ts | None = None
    """The time of its last edit or deletion, if that change brings the message."""
    reference: str = field(default_factory=new_reference)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The most waiting turns, including running ones."""

    per_person: int
    altogether: int
    """In the workspace."""


UNLIMITED: Final = Limits(per_person=2**31 - 1, altogether=2**31 - 1)


def notice_key(person: str, now: datetime) -> str:
    """Return the key of a flood's notice, so that simultaneous messages bring one notice."""
    return f"notice:{person}:{now.timestamp() // PAUSE.total_seconds():.0f}"
