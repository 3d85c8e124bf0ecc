"""A further question that an answer offers as a button: the first click asks it (pure)."""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from bot.conversation.asks.ask import Ask, NewAsk
from bot.conversation.inputs import ClickRefused, FollowUpClick, Message
from graph.turn import Turn


@dataclass(frozen=True, kw_only=True)
class FollowUp(Ask):
    """A question to ask next; its decision is that somebody asked it."""

    kind: ClassVar[str] = "follow_up"

    @property
    def question(self) -> str:
        """Return the question, as the button shows it."""
        return self.payload["question"]


def offering(question: str, *, now: datetime) -> NewAsk:
    """Return a question that an answer offers."""
    return NewAsk(interrupt_id="", person=None, payload={"question": question}, status="offered", due_at=now)


def refusal(asked: FollowUp, click: FollowUpClick) -> ClickRefused | None:
    """Say why a click asks nothing; `None` if it is the first."""
    match asked.status:
        case "offered":
            return None
        case "decided":
            is_same = asked.decided_by == click.address.person
            return ClickRefused(reason="repeated" if is_same else "answered", answered_by=asked.decided_by)
        case "open" | "expired" | "superseded":
            return ClickRefused(reason="superseded")


def asked_by_click(asked: FollowUp, click: FollowUpClick) -> Message:
    """Return the question as a message that the person says where they clicked; once an offer."""
    return Message(
        event_key=click.event_key,
        message_key=f"{click.address.channel}:{click.answer_ts}:follow_up:{asked.id}",
        address=click.address,
        turn=Turn(question=asked.question, asker=click.address.person, addressed=True, is_follow_up=True),
    )
