"""What an administrator's order to drop an item does, while nothing runs in its thread."""

from datetime import datetime
from typing import Final

import structlog

from bot.carding import supersede
from bot.database import Connection
from bot.errors import SlackError
from bot.inbox import clarification_store, entry_store, store
from bot.inbox.items import Item
from bot.posting import Posting

DROPPED: Final = "An administrator has dropped this question."


async def drop(order: Item, connection: Connection, posting: Posting, *, is_last: bool, now: datetime) -> None:
    """End the item that an order is about, close its open question, and tell the person; done twice, it is the same.

    Dropped it is, even where Slack does not let us say so: the thread must go on. Raises `SlackError` where what was
    shown of it cannot be found, unless this is the last attempt.
    """
    target = await entry_store.droppable(connection, order)
    if target is None:
        return
    await store.end(connection, target.id, status="dropped", now=now)
    if not target.is_a_question:
        return
    posted = await posting.posted(target, connection, may_miss=is_last)
    async with posting.presenter(target, posted) as shown:
        asked = await clarification_store.clarification_asked_by(connection, target.id)
        if asked and asked.status == "open":
            await supersede(connection, shown, asked)
        await clarification_store.show_again(connection, beside=target.id, now=now)
        try:
            await shown.dismiss(f"{DROPPED} {order.content['why']}".rstrip())
        except SlackError as error:
            structlog.get_logger().warning("drop_not_told", reason=str(error))
