"""What a sweep looks for, in SQL; call what reads clarifications within the workspace."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.conversation.items import Surface
from bot.postgres.pool import Connection


@dataclass(frozen=True, kw_only=True)
class Due:
    """A clarification whose time has come, and the item that asked."""

    clarification_id: int
    inbox_id: int

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Due":
        """Read a row of the queries below."""
        return cls(clarification_id=row["id"], inbox_id=row["inbox_id"])


async def due_reminders(connection: Connection, *, surface: Surface, now: datetime) -> list[Due]:
    """Return the open questions that are due to be reminded of for the first time.

    They are not locked: a click that met a lock would be taken for a second one. The item's unique key is enough.
    """
    cursor = await connection.execute(
        """
        SELECT c.id, c.inbox_id
        FROM clarifications c
        JOIN inbox i ON i.id = c.inbox_id
        JOIN messages card ON card.inbox_id = i.id AND card.kind = 'card'
        WHERE c.status = 'open' AND c.remind_at <= %(now)s AND c.due_at > %(now)s AND i.surface = %(surface)s
          AND NOT EXISTS (
            SELECT FROM inbox sent WHERE sent.workspace = c.workspace AND sent.event_key = 'reminder:' || c.id
          )
          AND NOT EXISTS (
            SELECT FROM inbox busy WHERE busy.thread_id = c.thread_id AND busy.status IN ('waiting', 'asking')
          )
        ORDER BY c.remind_at
        """,
        {"surface": surface, "now": now},
    )
    return [Due.from_row(row) for row in await cursor.fetchall()]


async def expire_next(connection: Connection, *, surface: Surface, now: datetime) -> Due | None:
    """Close the next open question that nobody answered in time.

    One that is being answered is passed over, and so is one in whose thread something waits: it may be the answer.
    """
    cursor = await connection.execute(
        """
        WITH due AS (
            SELECT c.id, c.inbox_id
            FROM clarifications c
            JOIN inbox i ON i.id = c.inbox_id
            WHERE c.status = 'open' AND c.due_at <= %(now)s AND i.surface = %(surface)s
              AND NOT EXISTS (
                SELECT FROM inbox busy WHERE busy.thread_id = c.thread_id AND busy.status IN ('waiting', 'asking')
              )
            ORDER BY c.due_at
            LIMIT 1
            FOR UPDATE OF c SKIP LOCKED
        )
        UPDATE clarifications SET status = 'expired' FROM due WHERE clarifications.id = due.id
        RETURNING due.id, due.inbox_id
        """,
        {"surface": surface, "now": now},
    )
    row = await cursor.fetchone()
    return Due.from_row(row) if row else None


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
            SELECT FROM clarifications c WHERE c.thread_id = checkpoints.thread_id AND c.status = 'open'
          )
        GROUP BY thread_id
        HAVING count(*) > 1
        """,
        {"workspace": workspace, "before": before},
    )
    return [row["thread_id"] for row in await cursor.fetchall()]
