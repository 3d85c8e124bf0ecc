"""A connector as a package of its own: the pages of a journal, which is a file of JSON with a text for each day.

`journal:/srv/journal.json` is its location. docs/connectors.md explains it.
"""

import hashlib
import json
from pathlib import Path

from bot.errors import KnowledgeError
from bot.knowledge.connectors.connector import Changes
from bot.knowledge.connectors.source_settings import SourceSettings
from bot.knowledge.sandbox.limits import Limits


class Journal:
    """The days of a journal."""

    kind = "journal"

    def __init__(self, location: str, settings: SourceSettings) -> None:
        self.location = location
        self._file = Path(location.removeprefix("journal:"))
        self._days: dict[str, str] = {}

    async def changes(self, cursor: str) -> Changes:
        """Return the days whose text is not the one of the last reading."""
        try:
            self._days = json.loads(self._file.read_text())
        except (OSError, ValueError) as error:
            raise KnowledgeError(f"{self._file} is no journal: give a file of JSON.") from error
        now = {_path(day): hashlib.sha256(text.encode()).hexdigest() for day, text in self._days.items()}
        before = json.loads(cursor or "{}")
        changed = [path for path, digest in now.items() if before.get(path) != digest]
        return Changes(paths=changed, gone=None, others=now.keys() - {*changed}, cursor=json.dumps(now))

    async def content(self, path: str, limits: Limits) -> bytes:
        """Return a day as Markdown."""
        day = path.removesuffix(".md")
        return f"# {day}\n\n{self._days[day]}\n".encode()

    def url_of(self, path: str) -> str | None:
        """Return the address of a day."""
        return f"https://journal.example/{path.removesuffix('.md')}"

    async def aclose(self) -> None:
        """Do nothing."""


def _path(day: str) -> str:
    return f"{day}.md"
