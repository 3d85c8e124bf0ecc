"""A folder or a file on this machine."""

import asyncio
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from bot.knowledge.connectors.connector import Changes
from bot.knowledge.read import content_of, find_files, path_below, require_there
from bot.knowledge.sandbox.limits import Limits


def files_at(paths: Iterable[Path]) -> "list[Files]":
    """Return each folder or file as one source. Raises `KnowledgeError` if one does not exist."""
    places = [path.resolve() for path in paths]
    for place in places:
        require_there(place)
    return [Files(str(place)) for place in places]


class Files:
    """The files below a path. Each reading examines all of them and skips unchanged ones by their hash."""

    kind = "files"

    def __init__(self, location: str) -> None:
        self.location = location
        self._root = Path(location)
        self._files: dict[str, Path] = {}

    async def changes(self, cursor: str) -> Changes:
        """Return every file. Raises `KnowledgeError` if the path does not exist."""
        found = await asyncio.to_thread(find_files, self._root)
        self._files = {path_below(self._root, file): file for file in found.files}
        return Changes(
            paths=[*self._files],
            gone=None,
            cursor=cursor,
            skipped={path_below(self._root, file): file.suffix.lower() for file in found.others},
        )

    async def content(self, path: str, limits: Limits) -> bytes:
        """Return a file's bytes."""
        return await asyncio.to_thread(partial(content_of, self._files[path], limits, source=self._root))

    def url_of(self, path: str) -> str | None:
        """Return `None`: only the file itself may name its address."""

    async def aclose(self) -> None:
        """Do nothing."""
