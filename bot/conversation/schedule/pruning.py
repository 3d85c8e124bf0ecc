"""What earlier runs of a thread have left behind: only the latest checkpoint is ever read, and it holds the memory.

LangGraph's query goes through all of them for it, so that a thread would load more slowly with each turn.
"""

from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from bot.conversation.workers import claim_store
from bot.postgres.pool import Connection, Database

MOST_CHECKPOINTS: Final = 32
"""That a thread may have; so many are gone through in a tenth of a millisecond."""
Prune: TypeAlias = Callable[[Connection, str], Awaitable[None]]
"""Deletes all of a thread's checkpoints but the latest, on a connection outside a transaction."""


class Pruning:
    """Deletes what is never read again, where no run goes on."""

    def __init__(self, database: Database, prune: Prune) -> None:
        self._database = database
        self._prune = prune

    async def prune(self, thread_id: str) -> None:
        """Keep only the thread's latest checkpoint; do nothing where a run goes on, for it comes to its end, too."""
        # The lock stays on a connection of its own: pruning begins a transaction itself.
        async with self._database.transaction() as holding, self._database.connection() as connection:
            if await claim_store.lock_idle(holding, thread_id):
                await self._prune(connection, thread_id)
                await claim_store.unlock_idle(holding, thread_id)
