"""The inbox in SQL: items, their attempts, and the messages we posted for them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Literal

from psycopg.types.json import Jsonb

from bot.conversation.address import Address, Placed, Ts
from bot.conversation.items import Item, Surface, address_from_json
from bot.conversation.message_kinds import Shown
from bot.conversation.partial_answer import PartialAnswer
from bot.conversation.turns.last_error import LastError
from bot.conversation.turns.retry import ATTEMPTS, MOST_ALLOWED, Attempt
from bot.conversation.turns.sequels import Sequel
from bot.postgres.pool import Connection


async def listen(connection: Connection) -> None:
    """Let a connection hear of what came in, by its surface, and on `askback_changes` of runs to be ended, by item."""
    await connection.execute("LISTEN askback_inbox")
    await connection.execute("LISTEN askback_changes")


async def insert_sequel(connection: Connection, sequel: Sequel, *, now: datetime) -> bool:
    """Store an item about another, once, and wake a worker; return whether it was new. It is due at once."""
    cursor = await connection.execute(
        """
        WITH stored AS (
            INSERT INTO inbox (surface, workspace, thread_id, position, kind, event_key, address, content, due_at,
                               reference, received_at)
            SELECT surface, workspace, thread_id, coalesce(%(position)s::numeric, position + %(offset)s), %(kind)s,
                   %(event_key)s, address || %(address)s, %(content)s, 'epoch', %(reference)s, %(now)s
            FROM inbox WHERE id = %(about)s
            ON CONFLICT DO NOTHING
            RETURNING surface
        )
        SELECT pg_notify('askback_inbox', surface) FROM stored
        """,
        {
            "about": sequel.about,
            "position": sequel.position,
            "offset": sequel.offset,
            "kind": sequel.kind,
            "event_key": sequel.event_key,
            "address": Jsonb({"person": sequel.person} if sequel.person else {}),
            "content": Jsonb(sequel.content),
            "reference": sequel.reference,
            "now": now,
        },
    )
    return cursor.rowcount > 0


async def wake(connection: Connection, surface: Surface) -> None:
    """Wake a worker for what is committed already.

    What is told within a transaction is told as it commits, which PostgreSQL lets one of all transactions do at a time:
    events that come together would wait for the disk one after another.
    """
    await connection.execute("SELECT pg_notify('askback_inbox', %(surface)s)", {"surface": surface})


async def end_runs(connection: Connection, items: Sequence[int]) -> None:
    """End the runs of some items, wherever they run, once the transaction is committed."""
    await connection.execute(
        "SELECT pg_notify('askback_changes', id::text) FROM unnest(%(items)s::bigint[]) AS items (id)",
        {"items": list(items)},
    )


async def attempt_of(connection: Connection, item_id: int) -> Attempt:
    """Return the item's last attempt."""
    cursor = await connection.execute("SELECT attempts, attempts_allowed FROM inbox WHERE id = %(id)s", {"id": item_id})
    row = await cursor.fetchone()
    if row is None:
        raise LookupError("An item whose attempts are wanted is gone.")
    return Attempt(number=row["attempts"], allowed=row["attempts_allowed"])


async def allow_another_attempt(connection: Connection, item_id: int) -> None:
    """Give an attempt back, for which the item was not to blame; a bounded number of them, for it may be after all."""
    await connection.execute(
        """
        UPDATE inbox SET attempts_allowed = attempts_allowed + 1
        WHERE id = %(id)s AND attempts > 0 AND attempts_allowed < %(most)s
        """,
        {"id": item_id, "most": MOST_ALLOWED},
    )


