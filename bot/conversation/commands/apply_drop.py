"""What an administrator's order to drop an item does, while nothing runs in its thread."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial
from typing import Final

import structlog

from bot.conversation import question, store
from bot.conversation.asks import ask_store
from bot.conversation.asks.card import show_choice, supersede
from bot.conversation.asks.clarifications import Clarification
from bot.conversation.items import Item
from bot.conversation.policy import Policy
from bot.conversation.posting import Posting
from bot.conversation.turns import entry_store
from bot.errors import SlackError
from bot.postgres.pool import Connection
from graph.run import Run

DROPPED: Final = "An administrator has dropped this question."


async def drop(
    order: Item, connection: Connection, posting: Posting, run: Run, *,
    end_reviews: Callable[[Item], Awaitable[None]], rules: Policy, is_last: bool, now: datetime,
) -> None:  # fmt: skip
    """End the item that an order is about, close its open question, and tell the person; done twice, it is the same.

    What was said to it before, to an earlier choice or until it was stopped, gives way to that and is forgotten.

    Raises `SlackError` where what was shown of it cannot be found, or that it was dropped not be said. With the last
    attempt it is dropped all the same: the thread must go on.
    """
    target = await entry_store.droppable(connection, order)
    if target is None:
        return
    await store.change(connection, [target.id], partial(question.ended, status="dropped", now=now))
    await end_reviews(target)
    if not target.is_a_question:
        return
    if await run.remembers(target.address.message_ts):
        await run.forget(target.address.message_ts)
    posted = await posting.posted(target, connection, may_miss=is_last)
    async with posting.presenter(target, posted) as shown:
        await show_choice(target, connection, shown, rules)
        asked = await ask_store.last_of(connection, Clarification, target.id)
        if asked and asked.status == "open":
            await supersede(connection, shown, asked)
        await ask_store.show_again(connection, beside=target.id, now=now)
        try:
            await shown.dismiss(f"{DROPPED} {order.content['why']}".rstrip())
        except SlackError as error:
            if not is_last:
                raise
            structlog.get_logger().warning("drop_not_shown", reason=str(error))
