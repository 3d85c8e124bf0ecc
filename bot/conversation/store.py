"""Items in SQL: stores what the pure transitions return, finds and deletes items, and notifies processes of them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Concatenate, LiteralString, ParamSpec

from psycopg.sql import SQL, Composed, Identifier, Placeholder
from psycopg.types.json import Jsonb

from bot.conversation import transitions
from bot.conversation.contents import compact
from bot.conversation.items import OFFSETS, Item, Sequel, Surface, new_reference
from bot.postgres import fetch
from bot.postgres.pool import Connection

P = ParamSpec("P")


async def insert_sequel(connection: Connection, sequel: Sequel, *, now: datetime) -> bool:
    """Store an item about another, once, and wake a worker; return whether it was new. It is due at once."""
    query = """
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
    """
    return await fetch.found(
        connection,
        query,
        about=sequel.about,
        position=None if sequel.position in OFFSETS else sequel.position,
        offset=OFFSETS.get(sequel.position),
        kind=sequel.content.kind,
        event_key=sequel.event_key,
        address=Jsonb({"person": sequel.person} if sequel.person else {}),
        content=Jsonb(sequel.content.to_json()),
        reference=new_reference(),
        now=now,
    )


async def change(
    connection: Connection,
    ids: Sequence[int],
    transition: Callable[Concatenate[Item, P], Item | None],
    *given: P.args,
    **named: P.kwargs,
) -> list[int]:
    """Lock items, and write what a transition changes of each; return the ids of those that did not refuse it.

    An update that touches no indexed column stays in its page (HOT), so only what has changed is written.
    """
    if not ids:
        return []
    taken: list[int] = []
    locked = "SELECT * FROM inbox WHERE id = ANY(%(ids)s) ORDER BY id FOR NO KEY UPDATE"
    for before in await items(connection, locked, ids=list(ids)):
        after = transition(before, *given, **named)
        if after is not None:
            taken.append(before.id)
            await _write(connection, before.id, before.changes_to(after))
    return taken


async def _write(connection: Connection, item_id: int, changes: dict[str, Any]) -> None:
    if "content" in changes:
        changes["content"] = changes["content"].to_json()
    if "address" in changes:
        changes["address"] = compact(changes["address"])
    if changes:
        columns, values = assignments(changes)
        await connection.execute(
            SQL("UPDATE inbox SET {changes} WHERE id = %(id)s").format(changes=columns), {**values, "id": item_id}
        )


def assignments(columns: Mapping[str, Any]) -> tuple[Composed, dict[str, Any]]:
    """Return what an update sets, and its parameters."""
    names = SQL(", ").join(SQL("{} = {}").format(Identifier(name), Placeholder(name)) for name in columns)
    return names, {name: Jsonb(value) if isinstance(value, Mapping) else value for name, value in columns.items()}


async def delete(connection: Connection, items: Collection[int]) -> None:
    """Delete items with all that hangs on them."""
    await connection.execute("DELETE FROM inbox WHERE id = ANY (%(items)s)", {"items": list(items)})


async def by_reference(connection: Connection, reference: str) -> Item | None:
    """Return the item with a reference."""
    found = await items(connection, "SELECT * FROM inbox WHERE reference = %(reference)s", reference=reference)
    return found[0] if found else None


async def known_message(connection: Connection, message_key: str) -> list[int]:
    """Return the id of the item that a message was stored as; none if it is not stored."""
    return await fetch.values(connection, "SELECT id FROM inbox WHERE message_key = %(key)s", key=message_key)


async def retry(connection: Connection, item_id: int, *, now: datetime) -> bool:
    """Retry a failed, stopped, dropped or pending question with fresh attempts; return whether it is one.

    A stop or drop of it that still waits is taken back, because the later wish counts.
    """
    commands = await items(
        connection,
        """
        SELECT * FROM inbox
        WHERE kind IN ('stop', 'drop') AND status = 'waiting' AND (content ->> 'target')::bigint = %(id)s
          AND thread_id = (SELECT thread_id FROM inbox WHERE id = %(id)s)
        FOR NO KEY UPDATE
        """,
        id=item_id,
    )
    if not await change(connection, [item_id], transitions.retried, has_run=any(each.attempts for each in commands)):
        return False
    await change(connection, [each.id for each in commands], transitions.finished, now=now)
    await wake_for(connection, item_id)
    return True


async def wake(connection: Connection, surface: Surface) -> None:
    """Wake a worker for what is committed already.

    PostgreSQL commits one transaction with a notification at a time, so events that come together would wait.
    """
    await connection.execute("SELECT pg_notify('askback_inbox', %(surface)s)", {"surface": surface})


async def wake_for(connection: Connection, item_id: int) -> None:
    """Wake a worker for an item once the transaction is committed."""
    await connection.execute("SELECT pg_notify('askback_inbox', surface) FROM inbox WHERE id = %(id)s", {"id": item_id})


async def end_runs(connection: Connection, items: Sequence[int]) -> None:
    """End the runs of some items, wherever they run, once the transaction is committed."""
    query = "SELECT pg_notify('askback_changes', id::text) FROM unnest(%(items)s::bigint[]) AS items (id)"
    await connection.execute(query, {"items": list(items)})


async def item_by_id(connection: Connection, item_id: int) -> Item:
    """Return an item of any status. Raises `LookupError` if it is gone."""
    found = await items(connection, "SELECT * FROM inbox WHERE id = %(id)s", id=item_id)
    if not found:
        raise LookupError("An item that is wanted is gone.")
    return found[0]


async def items(connection: Connection, query: LiteralString, **given: object) -> list[Item]:
    """Return the items that a query selects."""
    return await fetch.rows(connection, Item.from_row, query, **given)
