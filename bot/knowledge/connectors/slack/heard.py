"""What the bot hears of channels that are sources. The receiver runs this, so it loads nothing that reads documents."""

from typing import Final

from bot.audience import ALL
from bot.knowledge import source_store
from bot.knowledge.audience_store import read_as
from bot.postgres.pool import Database

SCHEME: Final = "slack:"
FOLDER: Final = "slack/"
ENDING: Final = ".md"


def path_of(thread_ts: str) -> str:
    """Return the path of a thread below its source."""
    return f"{FOLDER}{thread_ts}{ENDING}"


class HeardThreads:
    """Notes which threads of sources have changed, and nothing of other channels."""

    def __init__(self, database: Database, workspace: str) -> None:
        self._database = database
        self._workspace = workspace

    async def note(self, channel: str, thread_ts: str, *, is_outdated: bool) -> bool:
        """Let a thread be read again, and be found no more until then if it is outdated; return if it is a source's."""
        async with self._database.transaction(self._workspace) as connection:
            source_id = await source_store.id_of(connection, f"{SCHEME}{channel}")
            if source_id is None:
                return False
            await read_as(connection, ALL)
            await source_store.report(connection, source_id, path_of(thread_ts), is_outdated=is_outdated)
            return True
