"""Who is in which channels and user groups, as Slack said it, in SQL; call everything here within the workspace.

A row is of a person, with their channels, of a user group, with its people, or of a channel, with a word if outsiders
are in it: the ids tell them apart.
"""

from collections.abc import Collection
from datetime import datetime, timedelta

from bot.postgres import fetch
from bot.postgres.pool import Connection


async def known(connection: Connection, whose: str, *, within: timedelta) -> frozenset[str] | None:
    """Return the channels of a person, or the people of a group, if Slack said it lately, and of no change since."""
    query = """
        SELECT channels FROM memberships
        WHERE person = %(person)s AND asked_at > changed_at AND asked_at > clock_timestamp() - %(within)s
    """
    channels = await fetch.value(connection, query, person=whose, within=within)
    return None if channels is None else frozenset(channels)


async def now(connection: Connection) -> datetime:
    """Return the database's time, which all processes share."""
    return await fetch.value(connection, "SELECT clock_timestamp()")


async def keep(connection: Connection, whose: str, found: Collection[str], *, asked_at: datetime) -> bool:
    """Keep what Slack said; return whether it holds: it does not if something changed while Slack was asked."""
    query = """
        INSERT INTO memberships (person, channels, asked_at) VALUES (%(person)s, %(channels)s, %(asked_at)s)
        ON CONFLICT (workspace, person) DO UPDATE SET channels = excluded.channels, asked_at = excluded.asked_at
        WHERE memberships.changed_at < excluded.asked_at
    """
    return await fetch.found(connection, query, person=whose, channels=sorted(found), asked_at=asked_at)


async def forget_known(connection: Connection, whose: str) -> None:
    """Note that a person's channels, or a group's people, have changed: Slack is asked before they count again."""
    query = """
        INSERT INTO memberships (person, changed_at) VALUES (%(person)s, clock_timestamp())
        ON CONFLICT (workspace, person) DO UPDATE SET channels = '{}', changed_at = excluded.changed_at
    """
    await connection.execute(query, {"person": whose})


async def forget_all(connection: Connection) -> None:
    """Note that changes may have been missed."""
    await connection.execute("UPDATE memberships SET channels = '{}', changed_at = clock_timestamp()")
