"""Applies an edit or a deletion while nothing runs in its thread: to cards, answer and memory."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Protocol

import structlog

from bot.conversation import message_store, question, store
from bot.conversation.address import Placed
from bot.conversation.asks import ask_store
from bot.conversation.asks.clarifications import Clarification
from bot.conversation.commands import change_store
from bot.conversation.items import Item
from bot.conversation.message_kinds import Ending
from bot.conversation.traces import trace_store
from bot.conversation.turns import burst_store
from bot.conversation.turns.retry import Attempt
from bot.errors import OutcomeUnknownError, SlackBusyError, SlackError
from bot.postgres.pool import Connection


class Forget(Protocol):
    """Deletes a message from the thread's memory, by its ts."""

    def __call__(self, key: str, *, with_echoes: bool = False) -> Awaitable[None]:
        """Delete the message; with `with_echoes`, also its words in later stand-alone questions."""
        ...


@dataclass(frozen=True, kw_only=True)
class Changing:
    """Applies one change. Applying it twice, as after a crash, changes nothing more."""

    connection: Connection
    close_card: Callable[[Clarification, Ending], Awaitable[None]]
    """Shows on a card how its question ended."""
    find: Callable[[Item], Awaitable[object]]
    """Records messages that a dead run of the thread did not record."""
    remove: Callable[[Placed], Awaitable[None]]
    """Deletes a message of ours."""
    end_reviews: Callable[[list[int]], Awaitable[None]]
    """Closes the reviews of some items' answers, and updates their cards."""
    forget: Forget
    attempt: Attempt
    """After the last attempt, the change is applied even if Slack refuses to delete a message."""
    now: datetime

    async def bring_into_force(self, change: Item) -> None:
        """Run the changed message again or remove it, unless a newer change exists or the text is the same."""
        target = await store.item_by_id(self.connection, change.content["target"])
        if not change.matters_to(target):
            if change.kind == "edit" and change.is_newest_of(target):
                # Return to the stored words: an older edit that arrives late must not count.
                await self._reword(change, target)
            elif target.is_removed:
                # The message was deleted before it arrived, but the bot may have read it as context.
                await self._forget(target.id)
            return
        if target.joined_to is not None:
            await self._change_part(change, target, target.joined_to)
        elif change.kind == "edit":
            await self._redo(change, target)
        elif await ask_store.answered_by_words(self.connection, target.id) is None:
            await self._remove(change, target)

    async def _change(self, questions: list[int], transition: Callable[[Item], Item | None]) -> None:
        await store.change(self.connection, questions, transition)

    async def _change_part(self, change: Item, part: Item, whole_id: int) -> None:
        if change.kind == "edit":
            await self._reword(change, part)
        else:
            await self._end(change, part)
        await self._forget(part.id)
        family = await self._close(whole_id)
        if change.kind != "edit":
            await change_store.forget_words(self.connection, [part.id, *family])
        whole = await store.item_by_id(self.connection, whole_id)
        if change.kind == "edit" or whole.status not in ("stopped", "dropped"):
            await self._change([whole_id], partial(question.run_again, now=self.now))

    async def _reword(self, change: Item, target: Item) -> None:
        reworded = partial(question.reworded, turn=change.changed_turn, changed_at=change.content["changed_at"])
        await self._change([target.id], reworded)

    async def _end(self, change: Item, target: Item) -> None:
        removed = partial(question.removed, changed_at=change.content["changed_at"], now=self.now)
        await self._change([target.id], removed)

    async def _redo(self, change: Item, target: Item) -> None:
        answered = await ask_store.answered_by_words(self.connection, target.id)
        if answered is not None and answered.revision:
            # Somebody has chosen otherwise since, so these words decide nothing any more.
            return
        await self._close(target.id)
        if answered is not None:
            await self._take_back(answered, by=target.id)
        turn, changed_at = change.changed_turn, change.content["changed_at"]
        await self._change([target.id], partial(question.redone, turn=turn, changed_at=changed_at, now=self.now))

    async def _close(self, target_id: int) -> list[int]:
        """End the results of the old text, so that the item's next run starts from its place in the thread.

        Return the item's family.
        """
        questions, family = await self._closed(target_id)
        for asked in questions:
            if asked.status == "open":
                await self.close_card(asked, "edited")
            else:
                # The choice was an interpretation of the old text.
                await self._remove_messages([asked.inbox_id], "card")
        await self._remove_messages(family, "reminder")
        await message_store.adopt_answer(self.connection, family)
        await self._change(family[1:], partial(question.withdrawn, now=self.now))
        await self._forget(target_id)
        return family

    async def _take_back(self, answered: Clarification, *, by: int) -> None:
        """Reopen a question that the old text had answered. A question that was asked later is asked after it."""
        since = await ask_store.lock_waiting(self.connection, answered.thread_id)
        if since is not None:
            await ask_store.supersede(self.connection, since.id)
            await self.close_card(since, "superseded")
            await self._change([since.inbox_id], partial(question.run_again, now=self.now))
        await self._forget(answered.inbox_id)
        await ask_store.reopen(self.connection, answered, by=by, now=self.now)

    async def _remove(self, change: Item, target: Item) -> None:
        _, family = await self._closed(target.id)
        await self.find(target)
        await self._remove_messages(family, "answer", "card", "failure", "reminder")
        await self._change(family[1:], partial(question.withdrawn, now=self.now))
        await self._end(change, target)
        await burst_store.release(self.connection, target.id)
        await self._forget(target.id, with_echoes=True)
        await change_store.forget_words(self.connection, family)

    async def _forget(self, item_id: int, *, with_echoes: bool = False) -> None:
        await trace_store.forget_from(self.connection, item_id)
        item = await store.item_by_id(self.connection, item_id)
        await self.forget(item.address.message_ts, with_echoes=with_echoes)

    async def _closed(self, target_id: int) -> tuple[list[Clarification], list[int]]:
        known = await change_store.family_of(self.connection, target_id)
        questions = await ask_store.supersede_all(self.connection, Clarification, items=known)
        # From here on, no click can join the family.
        family = await change_store.family_of(self.connection, target_id)
        await self.end_reviews(family)
        await ask_store.show_again(self.connection, beside=target_id, now=self.now)
        return questions, family

    async def _remove_messages(self, items: list[int], *kinds: str) -> None:
        for placed in await message_store.messages_of_items(self.connection, items, list(kinds)):
            if await self._is_removed(placed):
                await message_store.drop_message(self.connection, placed)

    async def _is_removed(self, placed: Placed) -> bool:
        """Delete a message. If Slack refuses, keep its record, or a later run would take it for an unrecorded one."""
        try:
            await self.remove(placed)
        except SlackError as error:
            # Slack may come back, so wait as long as for a failure message.
            is_away = isinstance(error, (OutcomeUnknownError, SlackBusyError))
            if not (self.attempt.is_very_last if is_away else self.attempt.is_last):
                raise
            structlog.get_logger().warning("message_not_removed", reason=str(error))
            return False
        return True
