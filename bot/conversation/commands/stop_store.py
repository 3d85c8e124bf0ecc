"""Stops in SQL; call everything here within the workspace.

A stop is an item of its own, like a change: placed just before what it ends, so that this cannot begin, or begin again,
before the stop has come into force.
"""

from datetime import datetime

from bot.conversation import store
from bot.conversation.address import PersonId
from bot.conversation.asks.ask_store import lock_waiting
from bot.conversation.commands.change_store import asked_by, asked_later, family_of
from bot.conversation.commands.stops import Stopped
from bot.conversation.inputs import Stop
from bot.conversation.items import Item
from bot.conversation.turns import burst_store
from bot.conversation.turns.sequels import Sequel
from bot.postgres.pool import Connection


async def meant_by(connection: Connection, stop: Stop, *, workspace: str) -> Item | None:
    """Return the item that a stop is to end: the first of those it names, or of the thread, that is not done.

    What was written or clicked after the stop is not meant by it.
    """
    named = await _named(connection, stop, workspace=workspace)
    family = await family_of(connection, *named, *await asked_by(connection, named))
    cursor = await connection.execute(
        """
        SELECT * FROM inbox
        WHERE workspace = %(workspace)s AND kind IN ('turn', 'reply', 'revision') AND position < %(stopped_at)s
          AND (id = ANY(%(named)s) OR thread_id = %(thread_id)s AND cardinality(%(named)s::bigint[]) = 0)
          AND (status IN ('waiting', 'asking')
               OR EXISTS (
                 SELECT FROM asks WHERE inbox_id = inbox.id AND asks.kind = 'clarification' AND asks.status = 'open'
               ))
        ORDER BY position, id
        LIMIT 1
        """,
        {"workspace": workspace, "named": family, "thread_id": stop.thread_id, "stopped_at": stop.stopped_at},
    )
    row = await cursor.fetchone()
    return Item.from_row(row) if row else None


async def insert_stop(
    connection: Connection, target_id: int, *, by: PersonId | None, event_key: str, now: datetime
) -> None:
    """Store, once, that an item is to end, wake a worker, and end the item's run."""
    sequel = Sequel(
        kind="stop",
        about=target_id,
        place="before",
        event_key=event_key,
        content={"target": target_id, "by": by},
    )
    if await store.insert_sequel(connection, sequel, now=now):
        await store.end_runs(connection, [target_id])


async def what_is_stopped(connection: Connection, stop: Item) -> Stopped:
    """Return what a stop is about, a turn with all that is part of it."""
    item = await store.item_by_id(connection, stop.content["target"])
    asked = await lock_waiting(connection, item.thread_id)
    return Stopped(
        item=await burst_store.whole_turn(connection, item.id) if item.kind == "turn" else item,
        asked=asked,
        is_asked_later=asked is not None and await asked_later(connection, asked.inbox_id, item.id),
    )


async def _named(connection: Connection, stop: Stop, *, workspace: str) -> list[int]:
    """Return the ids of the items that the messages belong to which a stop names, theirs or ours."""
    cursor = await connection.execute(
        """
        SELECT coalesce(joined_to, id) AS id FROM inbox
        WHERE workspace = %(workspace)s AND message_key = ANY(%(message_keys)s)
        UNION
        SELECT inbox_id FROM messages
        WHERE workspace = %(workspace)s AND channel = %(channel)s AND ts = ANY(%(messages)s)
        """,
        {
            "workspace": workspace,
            "message_keys": [f"{stop.channel}:{ts}" for ts in stop.messages],
            "channel": stop.channel,
            "messages": list(stop.messages),
        },
    )
    return [row["id"] for row in await cursor.fetchall()]
