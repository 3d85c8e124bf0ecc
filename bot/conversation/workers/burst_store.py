"""Bursts in SQL; call everything here within the workspace, and all but `hold_whole` while the thread is claimed."""

from dataclasses import replace
from datetime import datetime
from itertools import takewhile
from typing import Final

from bot.conversation import store, transitions
from bot.conversation.contents import TurnContent
from bot.conversation.items import ClaimedItem, Item
from bot.postgres import fetch
from bot.postgres.pool import Connection

LONGEST_BURST: Final = 20


async def gathered(connection: Connection, claim: ClaimedItem, *, now: datetime) -> ClaimedItem:
    """Return a turn's claim with what the same person has written behind it meanwhile: all is answered together."""
    item = claim.item
    if not isinstance(item.content, TurnContent) or item.asking:
        return claim
    newly = item.burst(await behind(connection, item))
    if newly:
        # Waits for a change or a stop of one of them; raises `LockNotAvailable` if that takes longer.
        await connection.execute("SET LOCAL lock_timeout = '2s'")
        query = "SELECT id FROM inbox WHERE id = ANY(%(ids)s) ORDER BY id FOR UPDATE"
        held = await fetch.values(connection, query, ids=[other.id for other in newly])
        # If a change or a stop of one of them came just now, it waits before that message, and ends the burst there.
        still = [other for other in item.burst(await behind(connection, item)) if other.id in held]
        await store.change(connection, [other.id for other in still], transitions.joined, to=item.id, now=now)
    return replace(claim, item=await whole(connection, item))


async def behind(connection: Connection, item: Item) -> list[Item]:
    """Return, in order, the items that wait behind an item that itself had to wait for a run in its thread.

    None while a question is open there, because each message may answer it; none if the item has closed or answered one
    by its own words; and none if it runs again, because its answer stays where it was. The list ends at the first item
    that has begun.
    """
    query = """
        SELECT other.*
        FROM inbox item JOIN inbox other USING (thread_id)
        WHERE item.id = %(id)s AND other.status IN ('waiting', 'asking')
          AND (other.position, other.id) > (item.position, item.id)
          AND EXISTS (
            SELECT FROM inbox run WHERE run.thread_id = item.thread_id AND run.finished_at >= item.received_at
          )
          AND NOT item.runs_again
          AND NOT EXISTS (
            SELECT FROM asks
            WHERE (thread_id = item.thread_id AND kind = 'clarification' AND status = 'open') OR superseded_by = item.id
          )
        ORDER BY other.position, other.id
        LIMIT %(limit)s
    """
    waiting = await store.items(connection, query, id=item.id, limit=LONGEST_BURST)
    return list(takewhile(lambda other: not other.attempts, waiting))


async def hold_whole(connection: Connection, item_id: int) -> int:
    """Return the id of the turn that a message is, or is part of, and keep it from becoming part of one meanwhile.

    This does not wait for a run: a claim leaves the row's key free, and only the key is locked here.
    """
    query = "SELECT coalesce(joined_to, id) AS id FROM inbox WHERE id = %(id)s FOR KEY SHARE"
    found = await fetch.values(connection, query, id=item_id)
    if not found:
        raise LookupError("A message that is to be changed or stopped is gone.")
    return found[0]


async def whole(connection: Connection, turn: Item) -> Item:
    """Return a turn with the messages that are part of it, in order."""
    query = "SELECT * FROM inbox WHERE joined_to = %(id)s AND status = 'finished' ORDER BY position, id"
    return turn.with_parts(await store.items(connection, query, id=turn.id))


async def release(connection: Connection, item_id: int) -> None:
    """Let the messages that were part of a turn run by themselves, because the turn is gone."""
    parts = await fetch.values(connection, "SELECT id FROM inbox WHERE joined_to = %(id)s", id=item_id)
    await store.change(connection, parts, transitions.released)
