"""A message that comes in, how many may wait, and how often somebody is told that theirs may not (pure)."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from bot.conversation.address import Ts
from bot.conversation.inputs import Message
from bot.conversation.items import Surface
from bot.conversation.turns.sequels import new_reference

PAUSE: Final = timedelta(minutes=1)
"""After so long without a refusal the next one is told again; what comes sooner belongs to the same flood."""


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """A message as it comes in."""

    message: Message
    workspace: str
    surface: Surface
    now: datetime
    changed_at: Ts | None = None
    """When it was last edited or deleted, if that is what brings it in."""
    reference: str = field(default_factory=new_reference)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How many turns may wait, those that run included."""

    per_person: int
    altogether: int
    """In the workspace."""


UNLIMITED: Final = Limits(per_person=2**31 - 1, altogether=2**31 - 1)


def notice_key(person: str, now: datetime) -> str:
    """Name the notice of a flood, so that messages which come at the same moment bring one."""
    return f"notice:{person}:{now.timestamp() // PAUSE.total_seconds():.0f}"