async def renew_attempts(
    connection: Connection, items: Sequence[int], *, taken_back: Sequence[int] = (), keeps_partial: bool = False
) -> None:
    """Give fresh attempts to items that run again, and note that they have run: they take over what they showed.

    The attempts of an item that asked back are forgotten, but it has run. What never ran has nothing to renew, unless
    a command that is `taken_back` ran for it and was killed: then the item takes over what that has shown, too.
    If the item runs with the same words, it keeps its partial answer, so that a stop can still show it.
    """
    await connection.execute(
        """
        UPDATE inbox
        SET attempts = greatest(attempts, 1), attempts_allowed = greatest(attempts, 1) + %(attempts)s,
            runs_again = true, partial = CASE WHEN %(keeps_partial)s THEN partial END
        WHERE id = ANY(%(items)s)
          AND (attempts > 0
               OR EXISTS (SELECT FROM inbox command WHERE command.id = ANY(%(taken_back)s) AND command.attempts > 0)
               OR (status = 'waiting' AND EXISTS (
                   SELECT FROM asks WHERE inbox_id = inbox.id AND asks.kind = 'clarification'
               )))
        """,
        {"items": list(items), "taken_back": list(taken_back), "attempts": ATTEMPTS, "keeps_partial": keeps_partial},
    )


async def finish(connection: Connection, item_id: int, *, asking: bool, now: datetime) -> int | None:
    """End the item, or leave it claimable for its card, with fresh attempts.

    Return how many checkpoints its thread has by now; nothing if somebody has ended the item meanwhile.
    """
    cursor = await connection.execute(
        """
        WITH for_good AS (UPDATE asks SET superseded_by = NULL WHERE superseded_by = %(id)s)
        UPDATE inbox
        SET status = CASE WHEN %(asking)s THEN 'asking' ELSE 'finished' END, finished_at = %(now)s,
            attempts = CASE WHEN %(asking)s THEN 0 ELSE attempts END,
            attempts_allowed = CASE WHEN %(asking)s THEN %(attempts)s ELSE attempts_allowed END,
            runs_again = runs_again AND NOT %(asking)s, partial = NULL,
            last_error = CASE WHEN NOT %(asking)s THEN last_error END
        WHERE id = %(id)s AND status IN ('waiting', 'asking')
        RETURNING (SELECT count(*) FROM checkpoints WHERE checkpoints.thread_id = inbox.thread_id) AS checkpoints
        """,
        {"id": item_id, "asking": asking, "attempts": ATTEMPTS, "now": now},
    )
    row = await cursor.fetchone()
    return row["checkpoints"] if row else None


async def move(connection: Connection, item_id: int, address: Address) -> None:
    """Let an item wait in another thread with fresh attempts, and wake a worker."""
    await connection.execute(
        """
        WITH moved AS (
            UPDATE inbox
            SET address = %(address)s, thread_id = %(thread_id)s, position = %(position)s::numeric,
                attempts = 0, attempts_allowed = %(attempts)s
            WHERE id = %(id)s
            RETURNING surface
        )
        SELECT pg_notify('askback_inbox', surface) FROM moved
        """,
        {
            "id": item_id,
            "address": Jsonb(asdict(address)),
            "thread_id": address.thread_id,
            "position": address.message_ts,
            "attempts": ATTEMPTS,
        },
    )


async def postpone(connection: Connection, item_id: int, *, until: datetime) -> None:
    """Let the item be claimed again, not before a time."""
    await connection.execute("UPDATE inbox SET due_at = %(until)s WHERE id = %(id)s", {"id": item_id, "until": until})


async def fail(connection: Connection, item_id: int, *, now: datetime) -> None:
    """End the item without an answer."""
    await connection.execute(
        "UPDATE inbox SET status = 'failed', finished_at = %(now)s WHERE id = %(id)s", {"id": item_id, "now": now}
    )


async def end(connection: Connection, item_id: int, *, status: Literal["stopped", "dropped"], now: datetime) -> None:
    """End an item as a person wished, in whose place it is said that it was.

    It may never have run, but it has shown something: an attempt says so, and its next run takes that over.
    """
    await connection.execute(
        """
        UPDATE inbox SET status = %(status)s, finished_at = %(now)s, attempts = greatest(attempts, 1)
        WHERE id = %(id)s
        """,
        {"id": item_id, "status": status, "now": now},
    )


