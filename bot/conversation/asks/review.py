"""A review: an answer that a person is asked to look at, and what they decide; words that inbox and Slack share."""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Literal, Protocol, TypeAlias, cast

from bot.conversation.address import PersonId, Placed, Ts
from bot.conversation.asks.ask import Ask, AskStatus, NewAsk
from bot.conversation.contents import ReviewContent
from bot.conversation.items import Position, Sequel
from graph.state import ReviewPacket
from graph.turn import ReviewDecision

Decided = Literal["approved", "edited", "rejected"]
ReviewOutcome = Literal["offered", "open", "approved", "edited", "rejected", "expired", "superseded"]


@dataclass(frozen=True, kw_only=True)
class Review(Ask):
    """An answer that a reviewer is asked to look at. A run waits for the decision, unless the answer was shown."""

    kind: ClassVar[str] = "review"

    @property
    def packet(self) -> ReviewPacket:
        """What a reviewer looks at."""
        return cast("ReviewPacket", self.payload)

    @property
    def requester(self) -> PersonId | None:
        """Who asked for a person; None if the answer was not sure enough to be shown."""
        return self.person

    @property
    def outcome(self) -> ReviewOutcome:
        """What was decided, or how it stands."""
        if self.status == "decided" and self.decision:
            return self.decision["kind"]
        return cast("ReviewOutcome", self.status)

    @property
    def words(self) -> str:
        """The answer in the reviewer's words, or why there is none."""
        return self.decision["text"] if self.decision else ""

    @property
    def review_decision(self) -> ReviewDecision | None:
        """What was decided; none while it is open, and once the question has changed."""
        if self.outcome in ("offered", "open", "superseded"):
            return None
        return ReviewDecision(kind=self.outcome, text=self.words, by=self.decided_by or "")

    def step(self, position: Position, *, has_ended: bool = False) -> Sequel:
        """Return the item that posts its card, or that applies its decision."""
        content = ReviewContent(ask_id=self.id, answer_of=self.inbox_id, has_ended=has_ended)
        return self.sequel(content, position)

    def expiry(self, position: Position) -> Sequel:
        """Return the item that shows the answer if nobody decided in time."""
        return self.step(position, has_ended=True)


def review_of(packet: ReviewPacket, *, interrupt_id: str, due_at: datetime) -> NewAsk:
    """Return the review that a run waits on, or the offer of one if none does."""
    status: AskStatus = "open" if interrupt_id else "offered"
    return NewAsk(interrupt_id=interrupt_id, person=None, payload=packet, status=status, due_at=due_at)


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What a reviewer has decided, by a button or a modal."""

    event_key: str
    token: str
    kind: Decided
    words: str = ""
    person: PersonId
    decided_at: Ts
    """Its place in the thread's order."""


@dataclass(frozen=True, kw_only=True)
class ReviewRefused:
    """The click changes nothing."""

    reason: Literal[
        "open", "approved", "edited", "rejected", "expired", "superseded", "unknown", "no_reviewer", "reviewers_unknown"
    ]
    by: PersonId | None = None
    """Who decided, or asked, before."""


Looked: TypeAlias = Review | ReviewRefused


def refusal(review: Review | None) -> ReviewRefused | None:
    """Return why nobody can decide a review; `None` if somebody can."""
    if review is None or review.outcome == "offered":
        return ReviewRefused(reason="unknown")
    return None if review.outcome == "open" else ReviewRefused(reason=review.outcome, by=review.decided_by)


def refusal_to_ask(review: Review | None) -> ReviewRefused | None:
    """Return why an answer is not put before a person; `None` if it can be."""
    if review is None:
        return ReviewRefused(reason="unknown")
    if review.outcome == "offered":
        return None
    by = review.requester if review.outcome == "open" else review.decided_by
    return ReviewRefused(reason=review.outcome, by=by)


class ReviewChannel(Protocol):
    """Where reviewers get what they look at."""

    async def find(self, review: Review) -> Placed | None:
        """Find the review's card, if an earlier run posted it and died before it was recorded."""
        ...

    async def post(self, review: Review) -> Placed:
        """Post the review's card. Raises `PostRefusedError`."""
        ...

    async def show_outcome(self, review: Review, card: Placed) -> None:
        """Show on a card how its review ended."""
        ...
