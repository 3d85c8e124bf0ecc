"""PostgreSQL's notifications: they wake workers of any process, and end runs."""

from collections.abc import Sequence

from bot.conversation.items import Surface
from bot.postgres.pool import Connection


async def listen(connection: Connection) -> None:
    """Let a connection hear of what came in, by its surface, and on `askback_changes` of runs to be ended, by item."""
    await connection.execute("LISTEN askback_inbox")
    await connection.execute("LISTEN askback_changes")


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
    await connection.execute(
        "SELECT pg_notify('askback_changes', id::text) FROM unnest(%(items)s::bigint[]) AS items (id)",
        {"items": list(items)},
    )