async def record_error(connection: Connection, item_id: int, error: LastError, *, now: datetime) -> None:
    """Keep what ended the item's last run, for whoever looks into it."""
    await connection.execute(
        "UPDATE inbox SET last_error = %(error)s WHERE id = %(id)s",
        {"error": Jsonb({**asdict(error), "at": now.isoformat()}), "id": item_id},
    )


async def keep_partial(connection: Connection, item_id: int, partial: PartialAnswer) -> None:
    """Keep what a run had said that is ended from outside; on a connection that outlives the run."""
    await connection.execute(
        "UPDATE inbox SET partial = %(partial)s WHERE id = %(id)s",
        {"partial": Jsonb(partial.to_json()), "id": item_id},
    )


async def thread_of(connection: Connection, reference: str, *, workspace: str) -> str | None:
    """Return the thread of the item with a reference."""
    cursor = await connection.execute(
        "SELECT thread_id FROM inbox WHERE workspace = %(workspace)s AND reference = %(reference)s",
        {"workspace": workspace, "reference": reference},
    )
    row = await cursor.fetchone()
    return row["thread_id"] if row else None


async def belongs(connection: Connection, thread_id: str, *, place: str) -> bool:
    """Tell whether a place, named like a thread, is in a thread: its own, or a message of ours that belongs to it.

    Where Slack refused us the thread, what we say is a message in the asker's direct messages.
    """
    if place == thread_id:
        return True
    cursor = await connection.execute(
        """
        SELECT FROM inbox JOIN messages ON inbox_id = inbox.id
        WHERE thread_id = %(thread_id)s AND concat_ws(':', address ->> 'team', messages.channel, ts) = %(place)s
        LIMIT 1
        """,
        {"thread_id": thread_id, "place": place},
    )
    return await cursor.fetchone() is not None


async def retry(connection: Connection, reference: str, *, workspace: str, now: datetime) -> bool:
    """Let an item run again, with new attempts, that came to nothing or is not done yet; return whether there was one.

    An order about it that waits to come into force is taken back, for the later wish counts.
    """
    orders = await _lock_orders(connection, reference, workspace=workspace)
    cursor = await connection.execute(
        """
        WITH retried AS (
            UPDATE inbox SET status = 'waiting', due_at = 'epoch', finished_at = NULL
            WHERE workspace = %(workspace)s AND reference = %(reference)s
              AND status IN ('waiting', 'asking', 'failed', 'dropped', 'stopped')
            RETURNING id, surface
        ), taken_back AS (
            UPDATE inbox SET status = 'finished', finished_at = %(now)s FROM retried WHERE inbox.id = ANY(%(orders)s)
        )
        SELECT id, pg_notify('askback_inbox', surface) FROM retried
        """,
        {"workspace": workspace, "reference": reference, "orders": orders, "now": now},
    )
    retried = [row["id"] for row in await cursor.fetchall()]
    # Only now: a run that was waited for may have asked back, and so have forgotten its attempts.
    await renew_attempts(connection, retried, taken_back=orders, keeps_partial=True)
    return bool(retried)


async def _lock_orders(connection: Connection, reference: str, *, workspace: str) -> list[int]:
    """Lock the stops and drops of an item that wait; return their ids, without those that were in force by then."""
    cursor = await connection.execute(
        """
        SELECT orders.id FROM inbox item JOIN inbox orders USING (thread_id)
        WHERE item.workspace = %(workspace)s AND item.reference = %(reference)s
          AND orders.kind IN ('stop', 'drop') AND orders.status = 'waiting'
          AND (orders.content ->> 'target')::bigint = item.id
        FOR NO KEY UPDATE OF orders
        """,
        {"workspace": workspace, "reference": reference},
    )
    return [row["id"] for row in await cursor.fetchall()]


