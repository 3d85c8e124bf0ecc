"""The life of a review: offered with an answer, put before the reviewers, and ended as they decide."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass, replace

import structlog

from bot.conversation import message_store, store
from bot.conversation.address import Placed
from bot.conversation.asks import ask_store, family_store
from bot.conversation.asks.review import Review, review_of
from bot.conversation.contents import ReviewContent
from bot.conversation.items import Item
from bot.conversation.ports import Presenter
from bot.conversation.work import Work
from bot.errors import PostRefusedError, SlackError
from graph.answer.review import consulted
from graph.events import AnswerCompleted, AnswerEvent, ReviewRequested, SourcesFound
from graph.state import ReviewPacket


@dataclass(frozen=True)
class Reviews:
    """The reviews of answers, while an item is worked on; without a review channel nobody looks at them."""

    work: Work

    async def take_note(self, ending: AnswerEvent | None) -> None:
        """Store what a run leaves for a person to look at: a draft that waits for them, or an answer they may see."""
        match ending:
            case ReviewRequested():
                review = await self._store(ending.packet, ending.interrupt_id)
                await store.insert_sequel(self.work.connection, review.step("after"), now=self.work.now)
                structlog.get_logger().info("review_requested", confidence=ending.packet["confidence"])
            case AnswerCompleted(packet=packet) if packet:
                await self._store(packet, "")
            case _:
                pass

    async def put(self, review: Review, presenter: Presenter) -> None:
        """Put an open review before the reviewers, and say so below the answer if that is shown already."""
        try:
            review = review if self.work.item.attempt.is_first else await self._with_card(review)
            if review.status != "open":
                await self._settle(review)
                return
            await self._post(review)
        except PostRefusedError as error:
            structlog.get_logger().warning("review_not_posted", error=str(error))
            await self._expire(review)
            return
        if review.requester:
            await _show(presenter, review, consulted(review.packet))

    async def rule(self, review: Review, presenter: Presenter) -> None:
        """End the turn as it was decided, unless its question has changed, or another answer has replaced it."""
        if review.review_decision is None:
            return
        if not await message_store.messages_of(self.work.connection, review.inbox_id):
            # The answer that was to replace this one has failed, and could not even say so.
            await self.close([review.inbox_id])
            return
        run = self.work.run
        if review.interrupt_id and await run.waits_for(review.interrupt_id):
            events = run.resume_review(review.interrupt_id, review.review_decision)
        else:
            events = run.conclude_review(review.packet, review.review_decision)
        async with aclosing(events):
            async for event in events:
                await _show(presenter, review, event)
        await ask_store.change(self.work.connection, review.id, was=None, concluded_at=self.work.now)
        await self._settle(review, may_be_lost=True)

    async def close(self, items: Sequence[int]) -> None:
        """Close the reviews of some items' answers, and show so."""
        await self._show_closed(await ask_store.supersede_all(self.work.connection, Review, items))

    async def close_earlier(self, item: Item) -> None:
        """Close the reviews of the answer that a changed choice replaces: it shows its own result instead of theirs."""
        if family := await family_store.family_before(self.work.connection, item):
            await self.close(family)

    async def fail(self) -> None:
        """Settle the cards of an item that has failed: what was decided stays so, and is tried again if they wish."""
        content = self.work.item.content
        ended = content if isinstance(content, ReviewContent) and content.has_ended else None
        if ended and (review := await ask_store.by_id(self.work.connection, Review, ended.ask_id)):
            await self._settle(review, may_be_lost=True)
        await self.close_earlier(self.work.item)

    async def give_up(self, item: Item) -> None:
        """End the reviews of an item that is given up: a review that nobody was shown expires, others are closed."""
        match item.content:
            case ReviewContent(ask_id=review_id, has_ended=False):
                if review := await ask_store.by_id(self.work.connection, Review, review_id):
                    await self._expire(review)
            case ReviewContent(answer_of=answer_of):
                await self.close([answer_of])
            case _:
                await self.close_earlier(item)

    async def _store(self, packet: ReviewPacket, interrupt_id: str) -> Review:
        item, connection, now = self.work.item, self.work.connection, self.work.now
        key = packet["key"]
        await self._show_closed(await ask_store.supersede_reviews(connection, thread_id=item.thread_id, key=key))
        due_at = now + self.work.engine.reviews_expire_after
        new = review_of(packet, interrupt_id=interrupt_id, due_at=due_at)
        return await ask_store.insert(connection, Review, item, new, now=now)

    async def _show_closed(self, closed: Sequence[Review]) -> None:
        for review in closed:
            await self._settle(replace(review, status="superseded"))

    async def _post(self, review: Review) -> None:
        if self.work.engine.review_channel is None:
            raise PostRefusedError("Nobody is set to review answers.")
        if not review.card:
            await self._record(review, await self.work.engine.review_channel.post(review))

    async def _with_card(self, review: Review) -> Review:
        """Return the review with its card, also if the run that posted the card died before it recorded where."""
        channel = self.work.engine.review_channel
        lost = await channel.find(review) if channel and not review.card else None
        if lost is None:
            return review
        await self._record(review, lost)
        return replace(review, card=lost)

    async def _record(self, review: Review, card: Placed) -> None:
        # Apart from the run, which may die: what Slack has shown stays known.
        async with self.work.engine.database.transaction(self.work.item.workspace) as apart:
            await ask_store.change(apart, review.id, was=None, card=asdict(card))

    async def _settle(self, review: Review, *, may_be_lost: bool = False) -> None:
        """Show on a card how its review ended, also if the run that posted the card died before it was recorded."""
        if channel := self.work.engine.review_channel:
            try:
                card = review.card or (await channel.find(review) if may_be_lost else None)
                if card:
                    await channel.show_outcome(review, card)
            except SlackError as error:
                structlog.get_logger().warning("review_card_not_updated", error=str(error))

    async def _expire(self, review: Review) -> None:
        if await ask_store.change(self.work.connection, review.id, was="open", status="expired"):
            await store.insert_sequel(self.work.connection, review.expiry("after"), now=self.work.now)


async def _show(presenter: Presenter, review: Review, event: AnswerEvent) -> None:
    # Links to all that was found are safe, as when the answer was written.
    await presenter.show(SourcesFound(sources=tuple(review.packet["sources"])))
    await presenter.show(event)
