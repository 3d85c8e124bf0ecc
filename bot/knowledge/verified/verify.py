"""The intake that makes verified answers; implements `bot.contributions.verify.VerifyIntake`."""

from dataclasses import dataclass
from datetime import timedelta

import structlog

from bot.audience import ALL, EVERYONE
from bot.contributions.verify import (
    AnswerToVerify,
    VerifiedUntil,
    VerifyRefused,
    refusal,
    refusal_of_words,
    renumbered,
    ruled_turn,
)
from bot.conversation import store as inbox_store
from bot.conversation.address import PersonId
from bot.conversation.asks import ask_store
from bot.conversation.asks.clarifications import Clarification
from bot.conversation.asks.review import Review
from bot.knowledge import audience_store
from bot.knowledge.verified import store
from bot.knowledge.verified.store import Cited, NewVerified
from bot.postgres.pool import Connection, Database
from graph.answer.draft import with_known_citations
from graph.answer.guard import vouched
from graph.context import Clock
from graph.verified import confirmed


@dataclass(frozen=True, kw_only=True)
class DatabaseVerifyIntake:
    """What people keep in one workspace. It loads no model: a worker embeds what was kept."""

    database: Database
    clock: Clock
    workspace: str
    valid_for: timedelta

    async def answering(self, thread_id: str, person: PersonId) -> Review | None:
        """Return the question of a thread that a person was asked to look at, if somebody else may answer it there."""
        async with self.database.transaction(self.workspace) as connection:
            review = await ask_store.last_in(connection, Review, thread_id)
        return None if refusal_of_words(review, person) else review

    async def look(self, token: str, person: PersonId, *, own_words: bool = False) -> Review | VerifyRefused:
        """Return a review whose answer, or to which their own words, the person may keep; or why they may not."""
        async with self.database.transaction(self.workspace) as connection:
            return await _keepable(connection, token, person, own_words=own_words)

    async def verify(self, answer: AnswerToVerify) -> VerifiedUntil | VerifyRefused:
        """Keep an answer, once, if all that it rests on is still as it was."""
        async with self.database.transaction(self.workspace) as connection:
            review = await _keepable(connection, answer.token, answer.person, own_words=answer.words is not None)
            if isinstance(review, VerifyRefused):
                return review
            # A reviewer is shown only what is for everybody, so nothing else can be kept.
            await audience_store.read_as(connection, frozenset({EVERYONE, answer.place}))
            new = await self._new(connection, answer, review)
            if new is None:
                return VerifyRefused(reason="outdated")
            kept = await store.insert(connection, new, now=self.clock.now())
            if kept is None:
                return await _kept_before(connection, new.origin)
        structlog.get_logger().info("answer_kept", answer=kept, person=answer.person)
        return VerifiedUntil(until=new.valid_until, origin=new.origin)

    async def widen(self, token: str, option: str, person: PersonId, *, place: str) -> bool:
        """Add the question of a clarification to those that a verified answer answers; return whether it did.

        People who may read the answer must also be allowed to read the question.
        """
        async with self.database.transaction(self.workspace) as connection:
            asked = await ask_store.by_token(connection, Clarification, token)
            said = confirmed(option)
            if asked is None or said is None or option not in dict(asked.options):
                return False
            answer_id, question = said
            await audience_store.read_as(connection, frozenset({EVERYONE, place}))
            if place not in (EVERYONE, await store.place_of(connection, answer_id)):
                return False
            address = (await inbox_store.item_by_id(connection, asked.inbox_id)).address
            key = f"{address.channel}:{address.message_ts}"
            await store.add_phrasing(connection, answer_id, vouched(question), asked_as=key, by=person)
        structlog.get_logger().info("answer_widened", answer=answer_id, person=person)
        return True

    async def _new(self, connection: Connection, answer: AnswerToVerify, review: Review) -> NewVerified | None:
        """Return what is kept; None if something that it rests on is not as it was."""
        if answer.words:
            origin = f"message:{review.channel}:{answer.words.ts}"
            return self._of(answer, review, origin, with_known_citations(answer.words.text, ()), [])
        turn = ruled_turn(review)
        passages = [source["passage_id"] for source in turn["sources"]]
        cited = await store.cited(connection, passages)
        if len(cited) != len(passages):
            return None
        return self._of(answer, review, f"review:{review.id}", renumbered(turn["draft"], turn["sources"]), cited)

    def _of(self, answer: AnswerToVerify, review: Review, origin: str, text: str, cited: list[Cited]) -> NewVerified:
        packet = review.packet
        return NewVerified(
            origin=origin,
            asked_as=f"{review.channel}:{packet['key']}",
            question=vouched(packet["standalone"]),
            text=vouched(text),
            sources=cited,
            writer=answer.person,
            writer_name=vouched(answer.name),
            place=answer.place,
            valid_until=self.clock.now() + self.valid_for,
        )


async def _keepable(connection: Connection, token: str, person: PersonId, *, own_words: bool) -> Review | VerifyRefused:
    review = await ask_store.by_token(connection, Review, token)
    refused = refusal_of_words(review, person) if own_words else refusal(review, person)
    return refused or review or VerifyRefused(reason="unknown")


async def _kept_before(connection: Connection, origin: str) -> VerifyRefused:
    await audience_store.read_as(connection, ALL)
    kept = await store.by_origin(connection, origin)
    return VerifyRefused(reason="kept", by=kept.writer if kept else None)
