"""The door for what people keep; implements `bot.conversation.keep.Keeper`."""

from datetime import timedelta

import structlog

from bot.audience import EVERYONE, Names, channel_name
from bot.conversation.address import PersonId
from bot.conversation.asks import ask_store
from bot.conversation.keep import Keep, KeepRefused, Kept, refusal, renumbered, ruled_turn
from bot.conversation.reviews.review import Review
from bot.knowledge import audience_store
from bot.knowledge.verified import store
from bot.knowledge.verified.store import Cited, NewVerified
from bot.postgres.pool import Connection, Database
from graph.answer.guard import vouched
from graph.context import Clock


class KeepDoor:
    """What people keep in one workspace. It loads no model: a worker embeds what was kept."""

    def __init__(self, database: Database, clock: Clock, *, workspace: str, valid_for: timedelta) -> None:
        self._database = database
        self._clock = clock
        self._workspace = workspace
        self._valid_for = valid_for

    async def look(self, token: str, person: PersonId) -> Review | KeepRefused:
        """Return a review whose answer the person may keep, or why they may not."""
        async with self._database.transaction(self._workspace) as connection:
            return await self._keepable(connection, token, person)

    async def keep(self, keep: Keep) -> Kept | KeepRefused:
        """Keep the answer of a review, once, if all that it rests on is still as it was."""
        now = self._clock.now()
        async with self._database.transaction(self._workspace) as connection:
            review = await self._keepable(connection, keep.token, keep.person)
            if isinstance(review, KeepRefused):
                return review
            turn = ruled_turn(review)
            # A reviewer is shown only what is for everybody, so nothing else can be kept.
            await audience_store.read_as(connection, frozenset({EVERYONE, keep.place}))
            passages = [source["passage_id"] for source in turn["sources"]]
            cited = await store.cited(connection, passages)
            if len(cited) != len(passages):
                return KeepRefused(reason="outdated")
            new = self._new(keep, review, renumbered(turn["draft"], turn["sources"]), cited)
            kept = await store.insert(connection, new, now=now)
            if kept is None:
                return await self._kept_before(connection, review)
        structlog.get_logger().info("answer_kept", answer=kept, person=keep.person)
        return Kept(until=new.valid_until)

    async def retire(self, token: str, person: PersonId) -> KeepRefused | None:
        """Let a kept answer be told no more; say why not."""
        async with self._database.transaction(self._workspace) as connection:
            review = await ask_store.by_token(connection, Review, token)
            if review is None:
                return KeepRefused(reason="unknown")
            await audience_store.read_as(connection, _names(review))
            kept = await store.by_origin(connection, _origin(review))
            if kept is None or not await store.retire(connection, kept.id, by=person, now=self._clock.now()):
                return KeepRefused(reason="unknown")
        structlog.get_logger().info("answer_retired", answer=kept.id, person=person)
        return None

    async def _keepable(self, connection: Connection, token: str, person: PersonId) -> Review | KeepRefused:
        review = await ask_store.by_token(connection, Review, token)
        return refusal(review, person) or review or KeepRefused(reason="unknown")

    async def _kept_before(self, connection: Connection, review: Review) -> KeepRefused:
        await audience_store.read_as(connection, _names(review))
        kept = await store.by_origin(connection, _origin(review))
        return KeepRefused(reason="kept", by=PersonId(kept.writer) if kept else None)

    def _new(self, keep: Keep, review: Review, text: str, cited: list[Cited]) -> NewVerified:
        packet = review.packet
        return NewVerified(
            origin=_origin(review),
            asked_as=f"{review.channel}:{packet['key']}",
            question=vouched(packet["standalone"]),
            text=vouched(text),
            sources=cited,
            writer=keep.person,
            writer_name=vouched(keep.name),
            place=keep.place,
            valid_until=self._clock.now() + self._valid_for,
        )


def _origin(review: Review) -> str:
    return f"review:{review.id}"


def _names(review: Review) -> Names:
    return frozenset({EVERYONE, channel_name(review.channel)})
