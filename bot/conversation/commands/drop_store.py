"""Drops in SQL; call everything here within the workspace."""

from datetime import datetime

from bot.conversation import store
from bot.conversation.items import Item
from bot.conversation.turns import burst_store
from bot.conversation.turns.sequels import Sequel, new_reference
from bot.postgres.pool import Connection


async def insert_drop(connection: Connection, target_id: int, *, why: str, now: datetime) -> None:
    """Put the order to drop an item, with the turn that it is part of by now, just before it, and end a run of it."""
    reference = new_reference()
    whole_id = await burst_store.hold_whole(connection, target_id)
    sequel = Sequel(
        kind="drop",
        about=whole_id,
        place="before",
        event_key=f"drop:{reference}",
        content={"target": whole_id, "why": why},
        reference=reference,
    )
    await store.insert_sequel(connection, sequel, now=now)
    await store.end_runs(connection, [whole_id])


async def droppable(connection: Connection, order: Item) -> Item | None:
    """Return the item that an order is about, where anything may still come of it."""
    cursor = await connection.execute(
        """
        SELECT * FROM inbox
        WHERE id = %(id)s AND (status IN ('waiting', 'asking', 'failed') OR EXISTS (
            SELECT FROM asks WHERE inbox_id = inbox.id AND asks.kind = 'clarification' AND asks.status = 'open'
        ))
        """,
        {"id": order.content["target"]},
    )
    row = await cursor.fetchone()
    return Item.from_row(row) if row else None
