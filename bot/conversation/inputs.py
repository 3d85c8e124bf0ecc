"""What comes in, and the door it comes through; whatever it takes is stored before it is acknowledged."""

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from bot.conversation.address import Address, ChannelId, PersonId, Ts
from graph.turn import Choice, Turn


@dataclass(frozen=True, kw_only=True)
class Message:
    """A person's message: a turn, and where it was said."""

    event_key: str
    """Names the delivery; redeliveries share it."""
    message_key: str
    """Names the message (channel:ts); a mention and the message event of one post share it."""
    address: Address
    turn: Turn


@dataclass(frozen=True, kw_only=True)
class Change:
    """A person edited or deleted a message."""

    kind: Literal["edit", "removal"]
    message: Message
    """The message under its own key, as it reads now or as it last read; its event is the change."""
    changed_at: Ts
    of_known_only: bool = False
    """Whether a message that has not come in stays away: it would not have been taken, either."""


@dataclass(frozen=True, kw_only=True)
class Stop:
    """A person wants what goes on to end."""

    event_key: str
    channel: ChannelId
    messages: tuple[Ts, ...]
    """The question, or messages of ours, that are meant."""
    thread_id: str | None
    """Where Slack's Stop was pressed; it means what runs there, if no message of its own is known."""
    person: PersonId
    stopped_at: Ts

    @property
    def is_native(self) -> bool:
        """Whether it was Slack's own button, which Slack shows to whom it may concern; else, a reaction."""
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
    """The thread in which it was done; it counts only for a question of that thread."""
    person: PersonId
    clicked_at: Ts
    """Slack's `action_ts`: the click's place in the thread's order."""
    revision: int | None = None
    """The choice that it changes, by its number; None where it answers an open question."""
    asks_again: bool = False
    """Whether it chooses nothing, but wants a closed question to be asked again."""


@dataclass(frozen=True, kw_only=True)
class ClickTaken:
    """The click was the first; the run goes on with it."""


Refusal: TypeAlias = Literal[
    "repeated", "answered", "superseded", "expired", "open", "unknown", "not_yours", "too_late", "held", "elsewhere"
]
"""Why a click changes nothing; one that is repeated has changed it already."""


@dataclass(frozen=True, kw_only=True)
class ClickRefused:
    """The click changes nothing."""

    reason: Refusal
    answered_by: PersonId | None = None
    label: str = ""
    """What was chosen, where somebody chose."""
    question: str = ""
    """The question of the turn that asked back; what "Ask this again" asks."""


ClickOutcome: TypeAlias = ClickTaken | ClickRefused


Declined: TypeAlias = Literal["guest", "unchecked"]
"""Why somebody is not served who is to be told so."""


@dataclass(frozen=True, kw_only=True)
class Rating:
    """A person's verdict on an answer."""

    channel: str
    message_ts: Ts
    person: PersonId
    verdict: Literal["good", "bad"]


class Intake(Protocol):
    """Stores what came in; whatever returns has been committed."""

    async def concerns(self, message: Message, *, earlier_too: bool = False) -> bool:
        """Tell whether a message is for the bot: said to it, or in a thread that it knows. Nothing is stored.

        What was said in the thread before the bot came may count, too: it may have been read there.
        """
        ...

    async def decline(self, message: Message, why: Declined, *, edited_at: Ts | None = None) -> None:
        """Store, once, that the writer is to be told why a message, or its edit, was not taken; none of its words."""
        ...

    async def receive(self, message: Message) -> None:
        """Store a message once; drop one that was not said to the bot in a thread the bot does not know."""
        ...

    async def change(self, change: Change) -> None:
        """Store, once, that a message was edited or deleted, and stop a run of its old text."""
        ...

    async def stop(self, stop: Stop) -> bool:
        """Store, once, that a run or an open question is to end, and end the run; return whether there was one."""
        ...

    async def choose(self, click: Click) -> ClickOutcome:
        """Claim the clarification, or the change of its choice, and store what is to be answered; or say why not."""
        ...

    async def ask_next_time(self, click: Click) -> ClickOutcome:
        """Forget what is assumed for the asker of the question, or say why not."""
        ...

    async def rate(self, rating: Rating) -> bool:
        """Store a verdict; a person's last one counts. Return whether it says something new."""
        ...

    async def retry(self, reference: str, thread_id: str) -> bool:
        """Let an item of a thread run again that came to nothing or is not done yet; one that runs is left alone.

        Return whether the thread has such an item.
        """
        ...
