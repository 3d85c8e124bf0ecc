"""The inbox in SQL: items, their attempts, and the messages we posted for them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import Any

from psycopg.sql import SQL, Identifier, Placeholder
from psycopg.types.json import Jsonb

from bot.conversation import question
from bot.conversation.address import Address, Placed, Ts
from bot.conversation.inputs import Rating
from bot.conversation.items import Item, Surface, address_from_json
from bot.conversation.message_kinds import Shown
from bot.conversation.turns.retry import ATTEMPTS, Attempt
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


async def change(
    connection: Connection, questions: Sequence[int], transition: Callable[[Item], Item | None]
) -> list[int]:
    """Lock questions, and write what a transition changes of each; return the ids of those that did not refuse it.

    An update that touches no indexed column stays in its page (HOT), so only what has changed is written.
    """
    if not questions:
        return []
    cursor = await connection.execute(
        "SELECT * FROM inbox WHERE id = ANY(%(ids)s) ORDER BY id FOR NO KEY UPDATE", {"ids": list(questions)}
    )
    taken: list[int] = []
    for before in map(Item.from_row, await cursor.fetchall()):
        after = transition(before)
        if after is not None:
            taken.append(before.id)
            await _write(connection, before.id, before.changes_to(after))
    return taken


async def _write(connection: Connection, item_id: int, changes: Mapping[str, Any]) -> None:
    if changes:
        columns = SQL(", ").join(SQL("{} = {}").format(Identifier(name), Placeholder(name)) for name in changes)
        values = {name: Jsonb(value) if isinstance(value, Mapping) else value for name, value in changes.items()}
        await connection.execute(
            SQL("UPDATE inbox SET {changes} WHERE id = %(id)s").format(changes=columns), {**values, "id": item_id}
        )


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


async def by_reference(connection: Connection, reference: str, *, workspace: str) -> Item | None:
    """Return the item with a reference."""
    cursor = await connection.execute(
        "SELECT * FROM inbox WHERE workspace = %(workspace)s AND reference = %(reference)s",
        {"workspace": workspace, "reference": reference},
    )
    row = await cursor.fetchone()
    return Item.from_row(row) if row else None


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
    """Retry a failed, stopped, dropped or pending question with fresh attempts; return whether there was one.

    A stop or drop of it that still waits is taken back, for the later wish counts.
    """
    cursor = await connection.execute(
        "SELECT id, surface FROM inbox WHERE workspace = %(workspace)s AND reference = %(reference)s",
        {"workspace": workspace, "reference": reference},
    )
    row = await cursor.fetchone()
    if row is None:
        return False
    commands = await _lock_commands(connection, row["id"])
    if not await change(connection, [row["id"]], partial(question.retried, has_run=any(commands.values()))):
        return False
    await change(connection, list(commands), partial(question.finished, now=now))
    await wake(connection, row["surface"])
    return True


async def _lock_commands(connection: Connection, target_id: int) -> dict[int, bool]:
    """Lock the stops and drops of a question that wait; return whether each was begun, by its id."""
    cursor = await connection.execute(
        """
        SELECT commands.id, commands.attempts > 0 AS was_begun FROM inbox target JOIN inbox commands USING (thread_id)
        WHERE target.id = %(id)s AND commands.kind IN ('stop', 'drop') AND commands.status = 'waiting'
          AND (commands.content ->> 'target')::bigint = target.id
        FOR NO KEY UPDATE OF commands
        """,
        {"id": target_id},
    )
    return {row["id"]: row["was_begun"] for row in await cursor.fetchall()}


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


async def insert_feedback(connection: Connection, rating: Rating, *, workspace: str, now: datetime) -> bool:
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
            "workspace": workspace, "channel": rating.channel, "ts": rating.message_ts, "person": rating.person,
            "verdict": rating.verdict, "now": now,
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
