"""Changes of a choice in SQL; call everything here within the workspace."""

from dataclasses import asdict
from datetime import datetime

from psycopg.types.json import Jsonb

from bot.conversation import store
from bot.conversation.address import Placed
from bot.conversation.asks.clarifications import Clarification
from bot.conversation.commands import change_store
from bot.conversation.items import Item
from bot.conversation.message_kinds import Shown
from bot.postgres.pool import Connection
from graph.turn import Choice


async def lock_settled(connection: Connection, token: str) -> Clarification | None:
    """Return the question whose choice a click changes, locked; raise `LockNotAvailable` after a second.

    It is held while another change is stored, or an edit comes into force: a click waits to see what became of that.
    """
    await connection.execute("SET LOCAL lock_timeout = '1s'")
    cursor = await connection.execute(
        "SELECT * FROM clarifications WHERE token = %(token)s FOR UPDATE", {"token": token}
    )
    row = await cursor.fetchone()
    return Clarification.from_row(row) if row else None


async def mark_revised(
    connection: Connection, asked: Clarification, choice: Choice, *, person: str, now: datetime
) -> None:
    """Let another choice count; what came to nothing for an earlier one is not tried again."""
    await connection.execute(
        """
        WITH dropped AS (
            UPDATE inbox SET status = 'finished', finished_at = %(now)s
            WHERE thread_id = %(thread_id)s AND status IN ('failed', 'dropped', 'stopped')
              AND ((content ->> 'clarification_id')::bigint = %(id)s
                   OR id = (SELECT answered_in FROM clarifications WHERE id = %(id)s))
        )
        UPDATE clarifications
        SET status = 'answered', choice = %(choice)s, answered_by = %(person)s, answered_at = %(now)s,
            revision = revision + 1
        WHERE id = %(id)s
        """,
        {
            "id": asked.id,
            "thread_id": asked.thread_id,
            "choice": Jsonb(asdict(choice)),
            "person": person,
            "now": now,
        },
    )


async def shown_so_far(connection: Connection, family: list[int]) -> dict[Shown, tuple[Placed, ...]]:
    """Return where the family's last answer and failure are, in parts, which the next one takes over; others follow."""
    cursor = await connection.execute(
        """
        SELECT kind, channel, ts FROM (
            SELECT *, max(posted_at) OVER (PARTITION BY kind, inbox_id) AS dated_at
            FROM messages WHERE inbox_id = ANY(%(family)s) AND kind IN ('answer', 'failure')
        ) dated
        ORDER BY kind, dated_at DESC, inbox_id, part
        """,
        {"family": family},
    )
    return store.by_kind(await cursor.fetchall())


async def giving_way(connection: Connection, thread_id: str) -> list[int]:
    """Return the ids of the items in a thread whose answers are about to give way to a choice that was changed."""
    cursor = await connection.execute(
        """
        SELECT asked.inbox_id
        FROM inbox JOIN clarifications asked ON asked.id = (content ->> 'clarification_id')::bigint
        WHERE inbox.thread_id = %(thread_id)s AND kind = 'revision' AND inbox.status = 'waiting'
        """,
        {"thread_id": thread_id},
    )
    return await change_store.family_of(connection, *[row["inbox_id"] for row in await cursor.fetchall()])


async def take_over(connection: Connection, item: Item, family: list[int]) -> None:
    """Let the family's answer be the item's alone, once it has one."""
    await connection.execute(
        """
        DELETE FROM messages
        WHERE inbox_id = ANY(%(family)s) AND inbox_id <> %(id)s AND kind IN ('answer', 'failure')
          AND EXISTS (SELECT FROM messages own WHERE own.inbox_id = %(id)s AND own.kind = 'answer')
        """,
        {"id": item.id, "family": family},
    )
