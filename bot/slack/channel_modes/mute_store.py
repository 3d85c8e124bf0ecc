"""Muted threads in SQL, in which the bot answers only who mentions it; call everything here within the workspace."""

from bot.conversation.address import Address
from bot.postgres import fetch
from bot.postgres.pool import Connection


async def save(connection: Connection, address: Address, *, is_muted: bool) -> bool:
    """Store what a message says of its thread, once; return whether it counts.

    The latest message in the thread counts, in whatever order they come.
    """
    query = """
        INSERT INTO muted_threads AS known (channel, thread_ts, is_muted, since)
        VALUES (%(channel)s, %(thread_ts)s, %(is_muted)s, %(ts)s::numeric)
        ON CONFLICT (workspace, channel, thread_ts) DO UPDATE SET is_muted = %(is_muted)s, since = %(ts)s::numeric
        WHERE known.since < %(ts)s::numeric
    """
    return await fetch.found(connection, query, **_place(address), is_muted=is_muted)


async def is_muted(connection: Connection, address: Address) -> bool:
    """Tell whether the thread of a message was muted before it."""
    query = """
        SELECT FROM muted_threads
        WHERE channel = %(channel)s AND thread_ts = %(thread_ts)s AND is_muted AND since < %(ts)s::numeric
    """
    return await fetch.found(connection, query, **_place(address))


def _place(address: Address) -> dict[str, str]:
    return {"channel": address.channel, "thread_ts": address.thread_ts, "ts": address.message_ts}
