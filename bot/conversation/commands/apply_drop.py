"""Applies an administrator's drop of a question while nothing runs in its thread."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final

from bot.conversation import question, store
from bot.conversation.asks import ask_store, call_store
from bot.conversation.asks.card import show_choice, supersede
from bot.conversation.asks.clarifications import Clarification
from bot.conversation.commands import drop_store
from bot.conversation.items import Item
from bot.conversation.policy import Policy
from bot.conversation.posting import Posting, tolerating
from bot.postgres.pool import Connection
from graph.run import Run

DROPPED: Final = "An administrator has dropped this question."


@dataclass(frozen=True, kw_only=True)
class Dropping:
    """Applies one drop. Applying it twice, as after a crash, changes nothing more.

    Raises `SlackError` if a message of the question cannot be found, or the person cannot be told. After the last
    attempt the question is dropped anyway, because the thread must go on.
    """

    connection: Connection
    posting: Posting
    run: Run
    end_reviews: Callable[[Item], Awaitable[None]]
    rules: Policy
    is_last: bool
    now: datetime

    async def apply(self, command: Item) -> None:
        """End the dropped question, close its open ask, and tell the person.

        Partial answers and answers to an earlier choice are deleted from the thread's memory.
        """
        target = await drop_store.droppable(self.connection, command)
        if target is None:
            return
        await store.change(self.connection, [target.id], partial(question.ended, status="dropped", now=self.now))
        await self.end_reviews(target)
        if not target.is_a_question:
            return
        if target.kind == "reply":
            await call_store.withdraw(self.connection, target.ask_id)
        if await self.run.remembers(target.address.message_ts):
            await self.run.forget(target.address.message_ts)
        posted = await self.posting.posted(target, self.connection, may_miss=self.is_last)
        async with self.posting.presenter(target, posted) as shown:
            await show_choice(target, self.connection, shown, self.rules)
            asked = await ask_store.last_of(self.connection, Clarification, target.id)
            if asked and asked.status == "open":
                await supersede(self.connection, shown, asked)
            await ask_store.show_again(self.connection, beside=target.id, now=self.now)
            with tolerating(may_miss=self.is_last, failure="drop_not_shown"):
                await shown.dismiss(f"{DROPPED} {command.content['why']}".rstrip())
