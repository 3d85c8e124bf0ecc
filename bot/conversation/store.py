"""Items in SQL: what comes of others is stored, and all are changed, found and deleted."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Concatenate, ParamSpec

from psycopg.sql import SQL, Composed, Identifier, Placeholder
from psycopg.types.json import Jsonb

from bot.conversation import transitions
from bot.conversation.address import Address
from bot.conversation.items import OFFSETS, Item, Sequel
from bot.conversation.workers.retry import ATTEMPTS
from bot.postgres.pool import Connection

P = ParamSpec("P")


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
            "position": None if sequel.place in OFFSETS else sequel.place,
            "offset": OFFSETS.get(sequel.place),
            "kind": sequel.payload.kind,
            "event_key": sequel.event_key,
            "address": Jsonb({"person": sequel.person} if sequel.person else {}),
            "content": Jsonb(sequel.payload.to_json()),
            "reference": sequel.reference,
            "now": now,
        },
    )
    return cursor.rowcount > 0


async def change(
    connection: Connection, items: Sequence[int], transition: Callable[Concatenate[Item, P], Item | None],
    *given: P.args, **named: P.kwargs,
) -> list[int]:  # fmt: skip
    """Lock items, and write what a transition changes of each; return the ids of those that did not refuse it.

    An update that touches no indexed column stays in its page (HOT), so only what has changed is written.
    """
    if not items:
        return []
    cursor = await connection.execute(
        "SELECT * FROM inbox WHERE id = ANY(%(ids)s) ORDER BY id FOR NO KEY UPDATE", {"ids": list(items)}
    )
    taken: list[int] = []
    for before in map(Item.from_row, await cursor.fetchall()):
        after = transition(before, *given, **named)
        if after is not None:
            taken.append(before.id)
            await _write(connection, before.id, before.changes_to(after))
    return taken


async def _write(connection: Connection, item_id: int, changes: dict[str, Any]) -> None:
    if "payload" in changes:
        changes["content"] = changes.pop("payload").to_json()
    if changes:
        columns, values = assignments(changes)
        await connection.execute(
            SQL("UPDATE inbox SET {changes} WHERE id = %(id)s").format(changes=columns), {**values, "id": item_id}
        )


def assignments(columns: Mapping[str, Any]) -> tuple[Composed, dict[str, Any]]:
    """Return what an update sets, and its parameters."""
    names = SQL(", ").join(SQL("{} = {}").format(Identifier(name), Placeholder(name)) for name in columns)
    return names, {name: Jsonb(value) if isinstance(value, Mapping) else value for name, value in columns.items()}


async def forget_run_texts(connection: Connection, *, thread_id: str | None = None) -> int:
    """Forget what runs have said, of a thread or of all; return the number of partial answers."""
    cursor = await connection.execute(
        """
        SELECT id, partial IS NOT NULL AS is_partial FROM inbox
        WHERE thread_id = coalesce(%(thread_id)s::text, thread_id) AND (partial IS NOT NULL OR last_error ? 'reason')
        """,
        {"thread_id": thread_id},
    )
    rows = await cursor.fetchall()
    await change(connection, [row["id"] for row in rows], transitions.without_run_texts)
    return sum(row["is_partial"] for row in rows)


async def delete(connection: Connection, items: Collection[int]) -> None:
    """Delete items with all that hangs on them."""
    await connection.execute("DELETE FROM inbox WHERE id = ANY (%(items)s)", {"items": list(items)})


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


async def retry(connection: Connection, item_id: int, *, now: datetime) -> bool:
    """Retry a failed, stopped, dropped or pending question with fresh attempts; return whether it is one.

    A stop or drop of it that still waits is taken back, because the later wish counts.
    """
    commands = await _lock_commands(connection, item_id)
    if not await change(connection, [item_id], transitions.retried, has_run=any(commands.values())):
        return False
    await change(connection, list(commands), transitions.finished, now=now)
    await connection.execute("SELECT pg_notify('askback_inbox', surface) FROM inbox WHERE id = %(id)s", {"id": item_id})
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


async def item_by_id(connection: Connection, item_id: int) -> Item:
    """Return an item, whatever became of it. Raises `LookupError` if it is gone."""
    cursor = await connection.execute("SELECT * FROM inbox WHERE id = %(id)s", {"id": item_id})
    row = await cursor.fetchone()
    if row is None:
        raise LookupError("An item that is wanted is gone.")
    return Item.from_row(row)