async def record_message(
    connection: Connection, item: Item, *, kind: Shown, parts: Sequence[Placed], now: datetime
) -> None:
    """Remember where the parts of a message for the item are now; call it within the item's workspace.

    A message is known as one thing: what shows an answer now is no failure any more, nor another item's answer. Beside
    its card an item has one message, wherever that was.
    """
    await connection.execute(
        """
        WITH placed AS (
            SELECT channel, ts, number - 1 AS part
            FROM unnest(%(channels)s::text[], %(stamps)s::text[]) WITH ORDINALITY AS given (channel, ts, number)
        ), known AS (
            SELECT inbox_id, kind FROM messages JOIN placed USING (channel, ts) WHERE workspace = %(workspace)s
            UNION
            SELECT inbox_id, kind FROM messages
            WHERE inbox_id = %(id)s AND (kind = %(kind)s OR 'card' NOT IN (kind, %(kind)s))
        ), gone AS (
            DELETE FROM messages m USING known
            WHERE (m.inbox_id, m.kind) = (known.inbox_id, known.kind)
              AND NOT (m.inbox_id = %(id)s AND m.kind = %(kind)s AND m.part < %(count)s)
        )
        INSERT INTO messages (workspace, inbox_id, kind, part, channel, ts, posted_at)
        SELECT %(workspace)s, %(id)s, %(kind)s, part, channel, ts, %(now)s FROM placed
        ON CONFLICT (inbox_id, kind, part) DO UPDATE SET channel = excluded.channel, ts = excluded.ts
        """,
        {
            "workspace": item.workspace,
            "id": item.id,
            "kind": kind,
            "count": len(parts),
            "channels": [part.channel for part in parts],
            "stamps": [part.ts for part in parts],
            "now": now,
        },
    )


async def item_by_id(connection: Connection, item_id: int) -> Item:
    """Return an item, whatever became of it."""
    cursor = await connection.execute("SELECT * FROM inbox WHERE id = %(id)s", {"id": item_id})
    row = await cursor.fetchone()
    if row is None:
        raise LookupError("An item that is wanted is gone.")
    return Item.from_row(row)


async def address_of(connection: Connection, item_id: int) -> Address:
    """Return where an item came from."""
    cursor = await connection.execute("SELECT address FROM inbox WHERE id = %(id)s", {"id": item_id})
    row = await cursor.fetchone()
    if row is None:
        raise LookupError("An item whose address is wanted is gone.")
    return address_from_json(row["address"])


async def messages_of(connection: Connection, item_id: int) -> dict[Shown, tuple[Placed, ...]]:
    """Return where the parts of the messages are that we posted for an item, by kind."""
    cursor = await connection.execute(
        "SELECT kind, channel, ts FROM messages WHERE inbox_id = %(id)s ORDER BY kind, part", {"id": item_id}
    )
    return by_kind(await cursor.fetchall())


async def last_messages_of(connection: Connection, items: list[int]) -> dict[Shown, tuple[Placed, ...]]:
    """Return where the last answer and failure of some items are, in parts, which the next one takes over."""
    cursor = await connection.execute(
        """
        SELECT kind, channel, ts FROM (
            SELECT *, max(posted_at) OVER (PARTITION BY kind, inbox_id) AS dated_at
            FROM messages WHERE inbox_id = ANY(%(items)s) AND kind IN ('answer', 'failure')
        ) dated
        ORDER BY kind, dated_at DESC, inbox_id, part
        """,
        {"items": items},
    )
    return by_kind(await cursor.fetchall())


async def keep_own_answer(connection: Connection, item: Item, items: list[int]) -> None:
    """Let the answer of some items be the one item's alone, once it has one."""
    await connection.execute(
        """
        DELETE FROM messages
        WHERE inbox_id = ANY(%(items)s) AND inbox_id <> %(id)s AND kind IN ('answer', 'failure')
          AND EXISTS (SELECT FROM messages own WHERE own.inbox_id = %(id)s AND own.kind = 'answer')
        """,
        {"id": item.id, "items": items},
    )


