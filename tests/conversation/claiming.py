"""How a test claims what waits, as a process that nobody else takes for alive, or as one that lives."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from bot.conversation.items import Item
from bot.conversation.workers import claim_store
from bot.conversation.workers.claims import Claim
from bot.postgres.pool import Connection, Database
from graph.context import Clock

PROCESS = 1_000_000


@asynccontextmanager
async def living(database: Database) -> AsyncGenerator[int]:
    """Live as a process while the context is open; yield its number."""
    async with database.connection() as session:
        yield await claim_store.begin_life(session)
        await session.close()


async def claim(
    connection: Connection, clock: Clock, *, surface: str = "slack", process: int = PROCESS
) -> Claim | None:
    """Claim the next item."""
    return await claim_store.claim(connection, surface=surface, process=process, now=clock.now())


async def claimed(connection: Connection, clock: Clock, *, surface: str = "slack") -> Item | None:
    """Claim the next item, and return it."""
    found = await claim(connection, clock, surface=surface)
    return found.item if found else None
