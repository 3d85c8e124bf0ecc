"""Who is in which channels, as Slack said it, in SQL; call everything here within the workspace."""

from collections.abc import Collection
from datetime import datetime, timedelta

from bot.conversation.address import PersonId
from bot.postgres.pool import Connection


async def known_channels(connection: Connection, person: PersonId, *, within: timedelta) -> frozenset[str] | None:
    """Return the channels of a person if Slack was asked lately, and has not told of a change since."""
    cursor = await connection.execute(
        """
        SELECT channels FROM memberships
        WHERE person = %(person)s AND asked_at > changed_at AND asked_at > clock_timestamp() - %(within)s
        """,
        {"person": person, "within": within},
    )
    row = await cursor.fetchone()
    return frozenset(row["channels"]) if row else None


async def now(connection: Connection) -> datetime:
    """Return the database's time, which all processes share."""
    cursor = await connection.execute("SELECT clock_timestamp() AS now")
    row = await cursor.fetchone()
    assert row is not None
    return row["now"]


async def keep_channels(
    connection: Connection, person: PersonId, channels: Collection[str], *, asked_at: datetime
) -> bool:
    """Keep what Slack said; return whether it holds: it does not if something changed while Slack was asked."""
    cursor = await connection.execute(
        """
        INSERT INTO memberships (person, channels, asked_at) VALUES (%(person)s, %(channels)s, %(asked_at)s)
        ON CONFLICT (workspace, person) DO UPDATE SET channels = excluded.channels, asked_at = excluded.asked_at
        WHERE memberships.changed_at < excluded.asked_at
        """,
        {"person": person, "channels": sorted(channels), "asked_at": asked_at},
    )
    return cursor.rowcount > 0


async def forget_channels(connection: Connection, person: PersonId) -> None:
    """Note that a person's channels have changed: Slack is asked before they count again."""
    await connection.execute(
        """
        INSERT INTO memberships (person, changed_at) VALUES (%(person)s, clock_timestamp())
        ON CONFLICT (workspace, person) DO UPDATE SET channels = '{}', changed_at = excluded.changed_at
        """,
        {"person": person},
    )


async def forget_all(connection: Connection) -> None:
    """Note that changes may have been missed."""
    await connection.execute("UPDATE memberships SET channels = '{}', changed_at = clock_timestamp()")
