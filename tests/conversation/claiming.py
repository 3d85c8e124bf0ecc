"""Claims items for tests, as a dead process or as a living one."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime
from itertools import count

from bot.conversation import store, transitions
from bot.conversation.items import ClaimedItem, Item
from bot.conversation.workers import burst_store, claim_store
from bot.postgres.pool import Connection, Database
from graph.context import Clock

_numbers = count(1_000_000)


def dead_process() -> int:
    """Return a new process number that counts as dead."""
    return next(_numbers)


@asynccontextmanager
async def living(database: Database) -> AsyncGenerator[int]:
    """Live as a process while the context is open; yield its number."""
    async with database.connection() as session:
        yield await claim_store.begin_life(session)
        await session.close()


async def claim(
    connection: Connection, clock: Clock, *, surface: str = "slack", process: int | None = None
) -> ClaimedItem | None:
    """Claim the next item, with all that is answered together with it."""
    process, now = process or dead_process(), clock.now()
    found = await claim_store.claim(connection, surface=surface, process=process, now=now)
    return await burst_store.gathered(connection, found, now=now) if found and found.has_company else found


async def claimed(connection: Connection, clock: Clock, *, surface: str = "slack") -> Item | None:
    """Claim the next item, and return it."""
    found = await claim(connection, clock, surface=surface)
    return found.item if found else None


async def finish(connection: Connection, item_id: int, *, asking: bool = False, now: datetime) -> None:
    """End an item without its claim, or leave it for its card."""
    await store.change(connection, [item_id], transitions.asked if asking else transitions.finished, now=now)
