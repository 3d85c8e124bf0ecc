"""What a channel's mode is, and how it changes (pure)."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias, get_args

from bot.conversation.address import Ts

Mode: TypeAlias = Literal["mentions", "questions", "privately"]
"""`mentions`: only who calls the bot is answered. `questions`: other questions too, in the channel if the documents
answer wholly. `privately`: those in a direct message.
"""
ModeChoice: TypeAlias = Mode | Literal["on"]
"""What the buttons of a card choose; `on` turns on what began with a shadow week."""
CHOICES: Final[tuple[ModeChoice, ...]] = (*get_args(Mode), "on")
Phase: TypeAlias = Literal["off", "shadow", "ready", "on"]
"""Shadow: nothing is posted. Ready: the shadow week is over, and a member may turn the mode on."""

SHADOW: Final = timedelta(days=7)
MOST_A_DAY: Final = 5
"""Untagged questions that one channel gets answered in 24 hours."""
MOST_UNWANTED: Final = 2
"""Clicks on "Not for you" that lead back to mentions."""
TOO_LATE: Final = timedelta(minutes=15)
"""An untagged question that could not be judged for so long is left to people."""
KEPT: Final = timedelta(days=30)
"""How long it is kept which untagged questions were answered."""


@dataclass(frozen=True, kw_only=True)
class ChannelMode:
    """The mode of one channel. Two are equal if the same may be done in both."""

    channel: str
    mode: Mode = "mentions"
    is_on: bool = False
    """Whether a member has turned on what began with a shadow week."""
    since: datetime
    changed_by: str | None = None
    is_led_back: bool = False
    """Whether clicks on "Not for you" led back to mentions."""
    card_key: Ts = field(default=Ts(""), compare=False)
    """The message that asked for the card."""
    card_ts: Ts | None = field(default=None, compare=False)
    """The card, once it is posted."""
    card_due: datetime | None = field(default=None, compare=False)
    """When the card is to be shown again."""
    taken_today: int = field(default=0, compare=False)
    """Untagged questions that were, or would have been, answered in the last 24 hours."""

    @property
    def has_room(self) -> bool:
        """Whether another one may be answered now."""
        return self.taken_today < MOST_A_DAY

    def phase(self, now: datetime) -> Phase:
        """Return how far the mode has come."""
        if self.mode == "mentions":
            return "off"
        if self.is_on or self.mode == "privately":
            return "on"
        return "shadow" if now < self.since + SHADOW else "ready"


@dataclass(frozen=True, kw_only=True)
class UntaggedVerdict:
    """What an untagged question gets."""

    kind: Literal["answer", "ask"]
    document: str = ""
    """The title of the first cited document."""


@dataclass(frozen=True, kw_only=True)
class Noted:
    """An untagged question that would have been answered."""

    ts: str
    verdict: str
    link: str
    document: str


def chosen(current: ChannelMode, wanted: ModeChoice, *, by: str, now: datetime) -> ChannelMode:
    """Return the mode after a member's click.

    The same choice again changes nothing, so that no shadow week begins again; nor does turning on before its end.
    """
    if wanted == "on":
        is_ready = current.phase(now) == "ready"
        return replace(current, is_on=True, since=now, changed_by=by) if is_ready else current
    if current.mode == wanted:
        return current
    return replace(current, mode=wanted, is_on=False, is_led_back=False, since=now, changed_by=by)


def after_unwanted(current: ChannelMode, unwanted: int, *, now: datetime) -> ChannelMode:
    """Return the mode after a click on "Not for you"; `unwanted` counts the clicks since the mode began."""
    if current.mode == "mentions" or unwanted < MOST_UNWANTED:
        return current
    return replace(current, mode="mentions", is_on=False, is_led_back=True, since=now, changed_by=None)
