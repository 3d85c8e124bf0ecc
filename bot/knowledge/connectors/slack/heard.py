"""What the bot hears of threads that are documents. The receiver runs this, so it loads no readers."""

from bot.audience import ALL
from bot.knowledge import source_store
from bot.knowledge.audience_store import read_as
from bot.knowledge.connectors.slack import added_store
from bot.postgres.pool import Database


class HeardThreads:
    """Notes which threads that are documents have changed, and nothing of others."""

    def __init__(self, database: Database, workspace: str) -> None:
        self._database = database
        self._workspace = workspace

    async def note(self, channel: str, thread_ts: str, *, is_outdated: bool) -> bool:
        """Make a thread due, and delete it until then if it is outdated; return whether it is a document."""
        async with self._database.transaction(self._workspace) as connection:
            documents = await added_store.heard_of(connection, channel, thread_ts)
            if documents:
                await read_as(connection, ALL)
            for source_id, path in documents:
                await source_store.report(connection, source_id, path, is_outdated=is_outdated)
        return bool(documents)
