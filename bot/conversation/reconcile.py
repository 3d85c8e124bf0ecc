"""The reconciler: takes an item, and lets the handler of its kind do what it wants.

Whatever needs no model is handled in the one transaction that ends the claim.
"""

from dataclasses import replace
from typing import Final, assert_never

from bot.conversation import store, transitions
from bot.conversation.asks import ask_store
from bot.conversation.asks.review import Review
from bot.conversation.contents import (
    ChangeContent,
    ChoiceContent,
    CommandContent,
    DropContent,
    NoticeContent,
    ReminderContent,
    ReviewContent,
    StopContent,
    TurnContent,
    UnreadableContent,
)
from bot.conversation.handlers.answering import Answering
from bot.conversation.handlers.apply_change import ChangeHandler
from bot.conversation.handlers.apply_end import apply_drop, apply_stop
from bot.conversation.handlers.reviews import Reviews
from bot.conversation.items import ClaimedItem
from bot.conversation.traces.recorder import recorded
from bot.conversation.work import Engine, Work
from bot.conversation.workers import claim_store

FAILED: Final = "I could not answer this: something went wrong on my side."


class Reconciler:
    """The handler of the inbox's items."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def handle(self, claim: ClaimedItem) -> None:
        """Handle an item, record its run, and end its claim."""
        engine, item = self._engine, claim.item
        async with recorded(item, engine.database, engine.clock, keeps=engine.keeps_runs, spans_of=engine.spans_of):
            await self._handle(claim)

    async def _handle(self, claim: ClaimedItem) -> None:
        item = claim.item
        match item.content:
            case TurnContent() if item.address.is_in_company:
                await self._move(claim)
            case TurnContent() | ChoiceContent() if not item.asking:
                await Answering(claim=claim, engine=self._engine).answer()
            case _:
                async with self._engine.working(claim) as work:
                    await _apply(work)
                    await work.end()

    async def give_up(self, claim: ClaimedItem) -> bool:
        """Tell the person that the item has failed, if somebody waits; return whether the item was done after all.

        A command is applied instead, as far as Slack allows it: giving up would leave a wrong answer in the thread, and
        the thread must go on.
        """
        item = claim.item
        if isinstance(item.content, CommandContent):
            await self._handle(claim)
            return True
        if item.kind == "review":
            async with self._engine.working(claim) as work:
                await Reviews(work).give_up(item)
        if item.is_a_question:
            await self._tell_of_failure(claim)
        return False

    async def _move(self, claim: ClaimedItem) -> None:
        """Move a question from a shared channel to a direct message."""
        item = claim.item
        address = await self._engine.output.meet(item.address, f"{item.reference}-meeting")
        async with self._engine.database.transaction(item.workspace) as connection:
            await store.change(connection, [item.id], transitions.moved, address=address)
            await store.wake_for(connection, item.id)
            await claim_store.release(connection, claim)

    async def _tell_of_failure(self, claim: ClaimedItem) -> None:
        item = claim.item
        async with self._engine.working(claim) as work:
            # Include unrecorded messages, because an earlier failure message may have been interrupted. Tell the person
            # in any case.
            posted = await work.posted(replace(item, status="waiting"))
            await ask_store.show_again(work.connection, beside=item.id, now=work.now)
            await Reviews(work).fail()
            async with self._engine.presenter(item, posted) as presenter:
                cards = work.cards(presenter)
                if item.asking:
                    await cards.close_unseen(item)
                await cards.show_choice(item, is_final=False)
                await presenter.fail(FAILED)


async def _apply(work: Work) -> None:
    """Do what an item wants that needs no model."""
    match work.item.content:
        case StopContent() as stop:
            await apply_stop(work, stop)
        case DropContent() as drop:
            await apply_drop(work, drop)
        case ChangeContent() as change:
            # It posts nothing itself, so there is nothing to take over.
            async with work.engine.presenter(work.item, {}) as presenter:
                await ChangeHandler(work, presenter, change).apply()
        case NoticeContent() as notice:
            async with work.engine.presenter(work.item, {}) as presenter:
                await (presenter.refuse(notice.refused) if notice.refused else presenter.tell(notice.text))
        case ReminderContent(ask_id=ask_id):
            await _remind(work, ask_id)
        case ReviewContent() as step:
            await _go_on_with_review(work, step)
        case TurnContent() | ChoiceContent():
            async with work.presenter() as presenter:
                await work.cards(presenter).post(work.item)
        case UnreadableContent():
            raise LookupError("This version cannot read the item.")
        case _:
            assert_never(work.item.content)


async def _remind(work: Work, ask_id: int) -> None:
    posted = await work.posted(work.item)
    if "reminder" not in posted:
        async with work.engine.presenter(work.item, posted) as presenter:
            await work.cards(presenter).remind(ask_id)


async def _go_on_with_review(work: Work, step: ReviewContent) -> None:
    async with work.presenter() as presenter:
        answered = await store.item_by_id(work.connection, step.answer_of)
        # The reviewed answer keeps the banner below it.
        await work.cards(presenter).set_banner(answered)
        review = await ask_store.by_id(work.connection, Review, step.ask_id)
        if review is None:
            return
        await (Reviews(work).rule(review, presenter) if step.has_ended else Reviews(work).put(review, presenter))