def by_kind(rows: Iterable[Mapping[str, Any]]) -> dict[Shown, tuple[Placed, ...]]:
    """Return the parts of messages, whose rows come in order, by the kind of the message."""
    found: dict[Shown, tuple[Placed, ...]] = {}
    for row in rows:
        found[row["kind"]] = (*found.get(row["kind"], ()), Placed(channel=row["channel"], ts=row["ts"]))
    return found


async def known_messages(connection: Connection, item: Item) -> frozenset[Ts]:
    """Return the timestamps of all that we posted in the item's channel since its message."""
    cursor = await connection.execute(
        """
        SELECT ts FROM messages
        WHERE workspace = %(workspace)s AND channel = %(channel)s AND ts::numeric > %(since)s::numeric
        """,
        {"workspace": item.workspace, "channel": item.address.channel, "since": item.address.message_ts},
    )
    return frozenset(row["ts"] for row in await cursor.fetchall())


async def joins_a_conversation(connection: Connection, item: Item) -> bool:
    """Tell whether the item calls the bot into a thread which people began without it, and has answered nothing yet."""
    if item.address.thread_ts == item.address.message_ts:
        return False
    cursor = await connection.execute(
        """
        SELECT FROM inbox JOIN messages ON inbox_id = inbox.id AND messages.kind = 'answer'
        WHERE inbox.workspace = %(workspace)s AND inbox.thread_id = %(thread_id)s AND inbox.id <> %(id)s
          AND inbox.status = 'finished' AND (content ->> 'addressed')::boolean
        LIMIT 1
        """,
        {"workspace": item.workspace, "thread_id": item.thread_id, "id": item.id},
    )
    return await cursor.fetchone() is None


async def insert_feedback(
    connection: Connection, *, workspace: str, channel: str, ts: str, person: str, verdict: str, now: datetime
) -> bool:
    """Store a person's verdict on the answer that a message shows; return whether it is another than before."""
    cursor = await connection.execute(
        """
        INSERT INTO feedback (workspace, inbox_id, person, verdict, given_at)
        SELECT workspace, inbox_id, %(person)s, %(verdict)s, %(now)s FROM messages
        WHERE workspace = %(workspace)s AND channel = %(channel)s AND ts = %(ts)s AND kind = 'answer'
        ON CONFLICT (inbox_id, person) DO UPDATE SET verdict = excluded.verdict, given_at = excluded.given_at
        WHERE feedback.verdict <> excluded.verdict
        """,
        {
            "workspace": workspace, "channel": channel, "ts": ts, "person": person, "verdict": verdict, "now": now,
        },
    )  # fmt: skip
    return cursor.rowcount > 0


async def quiet_threads(connection: Connection, *, workspace: str, before: datetime) -> list[str]:
    """Return the threads with checkpoints to spare in which nothing waits and all was finished before a time."""
    cursor = await connection.execute(
        """
        SELECT thread_id FROM checkpoints
        WHERE EXISTS (SELECT FROM inbox i WHERE i.workspace = %(workspace)s AND i.thread_id = checkpoints.thread_id)
          AND NOT EXISTS (
            SELECT FROM inbox i
            WHERE i.workspace = %(workspace)s AND i.thread_id = checkpoints.thread_id
              AND (i.status IN ('waiting', 'asking') OR i.finished_at >= %(before)s)
          )
          AND NOT EXISTS (
            SELECT FROM asks WHERE asks.thread_id = checkpoints.thread_id AND asks.status = 'open'
          )
        GROUP BY thread_id
        HAVING count(*) > 1
        """,
        {"workspace": workspace, "before": before},
    )
    return [row["thread_id"] for row in await cursor.fetchall()]
