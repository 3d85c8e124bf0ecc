"""A standby: a second server that repeats the primary's changes a little later, and answers reads."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import ClassVar

import structlog
from psycopg import Error

from bot.errors import DatabaseUnreachableError, StandbyError
from bot.postgres.pool import Database


class Standby:
    """Lends a standby's database, and leaves it alone for a while after it failed."""

    patience_seconds: ClassVar = 3.0
    """Longer than a search takes among a million passages. A model's first word is due after ten."""
    rest_seconds: ClassVar = 30.0

    def __init__(self, database: Database) -> None:
        self._database = database
        self._rests_until = 0.0

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str, *, size: int, workspace: str) -> AsyncGenerator["Standby | None"]:
        """Open up to `size` connections; `None` if the standby does not answer, because the primary can do its work.

        Raises `DatabaseUnsafeError`.
        """
        async with AsyncExitStack() as stack:
            try:
                database = await stack.enter_async_context(Database.open(url, size=size, workspace=workspace))
            except DatabaseUnreachableError as error:
                _warn(error)
                yield None
            else:
                yield cls(database)

    @asynccontextmanager
    async def reading(self) -> AsyncGenerator[Database]:
        """Lend the database while the context is open. Raises `StandbyError` if it fails or hangs, or just did."""
        if asyncio.get_running_loop().time() < self._rests_until:
            raise StandbyError
        try:
            async with asyncio.timeout(self.patience_seconds):
                yield self._database
        except (Error, TimeoutError) as error:
            self._rests_until = asyncio.get_running_loop().time() + self.rest_seconds
            _warn(error)
            raise StandbyError from error


def _warn(error: Exception) -> None:
    structlog.get_logger().warning("standby_failed", error=type(error).__name__)
