"""Keeping an answer: who may, what is kept, and why not (pure); words that Slack and knowledge share."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, Protocol, TypeAlias

from bot.audience import NamesOf, is_direct
from bot.conversation.address import ChannelId, PersonId, Ts
from bot.conversation.asks.review import Review
from bot.conversation.inputs import Message, Rating
from graph.answer.draft import CITATION
from graph.answer.review import decided, turn_of
from graph.passages import Source
from graph.state import DecisionState, TurnState
from graph.text.words import content_words
from graph.tools import in_documents

Why: TypeAlias = Literal[
    "unknown", "unfit", "private", "not_yours", "kept", "outdated", "no_reviewer", "reviewers_unknown"
]  # fmt: skip
"""Why nothing is kept."""


ENOUGH = 4
"""Content words of a message that may be an answer."""


@dataclass(frozen=True, kw_only=True)
class OwnWords:
    """A message in which a colleague answered a question that a person was asked to look at."""

    ts: Ts
    text: str


@dataclass(frozen=True, kw_only=True)
class Keep:
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
class Kept:
    """An answer was kept."""

    until: datetime
    origin: str
    """What it was kept from; names it for who wants to retire it."""


@dataclass(frozen=True, kw_only=True)
class KeepRefused:
    """The gesture changes nothing."""

    reason: Why
    by: PersonId | None = None
    """Who kept it before, or whose words they are."""


@dataclass(frozen=True, kw_only=True)
class Renewal:
    """A kept answer that ends soon, and the people to be asked whether it held."""

    origin: str
    question: str
    writer_name: str
    kept_on: date
    until: datetime
    people: Sequence[PersonId]


@dataclass(frozen=True, kw_only=True)
class Asker:
    """A person who asked in vain, and where and when."""

    person: PersonId
    channel: ChannelId
    asked_ts: Ts
    asked_on: date
    question: str


@dataclass(frozen=True, kw_only=True)
class Solved:
    """A kept answer, and the people who had asked the same in vain."""

    origin: str
    text: str
    """Markdown, without citations."""
    writer_name: str
    kept_on: date
    askers: Sequence[Asker]


@dataclass(frozen=True, kw_only=True)
class Dispute:
    """A kept answer beside which a document says otherwise, and the person to be asked which one is right."""

    origin: str
    question: str
    text: str
    writer: PersonId
    title: str
    """Of the document."""
    dated: date | None
    said: str
    """What the document says."""
    is_its_source: bool = False
    """Whether the answer cites the document, which has changed since."""


@dataclass(frozen=True, kw_only=True)
class ObjectedAnswer:
    """A kept answer that a person to whom it was told says is out of date or wrong."""

    origin: str
    question: str
    writer: PersonId
    day: date
    """When its writer is told."""


@dataclass(frozen=True, kw_only=True)
class Doubted:
    """A kept answer that is told no more, because a person to whom it was told said that it does not hold."""

    writer: PersonId
    question: str
    origin: str


@dataclass(frozen=True, kw_only=True)
class Editor:
    """A person who wants to change a kept answer."""

    person: PersonId
    is_reviewer: bool
    """Whether they are a reviewer, and do so on a card of the reviewers."""


@dataclass(frozen=True, kw_only=True)
class KeptText:
    """A kept answer, as it can be edited."""

    question: str
    text: str


AskUsers: TypeAlias = Callable[[Renewal], Awaitable[None]]
"""Asks the people of a renewal, each once, however often it is called."""
TellAskers: TypeAlias = Callable[[Solved], Awaitable[None]]
"""Tells the people who had asked in vain, each once, however often it is called."""
AskWriter: TypeAlias = Callable[[Dispute], Awaitable[None]]
"""Asks the writer of an answer which one is right, once, however often it is called."""
TellWriter: TypeAlias = Callable[[ObjectedAnswer], Awaitable[None]]
"""Tells the writer of an answer that people object to it, once a day, however often it is called."""


class Keeper(Protocol):
    """The intake of what people keep; whatever returns has been committed."""

    async def answering(self, thread_id: str, person: PersonId) -> Review | None:
        """Return the question of a thread that a person was asked to look at, if somebody else may answer it there."""
        ...

    async def look(self, token: str, person: PersonId, *, own_words: bool = False) -> Review | KeepRefused:
        """Return a review whose answer, or to which their own words, the person may keep; or why they may not."""
        ...

    async def keep(self, keep: Keep) -> Kept | KeepRefused:
        """Keep an answer, once; or say why not."""
        ...

    async def widen(self, token: str, option: str, person: PersonId, *, place: str) -> bool:
        """Let a verified answer also hold for the question of a clarification, by one of its options.

        `place` is the audience of the place where it was asked. Return whether it holds now.
        """
        ...


class KeptIntake(Protocol):
    """The intake of what becomes of kept answers; whatever returns has been committed."""

    async def retire(self, origin: str, editor: Editor) -> KeepRefused | None:
        """Let a kept answer be told no more, if its writer or a reviewer wants it; say why not."""
        ...

    async def look(self, origin: str, editor: Editor) -> KeptText | KeepRefused:
        """Return a kept answer, if its writer or a reviewer wants to change it; or say why not."""
        ...

    async def revise(self, origin: str, editor: Editor, *, text: str, name: str) -> Kept | KeepRefused:
        """Tell an answer in the words of its writer or a reviewer, who is its writer from then on; or say why not."""
        ...

    async def liked(self, rating: Rating, place_of: Callable[[], Awaitable[str]]) -> bool:
        """Let a kept answer also hold for the words of a question whose answer was liked; say whether it does now.

        `place_of` returns the audience of the place where it was asked.
        """
        ...

    async def ask_next(self, ask: AskUsers, names_of: NamesOf) -> bool:
        """Let the last users of the next answer that ends be asked; return whether there was one."""
        ...

    async def tell_next(self, tell: TellAskers, names_of: NamesOf) -> bool:
        """Let those be told of the next new answer who had asked the same in vain; return whether there was one."""
        ...

    async def settle_next(self, ask: AskWriter, names_of: NamesOf) -> bool:
        """Let the writer be asked about the next answer that a document contradicts; return whether there was one."""
        ...

    async def object_next(self, tell: TellWriter) -> bool:
        """Let the writer be told of the next answer that people object to; return whether there was one."""
        ...

    async def check(self, origin: str, editor: Editor) -> Kept | KeepRefused:
        """Let an answer count as checked today, if its writer or a reviewer says so; or say why not."""
        ...

    async def renew(self, origin: str, person: PersonId) -> Kept | KeepRefused:
        """Let an answer hold for longer, if its writer or a person to whom it was told says so."""
        ...

    async def doubt(self, origin: str, person: PersonId) -> Doubted | KeepRefused:
        """Let an answer be told no more, if its writer or a person to whom it was told says so."""
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


def refusal_of_words(review: Review | None, person: PersonId) -> KeepRefused | None:
    """Say why a colleague's own words to a question cannot be kept; nothing if they can.

    Who asked keeps no answer to themselves, and an answer that was confirmed needs no other.
    """
    if review is None or not review.requester or review.outcome not in ("open", "rejected", "expired"):
        return KeepRefused(reason="unknown")
    if is_direct(review.channel):
        return KeepRefused(reason="private")
    if person in (review.packet["asker"], review.requester):
        return KeepRefused(reason="not_yours")
    return None if holds_alone(review) else KeepRefused(reason="unfit")


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
    return not packet.get("recalled") and set(packet["notes"]) <= set(packet.get("of_writer", []))


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
