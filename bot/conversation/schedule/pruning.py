"""Deletes the checkpoints that earlier runs of a thread have left: only the latest is read, and it holds the memory.

LangGraph's query reads all of them, so a thread would load more slowly with each turn.
"""

from typing import Final

from bot.conversation.workers import claim_store
from bot.postgres.checkpoints import keep_latest_checkpoint
from bot.postgres.pool import Database

MOST_CHECKPOINTS: Final = 32
"""The most checkpoints of a thread; reading so many takes a tenth of a millisecond."""


async def prune(database: Database, thread_id: str) -> None:
    """Keep only the thread's latest checkpoint; do nothing while a run goes on there, because its end prunes, too."""
    # The lock stays on a connection of its own: pruning begins a transaction itself.
    async with database.transaction() as holding, database.connection() as connection:
        if await claim_store.lock_idle(holding, thread_id):
            await keep_latest_checkpoint(connection, thread_id)
            await claim_store.unlock_idle(holding, thread_id)
