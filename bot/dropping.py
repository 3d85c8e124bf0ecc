"""What an administrator's order to drop an item does, while nothing runs in its thread."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Final

import structlog

from bot.carding import supersede
from bot.database import Connection
from bot.errors import SlackError
from bot.inbox import clarification_store, entry_store
from bot.inbox.items import Item
from bot.shown import Parts, Shown
from bot.stage import Presenter

DROPPED: Final = "An administrator has dropped this question."


async def drop(
    order: Item, connection: Connection, *,
    posted: Callable[[Item], Awaitable[Mapping[Shown, Parts]]],
    presenter: Callable[[Item, Mapping[Shown, Parts]], AbstractAsyncContextManager[Presenter]],
    now: datetime,
) -> None:  # fmt: skip
    """End the item that an order is about, close its open question, and tell the person; done twice, it is the same.

    Dropped it is, even where Slack does not let us say so: the thread must go on.
    """
    target = await entry_store.droppable(connection, order)
    if target is None:
        return
    await entry_store.mark_dropped(connection, target.id, now=now)
    if not target.is_a_question:
        return
    async with presenter(target, await posted(target)) as shown:
        asked = await clarification_store.clarification_asked_by(connection, target.id)
        if asked and asked.status == "open":
            await supersede(connection, shown, asked)
        try:
            await shown.dismiss(f"{DROPPED} {order.content['why']}".rstrip())
        except SlackError as error:
            structlog.get_logger().warning("drop_not_told", reason=str(error))
