"""The budget that all processes of a workspace share; if the database does not answer, each uses its own."""

from datetime import timedelta

import structlog
from psycopg import Error

from bot.postgres.pool import Database
from bot.slack.api import budget_store
from bot.slack.api.budget import Allowance, LocalBudget
from graph.context import Clock


class SharedBudget:
    """The buckets of one workspace, in PostgreSQL."""

    def __init__(self, database: Database, clock: Clock, *, surface: str) -> None:
        self._database = database
        self._clock = clock
        self._surface = surface
        self._alone = LocalBudget()

    async def reserve(self, bucket: str, allowance: Allowance) -> float:
        """See `Budget`."""
        now, by = self._clock.now(), timedelta(seconds=allowance.call_seconds)
        whole = timedelta(seconds=allowance.per_seconds)
        try:
            async with self._database.connection() as connection:
                free_at = await budget_store.fill(
                    connection, surface=self._surface, bucket=bucket, by=by, whole=whole, now=now
                )
        except Error as error:
            self._miss(error)
            return await self._alone.reserve(bucket, allowance)
        return max(0.0, (free_at - now).total_seconds())

    async def take(self, bucket: str, allowance: Allowance, *, count: int, kept_free: float) -> bool:
        """See `Budget`."""
        now, by = self._clock.now(), timedelta(seconds=count * allowance.call_seconds)
        up_to = now + timedelta(seconds=allowance.per_seconds * (1 - kept_free))
        try:
            async with self._database.connection() as connection:
                return await budget_store.fill_if_free(
                    connection, surface=self._surface, bucket=bucket, by=by, up_to=up_to, now=now
                )
        except Error as error:
            self._miss(error)
            return await self._alone.take(bucket, allowance, count=count, kept_free=kept_free)

    async def close(self, bucket: str, *, seconds: float) -> None:
        """See `Budget`."""
        until = self._clock.now() + timedelta(seconds=seconds)
        await self._alone.close(bucket, seconds=seconds)
        try:
            async with self._database.connection() as connection:
                await budget_store.close(connection, surface=self._surface, bucket=bucket, until=until)
        except Error as error:
            self._miss(error)

    def _miss(self, error: Error) -> None:
        # Call Slack anyway: an outage of our database must not delay an answer.
        structlog.get_logger().warning("budget_not_shared", error=type(error).__name__)
