"""Keeping an answer: who may, what is kept, and why not (pure); words that Slack and knowledge share."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, TypeAlias

from bot.audience import is_direct
from bot.conversation.address import PersonId
from bot.conversation.reviews.review import Review
from graph.answer.draft import CITATION
from graph.answer.review import decided, turn_of
from graph.passages import Source
from graph.state import DecisionState, TurnState
from graph.tools import in_documents

Why: TypeAlias = Literal["unknown", "unfit", "private", "not_yours", "kept", "outdated"]
"""Why nothing is kept."""


@dataclass(frozen=True, kw_only=True)
class Keep:
    """A person's wish to keep the answer of a review."""

    token: str
    """Of the review."""
    person: PersonId
    name: str
    """As people read it."""
    place: str
    """The audience of the place where the answer was written: everyone, channel:C…"""


@dataclass(frozen=True, kw_only=True)
class Kept:
    """An answer was kept."""

    until: datetime


@dataclass(frozen=True, kw_only=True)
class KeepRefused:
    """The gesture changes nothing."""

    reason: Why
    by: PersonId | None = None
    """Who kept it before, or whose words they are."""


class Keeper(Protocol):
    """The door for what people keep; whatever returns has been committed."""

    async def look(self, token: str, person: PersonId) -> Review | KeepRefused:
        """Return a review whose answer the person may keep, or why they may not."""
        ...

    async def keep(self, keep: Keep) -> Kept | KeepRefused:
        """Keep the answer of a review, once; or say why not."""
        ...

    async def retire(self, token: str, person: PersonId) -> KeepRefused | None:
        """Let a kept answer be told no more; say why not."""
        ...


def refusal(review: Review | None, person: PersonId) -> KeepRefused | None:
    """Say why a reviewer may not keep an answer; nothing if they may. Words belong to the person who wrote them."""
    if review is None or review.outcome not in ("approved", "edited"):
        return KeepRefused(reason="unknown")
    if is_direct(review.channel):
        return KeepRefused(reason="private")
    if not is_fit(review):
        return KeepRefused(reason="unfit")
    if review.outcome == "edited" and review.decided_by != person:
        return KeepRefused(reason="not_yours", by=review.decided_by)
    return None


def is_keepable(review: Review) -> bool:
    """Tell whether somebody may keep the answer of a review."""
    return review.decided_by is not None and refusal(review, review.decided_by) is None


def is_fit(review: Review) -> bool:
    """Tell whether an answer holds for its question alone: nothing was assumed, calculated or left unread."""
    packet, ruled = review.packet, ruled_turn(review)
    notes = [note for note in packet["notes"] if note not in packet.get("of_writer", [])]
    ids = {source["passage_id"] for source in ruled["sources"]}
    rests_on_documents = ids == in_documents(ids) and (ids or review.outcome == "edited")
    return ruled["outcome"] == "answered" and not packet.get("recalled") and not notes and bool(rests_on_documents)


def ruled_turn(review: Review) -> TurnState:
    """Return the turn of a review as it was ruled, with its text and its sources."""
    decision = DecisionState(kind="expired", text="", by="")
    if ruled := review.review_decision:
        decision = DecisionState(kind=ruled.kind, text=ruled.text, by=ruled.by)
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
