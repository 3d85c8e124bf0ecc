"""Commands in SQL: edits, deletions, stops and drops; call everything here within the workspace.

A command is an item just before the turn that its message belongs to: it is applied before that turn runs again, and
nothing later in the thread begins before it.
"""

from dataclasses import replace
from datetime import datetime

from bot.conversation import store
from bot.conversation.asks.family_store import asked_by, family_of
from bot.conversation.contents import ChangeContent, CommandContent
from bot.conversation.inputs import Stop
from bot.conversation.items import Item, Sequel
from bot.conversation.workers import burst_store
from bot.postgres import fetch
from bot.postgres.pool import Connection


async def insert(connection: Connection, command: CommandContent, *, event_key: str, now: datetime) -> None:
    """Store a command once, wake a worker, and end the runs that answer its target.

    A message may be part of a turn by now. A change is about the message alone, a stop or a drop about the whole turn.
    """
    whole_id = await burst_store.hold_whole(connection, command.target)
    is_change = isinstance(command, ChangeContent)
    content = command if is_change else replace(command, target=whole_id)
    sequel = Sequel(about=whole_id, position="before", event_key=event_key, content=content)
    if await store.insert_sequel(connection, sequel, now=now):
        await store.end_runs(connection, await family_of(connection, whole_id) if is_change else [whole_id])


async def meant_by(connection: Connection, stop: Stop) -> Item | None:
    """Return the item that a stop ends: the first unfinished one of those that it names, or of the thread.

    A stop does not mean what was written or clicked after it.
    """
    named = await _named(connection, stop)
    family = await family_of(connection, *named, *await asked_by(connection, named))
    found = await store.items(
        connection,
        """
        SELECT * FROM inbox
        WHERE kind IN ('turn', 'reply', 'revision') AND position < %(stopped_at)s
          AND (id = ANY(%(named)s) OR thread_id = %(thread_id)s AND cardinality(%(named)s::bigint[]) = 0)
          AND (status IN ('waiting', 'asking')
               OR EXISTS (
                 SELECT FROM asks WHERE inbox_id = inbox.id AND asks.kind = 'clarification' AND asks.status = 'open'
               ))
        ORDER BY position, id
        LIMIT 1
        """,
        named=family,
        thread_id=stop.thread_id,
        stopped_at=stop.stopped_at,
    )
    return found[0] if found else None


async def _named(connection: Connection, stop: Stop) -> list[int]:
    """Return the ids of the items of the messages that a stop names, people's or ours."""
    return await fetch.values(
        connection,
        """
        SELECT coalesce(joined_to, id) AS id FROM inbox WHERE message_key = ANY(%(message_keys)s)
        UNION
        SELECT inbox_id FROM messages WHERE channel = %(channel)s AND ts = ANY(%(messages)s)
        """,
        channel=stop.channel,
        messages=list(stop.messages),
        message_keys=[f"{stop.channel}:{ts}" for ts in stop.messages],
    )
