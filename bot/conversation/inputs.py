"""The inputs of the core. `bot.conversation.intake` commits each of them before Slack gets an acknowledgement."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias

from bot.conversation.address import Address, ChannelId, PersonId, Placed, Ts
from graph.turn import Choice, Turn

PAUSE: Final = timedelta(minutes=1)
"""After this pause without a refusal, the next refusal brings a new notice."""


@dataclass(frozen=True, kw_only=True)
class Message:
    """A person's message: a turn and its address."""

    event_key: str
    """Names the delivery; redeliveries share it."""
    message_key: str
    """Names the message (channel:ts); a mention and the message event of one post share it."""
    address: Address
    turn: Turn

    @property
    def told_alone(self) -> "Message":
        """The same question, answered in a direct message from all that its asker may read."""
        return Message(
            event_key=f"{self.event_key}:alone",
            message_key=f"{self.message_key}:alone",
            address=replace(self.address, privately=True, alone=True),
            turn=replace(self.turn, addressed=True, is_follow_up=True),
        )


@dataclass(frozen=True, kw_only=True)
class ClickedQuestion:
    """A question that somebody asked by a click, once it is stored."""

    asker: PersonId
    """Who has asked it first."""
    is_new: bool
    """Whether this click asked it."""
    is_refused: bool
    """Whether too many messages wait, so that it gets no answer. A later click may ask it."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """A person edited or deleted a message."""

    kind: Literal["edit", "removal"]
    message: Message
    """The message under its own key, with its new or last text. The event of this message is the change."""
    changed_at: Ts
    of_known_only: bool = False
    """Whether to ignore the change of a message that is not stored, because that message would have been refused."""


@dataclass(frozen=True, kw_only=True)
class Stop:
    """A person wants to stop a run or an open question."""

    event_key: str
    channel: ChannelId
    messages: tuple[Ts, ...]
    """The question to stop, or messages of ours."""
    thread_id: str | None
    """The thread in which Slack's Stop was pressed. It stops the run there if no message of the run is known."""
    person: PersonId
    stopped_at: Ts

    @property
    def is_native(self) -> bool:
        """Whether the person used Slack's own Stop button, and not a reaction: then anybody may stop."""
        return self.thread_id is not None


@dataclass(frozen=True, kw_only=True)
class Click:
    """A person's answer on a card: a button, or the text of the "Something else…" modal."""

    event_key: str
    token: str
    """Which clarification; opaque, taken from the button."""
    choice: Choice
    """An option carries its id; its label is looked up."""
    thread_id: str
    """The thread of the click. A click counts only for a question of this thread."""
    person: PersonId
    clicked_at: Ts
    """Slack's `action_ts`: the click's place in the thread's order."""
    revision: int | None = None
    """The number of the choice that it changes; `None` if it answers an open question."""
    asks_again: bool = False
    """Whether it only reopens a closed question, and chooses nothing."""
    card: Placed | None = None
    """The message of the click; a click counts only on a message of its question. `None` without a message."""
    fingerprint: str = ""
    """What the person was shown of the change that they approve."""


@dataclass(frozen=True, kw_only=True)
class AnswerClicked:
    """A person presses a button below an answer."""

    answer: Placed
    address: Address
    """Where it was clicked, by whom, and when."""


Refusal: TypeAlias = Literal[
    "repeated",
    "answered",
    "superseded",
    "expired",
    "unapproved",
    "open",
    "unknown",
    "not_yours",
    "too_late",
    "held",
    "elsewhere",
    "changed",
]
"""The reasons why a click changes nothing. `repeated` means that the same click has already counted, `unapproved` that
the time to approve a change is over, and `changed` that the person was shown something else.
"""


@dataclass(frozen=True, kw_only=True)
class ClickRefused:
    """The click changes nothing."""

    reason: Refusal
    answered_by: PersonId | None = None
    label: str = ""
    """The chosen label, if there was a choice."""
    question: str = ""
    """The question of the turn that asked back, for "Ask this again"."""


Declined: TypeAlias = Literal["guest", "unchecked"]
"""The reasons for refusing a message that its writer is told."""


@dataclass(frozen=True, kw_only=True)
class Rating:
    """A person's verdict on an answer."""

    channel: str
    message_ts: Ts
    person: PersonId
    verdict: Literal["good", "bad"]


@dataclass(frozen=True, kw_only=True)
class QueueLimits:
    """The most waiting turns, including running ones."""

    per_person: int
    altogether: int
    """In the workspace."""


UNLIMITED: Final = QueueLimits(per_person=2**31 - 1, altogether=2**31 - 1)


def notice_key(person: str, now: datetime) -> str:
    """Return the key of a flood's notice, so that simultaneous messages bring one notice."""
    return f"notice:{person}:{now.timestamp() // PAUSE.total_seconds():.0f}"
