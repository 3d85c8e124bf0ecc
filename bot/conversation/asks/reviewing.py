"""The life of a review: offered with an answer, put before the reviewers, and ended as they decide."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import KW_ONLY, asdict, dataclass, replace
from datetime import timedelta

import structlog

from bot.conversation import message_store, store
from bot.conversation.address import Placed
from bot.conversation.asks import ask_store
from bot.conversation.asks.review import Review, ReviewChannel, review_of
from bot.conversation.commands import family_store
from bot.conversation.items import Item
from bot.conversation.payloads import ReviewPayload
from bot.conversation.ports import Presenter
from bot.errors import PostRefusedError, SlackError
from bot.postgres.pool import Connection, Database
from graph.answer.review import consulted
from graph.context import Clock
from graph.events import AnswerCompleted, AnswerEvent, ReviewRequested, SourcesFound
from graph.run import Run
from graph.state import ReviewPacket


@dataclass(frozen=True)
class Reviewing:
    """The reviews of one surface's answers; without a review channel nobody looks at them, and open ones expire."""

    database: Database
    clock: Clock
    _: KW_ONLY
    review_channel: ReviewChannel | None
    expire_after: timedelta

    async def take_note(self, item: Item, connection: Connection, ending: AnswerEvent | None) -> None:
        """Store what a run leaves for a person to look at: a draft that waits for them, or an answer they may see."""
        match ending:
            case ReviewRequested():
                review = await self._store(item, connection, ending.packet, ending.interrupt_id)
                await store.insert_sequel(connection, review.step("after"), now=self.clock.now())
                structlog.get_logger().info("review_requested", confidence=ending.packet["confidence"])
            case AnswerCompleted(packet=packet) if packet:
                await self._store(item, connection, packet, "")
            case _:
                pass

    async def put(
        self, review: Review, connection: Connection, presenter: Presenter, *, workspace: str, is_first: bool
    ) -> None:
        """Put an open review before the reviewers, and say so below the answer if that is shown already."""
        try:
            review = review if is_first else await self._with_card(review, workspace)
            if review.status != "open":
                await self._settle(review)
                return
            await self._post(review, workspace)
        except PostRefusedError as error:
            structlog.get_logger().warning("review_not_posted", error=str(error))
            await self._expire(connection, review)
            return
        if review.requester:
            await _show(presenter, review, consulted(review.packet))

    async def rule(self, review: Review, connection: Connection, run: Run, presenter: Presenter) -> None:
        """End the turn as it was decided, unless its question has changed, or another answer has replaced it."""
        if review.review_decision is None:
            return
        if not await message_store.messages_of(connection, review.inbox_id):
            # The answer that was to replace this one has failed, and could not even say so.
            await self.close(connection, [review.inbox_id])
            return
        if review.interrupt_id and await run.waits_for(review.interrupt_id):
            events = run.resume_review(review.interrupt_id, review.review_decision)
        else:
            events = run.conclude(review.packet, review.review_decision)
        async with aclosing(events):
            async for event in events:
                await _show(presenter, review, event)
        await ask_store.change(connection, review.id, was=None, concluded_at=self.clock.now())
        await self._settle(review, may_be_lost=True)

    async def close(
        self, connection: Connection, items: Sequence[int] = (), *, thread_id: str = "", key: str = ""
    ) -> None:
        """Close the reviews of some items' answers, or of all answers to a message, and show so."""
        for review in await ask_store.supersede_all(connection, Review, items=items, thread_id=thread_id, key=key):
            await self._settle(replace(review, status="superseded"))

    async def fail(self, item: Item, connection: Connection) -> None:
        """Settle the cards of an item that has failed: what was decided stays so, and is tried again if they wish."""
        ended = item.payload if isinstance(item.payload, ReviewPayload) and item.payload.has_ended else None
        if ended and (review := await ask_store.by_id(connection, Review, ended.ask_id)):
            await self._settle(review, may_be_lost=True)
        await self._close_earlier(item, connection)

    async def give_up(self, item: Item, connection: Connection) -> None:
        """End the reviews that come to nothing with an item: one that nobody was shown expires, others are closed."""
        match item.payload:
            case ReviewPayload(ask_id=review_id, has_ended=False):
                if review := await ask_store.by_id(connection, Review, review_id):
                    await self._expire(connection, review)
            case ReviewPayload(answer_of=answer_of):
                await self.close(connection, [answer_of])
            case _:
                await self._close_earlier(item, connection)

    async def _close_earlier(self, item: Item, connection: Connection) -> None:
        # A changed choice shows its own result instead of theirs.
        await self.close(connection, await family_store.family_before(connection, item))

    async def _store(self, item: Item, connection: Connection, packet: ReviewPacket, interrupt_id: str) -> Review:
        now = self.clock.now()
        await self.close(connection, thread_id=item.thread_id, key=packet["key"])
        new = review_of(packet, interrupt_id=interrupt_id, due_at=now + self.expire_after)
        return await ask_store.insert(connection, Review, item, new, now=now)

    async def _post(self, review: Review, workspace: str) -> None:
        if self.review_channel is None:
            raise PostRefusedError("Nobody is set to review answers.")
        if not review.card:
            await self._record(review, workspace, await self.review_channel.post(review))

    async def _with_card(self, review: Review, workspace: str) -> Review:
        """Return the review with its card, also if the run that posted the card died before it recorded where."""
        lost = await self.review_channel.find(review) if self.review_channel and not review.card else None
        if lost is None:
            return review
        await self._record(review, workspace, lost)
        return replace(review, card=lost)

    async def _record(self, review: Review, workspace: str, card: Placed) -> None:
        # Apart from the run, which may die: what Slack has shown stays known.
        async with self.database.transaction(workspace) as apart:
            await ask_store.change(apart, review.id, was=None, card=asdict(card))

    async def _settle(self, review: Review, *, may_be_lost: bool = False) -> None:
        """Show on a card how its review ended, also if the run that posted the card died before it was recorded."""
        if self.review_channel:
            try:
                card = review.card or (await self.review_channel.find(review) if may_be_lost else None)
                if card:
                    await self.review_channel.settle(review, card)
            except SlackError as error:
                structlog.get_logger().warning("review_card_not_updated", error=str(error))

    async def _expire(self, connection: Connection, review: Review) -> None:
        if await ask_store.change(connection, review.id, was="open", status="expired"):
            await store.insert_sequel(connection, review.expiry("after"), now=self.clock.now())


async def _show(presenter: Presenter, review: Review, event: AnswerEvent) -> None:
    # Links to all that was found are safe, as when the answer was written.
    await presenter.show(SourcesFound(sources=tuple(review.packet["sources"])))
    await presenter.show(event)
