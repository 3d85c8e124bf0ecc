"""A review: an answer that a person is asked to look at, and what they decide; words that inbox and Slack share."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from bot.conversation.address import ChannelId, PersonId, Placed, Ts
from graph.state import ReviewPacket
from graph.turn import Ruling

Decided = Literal["approved", "edited", "rejected"]
Status = Literal["offered", "open", "approved", "edited", "rejected", "expired", "superseded"]
"""Offered: an answer that was shown, of which nobody has asked for a review yet."""


@dataclass(frozen=True, kw_only=True)
class Review:
    """A stored review."""

    id: int
    token: str
    """What the buttons of its card carry."""
    inbox_id: int
    """The item whose answer it is."""
    channel: ChannelId
    """Where the question was asked."""
    interrupt_id: str | None
    """What a run waits on; none, where the answer was shown before anybody asked for a review."""
    dossier: ReviewPacket
    status: Status
    requester: PersonId | None
    """Who asked for a person; none, where the answer was not sure enough to be shown."""
    reviewer: PersonId | None
    words: str
    """The answer in the reviewer's words, or why there is none."""
    card: Placed | None

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Review":
        """Read a row of the table, with the address of its item."""
        placed = row["card_ts"] is not None
        return cls(
            id=row["id"],
            token=row["token"],
            inbox_id=row["inbox_id"],
            channel=ChannelId(row["address"]["channel"]),
            interrupt_id=row["interrupt_id"],
            dossier=row["dossier"],
            status=row["status"],
            requester=row["requester"],
            reviewer=row["reviewer"],
            words=row["words"],
            card=Placed(channel=row["card_channel"], ts=row["card_ts"]) if placed else None,
        )

    @property
    def ruling(self) -> Ruling | None:
        """What was decided; none while it is open, and once the question has changed."""
        if self.status in ("offered", "open", "superseded"):
            return None
        return Ruling(kind=self.status, text=self.words, by=self.reviewer or "")


@dataclass(frozen=True, kw_only=True)
class HumanAsked:
    """Somebody wants a person to look at an answer."""

    event_key: str
    channel: str
    message_ts: Ts
    """The message that shows the answer."""
    thread_id: str
    person: PersonId
    asked_at: Ts


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
    """The gesture changes nothing."""

    reason: Literal[
        "open", "approved", "edited", "rejected", "expired", "superseded", "unknown", "not_yours", "reviewers_unknown"
    ]  # fmt: skip
    by: PersonId | None = None
    """Who decided, or asked, before."""


Looked: TypeAlias = Review | ReviewRefused


class ReviewIntake(Protocol):
    """The door for what people do with reviews; whatever returns has been committed."""

    async def ask_human(self, asked: HumanAsked) -> ReviewRefused | None:
        """Open the review of an answer, once; say why not."""
        ...

    async def look(self, token: str) -> Looked:
        """Return an open review, for a modal to show; or why nobody can decide it."""
        ...

    async def decide(self, decision: Decision) -> ReviewRefused | None:
        """Claim a review for one decision and store the item that applies it; say why not."""
        ...


class Desk(Protocol):
    """Where reviewers get what they look at."""

    async def find(self, review: Review) -> Placed | None:
        """Find the review's card, of which an earlier run could not say where it is."""
        ...

    async def post(self, review: Review) -> Placed:
        """Post the review's card; raise `PostRefusedError` where it cannot be."""
        ...

    async def settle(self, review: Review, card: Placed) -> None:
        """Show on a card what became of its review."""
        ...
