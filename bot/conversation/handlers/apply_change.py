"""Applies an edit or a deletion while nothing runs in its thread: to cards, answer and memory."""

from typing import Any

import structlog

from bot.conversation import message_store, store, transitions
from bot.conversation.address import Placed
from bot.conversation.asks import ask_store, family_store
from bot.conversation.asks.card import said_of_call
from bot.conversation.asks.clarifications import Clarification
from bot.conversation.contents import ChangeContent, NoticeContent
from bot.conversation.handlers.reviews import Reviews
from bot.conversation.items import Item
from bot.conversation.message_kinds import CardOutcome, Shown
from bot.conversation.ports import Presenter
from bot.conversation.traces import trace_store
from bot.conversation.work import Work
from bot.conversation.workers import burst_store
from bot.errors import OutcomeUnknownError, SlackBusyError, SlackError
from graph.turn import Turn


class ChangeHandler:
    """Applies one change. Applying it twice, as after a crash, changes nothing more.

    After the last attempt, the change is applied even if Slack refuses to delete a message.
    """

    def __init__(self, work: Work, presenter: Presenter, change: ChangeContent) -> None:
        self._work, self._presenter, self._change = work, presenter, change
        self._connection, self._cards = work.connection, work.cards(presenter)

    async def apply(self) -> None:
        """Run the changed message again or remove it, unless a newer change exists or the text is the same."""
        change, target = self._change, await store.item_by_id(self._connection, self._change.target)
        if not transitions.matters(change, target):
            if change.turn and transitions.is_newest(change, target):
                # Return to the stored words: an older edit that arrives late must not count.
                await self._reword(change.turn, target)
            elif target.status == "removed":
                # The message was deleted before it arrived, but the bot may have read it as context.
                await self._forget(target.id)
        elif target.joined_to is not None:
            await self._change_part(target, target.joined_to)
        elif change.turn:
            await self._redo(change.turn, target)
        else:
            await self._remove(target)

    async def _change_part(self, part: Item, whole_id: int) -> None:
        edited = self._change.turn
        await (self._reword(edited, part) if edited else self._end(part))
        await self._forget(part.id)
        family = await self._close(whole_id)
        if not edited:
            await family_store.forget_words(self._connection, [part.id, *family])
        whole = await store.item_by_id(self._connection, whole_id)
        if edited or whole.status not in ("stopped", "dropped"):
            await self._run_again(whole_id)

    async def _run_again(self, item_id: int) -> None:
        await store.change(self._connection, [item_id], transitions.run_again, now=self._work.now)

    async def _reword(self, turn: Turn, target: Item) -> None:
        changed_at = self._change.changed_at
        await store.change(self._connection, [target.id], transitions.reworded, turn=turn, changed_at=changed_at)

    async def _end(self, target: Item) -> None:
        changed_at = self._change.changed_at
        await store.change(
            self._connection, [target.id], transitions.removed, changed_at=changed_at, now=self._work.now
        )

    async def _redo(self, turn: Turn, target: Item) -> None:
        answered = await ask_store.answered_by_words(self._connection, target.id)
        if answered is not None and answered.revision:
            # Somebody has chosen otherwise since, so these words decide nothing any more.
            return
        await self._close(target.id)
        if answered is not None:
            await self._take_back(answered, by=target.id)
        await store.change(
            self._connection,
            [target.id],
            transitions.redone,
            turn=turn,
            changed_at=self._change.changed_at,
            now=self._work.now,
        )

    async def _close(self, target_id: int) -> list[int]:
        """End the results of the old text, so that the item's next run starts from its place in the thread.

        Return the item's family.
        """
        questions, family = await self._closed(target_id)
        for asked in questions:
            if asked.status == "open":
                await self._cards.show_outcome(asked, CardOutcome(how="edited"))
            else:
                # The choice was an interpretation of the old text.
                await self._remove_messages([asked.inbox_id], "card")
        await self._remove_messages(family, "reminder")
        await message_store.adopt_answer(self._connection, family, by=target_id)
        await store.change(self._connection, family[1:], transitions.withdrawn, now=self._work.now)
        await self._forget(target_id)
        return family

    async def _take_back(self, answered: Clarification, *, by: int) -> None:
        """Reopen a question that the old text had answered. A question that was asked later is asked after it."""
        since = await ask_store.lock_waiting(self._connection, answered.thread_id)
        if since is not None:
            await self._cards.close(since)
            await self._run_again(since.inbox_id)
        await self._forget(answered.inbox_id)
        undecided: dict[str, Any] = dict.fromkeys(("decision", "decided_by", "decided_at", "decided_in"))
        await ask_store.change(self._connection, answered.id, was=None, status="open", **undecided)
        await ask_store.show_again(self._connection, beside=by, now=self._work.now)

    async def _remove(self, target: Item) -> None:
        if await ask_store.answered_by_words(self._connection, target.id):
            return
        _, family = await self._closed(target.id)
        # Find also the messages that a dead run of the thread did not record.
        await self._work.posted(target)
        await self._remove_messages(family, "answer", "card", "failure", "reminder")
        await store.change(self._connection, family[1:], transitions.withdrawn, now=self._work.now)
        await self._end(target)
        await burst_store.release(self._connection, target.id)
        await self._forget(target.id, with_echoes=True)
        await family_store.forget_words(self._connection, family)

    async def _forget(self, item_id: int, *, with_echoes: bool = False) -> None:
        await trace_store.forget_from(self._connection, item_id)
        item = await store.item_by_id(self._connection, item_id)
        await self._work.run.forget(item.address.message_ts, with_echoes=with_echoes)

    async def _closed(self, target_id: int) -> tuple[list[Clarification], list[int]]:
        known = await family_store.family_of(self._connection, target_id)
        questions = await ask_store.supersede_all(self._connection, Clarification, known)
        # From here on, no click can join the family.
        family = await family_store.family_of(self._connection, target_id)
        await Reviews(self._work).close(family)
        await self._tell_of_calls(questions)
        await ask_store.show_again(self._connection, beside=target_id, now=self._work.now)
        return questions, family

    async def _tell_of_calls(self, questions: list[Clarification]) -> None:
        """Tell the person who approved a call its outcome, because the answer that says so is removed."""
        for asked in questions:
            if said := await said_of_call(self._connection, asked):
                notice = NoticeContent(text=said)
                told = asked.sequel(notice, "after", event_key=f"called:{asked.id}", person=asked.asker)
                await store.insert_sequel(self._connection, told, now=self._work.now)

    async def _remove_messages(self, items: list[int], *kinds: Shown) -> None:
        posted = await message_store.messages_of(self._connection, *items)
        for placed in dict.fromkeys(part for kind in kinds for part in posted.get(kind, ())):
            if await self._delete(placed):
                await message_store.drop_message(self._connection, placed)

    async def _delete(self, placed: Placed) -> bool:
        """Delete a message. If Slack refuses, keep its record, or a later run would take it for an unrecorded one."""
        try:
            await self._presenter.remove(placed)
        except SlackError as error:
            # Slack may come back, so wait as long as for a failure message.
            is_away, attempt = isinstance(error, (OutcomeUnknownError, SlackBusyError)), self._work.item.attempt
            if not (attempt.is_very_last if is_away else attempt.is_last):
                raise
            structlog.get_logger().warning("message_not_removed", reason=str(error))
            return False
        return True
