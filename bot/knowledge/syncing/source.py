"""A source as it is stored, and the session that changes it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from uuid import UUID

from bot.audience import ALL
from bot.knowledge import audience_store, store
from bot.postgres.pool import Connection, enter_workspace


@dataclass(kw_only=True)
class StoredSource:
    """A source that is being read."""

    connection: Connection
    workspace: str
    location: str
    id: int = 0
    known: dict[str, store.StoredDocument] = field(default_factory=dict[str, store.StoredDocument])
    """The stored documents by path."""
    reported: dict[str, UUID] = field(default_factory=dict[str, UUID])
    """The reports of changes by path."""

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Connection]:
        """Open a transaction of the session that reads everything of the workspace."""
        async with self.connection.transaction():
            await enter_workspace(self.connection, self.workspace)
            await audience_store.read_as(self.connection, ALL)
            yield self.connection
