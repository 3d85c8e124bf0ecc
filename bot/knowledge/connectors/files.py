"""A folder or a file on this machine."""

import asyncio
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from bot.errors import KnowledgeError
from bot.knowledge.connectors.connector import Changes
from bot.knowledge.readers.formats import is_readable
from bot.knowledge.sandbox.limits import Limits
from graph.text.invisible import escaped


class Files:
    """The files below a path. Each reading examines all of them and skips unchanged ones by their hash."""

    kind = "files"

    def __init__(self, location: str) -> None:
        self.location = location
        self._root = Path(location)
        self._files: dict[str, Path] = {}

    async def changes(self, cursor: str) -> Changes:
        """Return every file, and which folders are closed to us. Raises `KnowledgeError` if there is no such path."""
        found = await asyncio.to_thread(find_files, self._root)
        closed = {f"{path_below(self._root, folder)}/": "closed to us" for folder in found.closed}
        self._files = {path_below(self._root, file): file for file in found.files}
        return Changes(
            paths=[*self._files],
            gone=None,
            cursor=cursor,
            skipped={**{path_below(self._root, file): file.suffix.lower() for file in found.others}, **closed},
            unread=[*closed],
        )

    async def content(self, path: str, limits: Limits) -> bytes:
        """Return a file's bytes."""
        return await asyncio.to_thread(_content_of, self._files[path], limits, self._root)

    def url_of(self, path: str) -> str | None:
        """Return `None`: only the file itself may name its address."""

    async def aclose(self) -> None:
        """Do nothing."""


def files_at(paths: Iterable[Path]) -> list[Files]:
    """Return each folder or file as one source. Raises `KnowledgeError` if one does not exist."""
    places = [path.resolve() for path in paths]
    for place in places:
        require_there(place)
    return [Files(str(place)) for place in places]


class FoundFiles(NamedTuple):
    """The files of a source."""

    files: list[Path]
    """The readable files, in order."""
    others: list[Path]
    """The files of other formats, in order."""
    closed: list[Path]
    """The folders that we may not read."""


def require_there(source: Path) -> None:
    """Check that a folder or file exists and can be named. Raises `KnowledgeError` if not."""
    try:
        str(source).encode()
        is_there = source.is_file() or source.is_dir()
    except UnicodeEncodeError as error:
        raise KnowledgeError(f"{escaped(str(source))} is not named in UTF-8: rename it.") from error
    except OSError as error:
        raise KnowledgeError(f"{source} cannot be read: {error.strerror}.") from error
    if not is_there:
        raise KnowledgeError(f"{source} does not exist: give a folder or a file.")


def find_files(source: Path) -> FoundFiles:
    """Return the files of a folder, or the one file, without hidden ones. Raises `KnowledgeError`."""
    require_there(source)
    if source.is_file():
        return FoundFiles([source], [], [])
    refused: list[OSError] = []
    every = sorted(_walk(source, refused.append))
    closed = [Path(error.filename) for error in refused]
    if source in closed:
        raise KnowledgeError(f"{source} cannot be read: {refused[0].strerror}. Check its permissions.")
    readable = [file for file in every if is_readable(file.suffix.lower())]
    return FoundFiles(readable, [file for file in every if not is_readable(file.suffix.lower())], closed)


def path_below(source: Path, file: Path) -> str:
    """Return the file's path below its source, with `/`; its name if the file is the source."""
    return escaped(file.name if file == source else file.relative_to(source).as_posix())


def _content_of(file: Path, limits: Limits, source: Path) -> bytes:
    """Return the file's bytes. Raises `KnowledgeError` if it cannot be opened, lies elsewhere, or is too large."""
    try:
        # Without waiting for the other end of a pipe.
        with os.fdopen(os.open(file, os.O_RDONLY | os.O_NONBLOCK), "rb") as opened:
            _require_within(opened.fileno(), file, source)
            content = opened.read(limits.largest_bytes(file.name) + 1)  # The file may grow meanwhile.
    except OSError as error:
        raise KnowledgeError(f"The file cannot be opened: {error.strerror}. Check its permissions.") from error
    return limits.fitting(content, file.name)


def _require_within(opened: int, file: Path, source: Path) -> None:
    """Check that an open file lies in its source: since it was found, a link may have taken its place."""
    status, place = os.fstat(opened), file.resolve()
    is_within = place.is_relative_to(source.resolve()) and os.path.samestat(status, place.stat())
    if not is_within or not stat.S_ISREG(status.st_mode):
        raise KnowledgeError("It is no file of this source any more: replace the link by the file.")


def _walk(folder: Path, refuse: Callable[[OSError], None]) -> Iterator[Path]:
    """Yield the files that are not hidden; hand over why a folder is closed."""
    root = folder.resolve()
    for place, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for file in (Path(place, name) for name in names if not name.startswith(".")):
            # A symbolic link must not lead out of the given folder.
            if Path(os.path.realpath(file)).is_relative_to(root) and _is_file(file):
                yield file


def _is_file(file: Path) -> bool:
    """Tell whether this is a file; also if nobody may ask, since then its reading says so and keeps what is known."""
    try:
        return stat.S_ISREG(file.stat().st_mode)
    except PermissionError:
        return True
    except OSError:
        return False
