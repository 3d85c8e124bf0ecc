"""Making a verified answer: who may, what is kept, and why not (pure); words that Slack and knowledge share."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, TypeAlias

from bot.audience import is_direct
from bot.conversation.address import PersonId, Ts
from bot.conversation.asks.review import Review
from bot.conversation.inputs import Message
from graph.answer.draft import CITATION
from graph.answer.review import decided, turn_of
from graph.passages import Source
from graph.state import TurnState
from graph.text.words import content_words
from graph.tools import in_documents
from graph.turn import ReviewDecision

Why: TypeAlias = Literal[
    "unknown", "unfit", "private", "not_yours", "kept", "outdated", "no_reviewer", "reviewers_unknown"
]
"""Why nothing is kept."""


ENOUGH = 4
"""Content words of a message that may be an answer."""


@dataclass(frozen=True, kw_only=True)
class OwnWords:
    """A message in which a colleague answered a question that a person was asked to look at."""

    ts: Ts
    text: str


@dataclass(frozen=True, kw_only=True)
class AnswerToVerify:
    """A person's wish to keep an answer: that of a review, or their own words."""

    token: str
    """Of the review."""
    words: OwnWords | None = None
    person: PersonId
    name: str
    """As people read it."""
    place: str
    """The audience of the place where the answer was written: everyone, channel:C…"""


@dataclass(frozen=True, kw_only=True)
class VerifiedUntil:
    """An answer was kept."""

    until: datetime
    origin: str
    """What it was kept from. The button that retires it carries this."""


@dataclass(frozen=True, kw_only=True)
class VerifyRefused:
    """The click changes nothing."""

    reason: Why
    by: PersonId | None = None
    """Who kept it before, or whose words they are."""


class VerifyIntake(Protocol):
    """The intake of what people keep; whatever returns has been committed."""

    async def answering(self, thread_id: str, person: PersonId) -> Review | None:
        """Return the question of a thread that a person was asked to look at, if somebody else may answer it there."""
        ...

    async def look(self, token: str, person: PersonId, *, own_words: bool = False) -> Review | VerifyRefused:
        """Return a review whose answer, or to which their own words, the person may keep; or why they may not."""
        ...

    async def verify(self, answer: AnswerToVerify) -> VerifiedUntil | VerifyRefused:
        """Keep an answer, once; or say why not."""
        ...

    async def widen(self, token: str, option: str, person: PersonId, *, place: str) -> bool:
        """Let a verified answer also hold for the question of a clarification, by one of its options.

        `place` is the audience of the place where it was asked. Return whether it holds now.
        """
        ...


def refusal(review: Review | None, person: PersonId) -> VerifyRefused | None:
    """Say why a reviewer may not keep an answer; nothing if they may. Words belong to the person who wrote them."""
    if review is None or review.outcome not in ("approved", "edited"):
        return VerifyRefused(reason="unknown")
    if is_direct(review.channel):
        return VerifyRefused(reason="private")
    if not is_fit(review):
        return VerifyRefused(reason="unfit")
    if review.outcome == "edited" and review.decided_by != person:
        return VerifyRefused(reason="not_yours", by=review.decided_by)
    return None


def refusal_of_words(review: Review | None, person: PersonId) -> VerifyRefused | None:
    """Say why a colleague's own words to a question cannot be kept; nothing if they can.

    Who asked keeps no answer to themselves, and an answer that was confirmed needs no other.
    """
    if review is None or not review.requester or review.outcome not in ("open", "rejected", "expired"):
        return VerifyRefused(reason="unknown")
    if is_direct(review.channel):
        return VerifyRefused(reason="private")
    if person in (review.packet["asker"], review.requester):
        return VerifyRefused(reason="not_yours")
    return None if holds_alone(review) else VerifyRefused(reason="unfit")


def may_answer(message: Message) -> bool:
    """Tell whether what somebody said in a thread, but not to the bot, may be an answer to a question there."""
    turn, address = message.turn, message.address
    is_in_a_thread = address.thread_ts != address.message_ts and not is_direct(address.channel)
    is_said_to_people = is_in_a_thread and not turn.addressed and not address.privately
    return is_said_to_people and "?" not in turn.question and len(content_words(turn.question)) >= ENOUGH


def is_keepable(review: Review) -> bool:
    """Tell whether somebody may keep the answer of a review."""
    return review.decided_by is not None and refusal(review, review.decided_by) is None


def is_fit(review: Review) -> bool:
    """Tell whether an answer holds for its question alone: nothing was assumed, calculated or left unread."""
    ruled = ruled_turn(review)
    ids = {source["passage_id"] for source in ruled["sources"]}
    rests_on_documents = ids == in_documents(ids) and (ids or review.outcome == "edited")
    return ruled["outcome"] == "answered" and holds_alone(review) and bool(rests_on_documents)


def holds_alone(review: Review) -> bool:
    """Tell whether a question means what it says: nothing was assumed, and nothing beside it was left unread."""
    packet = review.packet
    return not packet["recalled"] and set(packet["notes"]) <= set(packet["of_writer"])


def ruled_turn(review: Review) -> TurnState:
    """Return the turn of a review as it was ruled, with its text and its sources."""
    decision = review.review_decision or ReviewDecision(kind="expired", text="", by="")
    return decided(turn_of(review.packet, decision), review.packet, decision)


def renumbered(text: str, sources: Sequence[Source]) -> str:
    """Return a text whose citations count its sources from 1."""
    numbers = {source["number"]: place for place, source in enumerate(sources, 1)}
    return CITATION.sub(
        lambda match: (
            match[0].replace(match["number"], str(numbers[int(match["number"])]))
            if int(match["number"]) in numbers
            else ""
        ),
        text,
    )
