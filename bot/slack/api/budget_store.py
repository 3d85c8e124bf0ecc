"""The buckets that all processes of a workspace share, in SQL; each change is one statement, and so needs no lock."""

from datetime import datetime, timedelta

from bot.postgres import fetch
from bot.postgres.pool import Connection


async def fill(
    connection: Connection, *, surface: str, bucket: str, by: timedelta, whole: timedelta, now: datetime
) -> datetime:
    """Fill a bucket, and return when there is room for the calls."""
    query = """
        INSERT INTO budgets AS b (surface, bucket, empty_at) VALUES (%(surface)s, %(bucket)s, %(now)s + %(by)s)
        ON CONFLICT (surface, bucket) DO UPDATE SET empty_at = greatest(b.empty_at, %(now)s) + %(by)s
        RETURNING greatest(empty_at - %(whole)s, closed_until) AS free_at
    """
    return await fetch.value(connection, query, surface=surface, bucket=bucket, by=by, whole=whole, now=now)


async def fill_if_free(
    connection: Connection, *, surface: str, bucket: str, by: timedelta, up_to: datetime, now: datetime
) -> bool:
    """Fill a bucket if it is not closed and is empty by `up_to`; return whether it was filled."""
    query = """
        INSERT INTO budgets AS b (surface, bucket, empty_at) VALUES (%(surface)s, %(bucket)s, %(now)s + %(by)s)
        ON CONFLICT (surface, bucket) DO UPDATE SET empty_at = greatest(b.empty_at, %(now)s) + %(by)s
        WHERE greatest(b.empty_at, %(now)s) + %(by)s <= %(up_to)s AND b.closed_until <= %(now)s
    """
    return await fetch.found(connection, query, surface=surface, bucket=bucket, by=by, up_to=up_to, now=now)


async def close(connection: Connection, *, surface: str, bucket: str, until: datetime) -> None:
    """Close a bucket until a time."""
    query = """
        INSERT INTO budgets AS b (surface, bucket, empty_at, closed_until)
        VALUES (%(surface)s, %(bucket)s, 'epoch', %(until)s)
        ON CONFLICT (surface, bucket) DO UPDATE SET closed_until = greatest(b.closed_until, excluded.closed_until)
    """
    await connection.execute(query, {"surface": surface, "bucket": bucket, "until": until})
