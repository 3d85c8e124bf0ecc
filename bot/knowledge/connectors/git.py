"""A Git repository: reads the difference between the last read commit and the head of the main branch."""

import asyncio
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import PurePosixPath
from tempfile import TemporaryDirectory
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from bot.errors import KnowledgeError
from bot.knowledge.connectors.connector import Changes
from bot.knowledge.readers.formats import READABLE
from bot.knowledge.sandbox.limits import Limits
from graph.text.invisible import escaped

_SECONDS: Final = 600.0
_LOG_SECONDS: Final = 60.0
_CHUNK: Final = 65_536
_FILE: Final = ("100644", "100755")
"""Modes of files. Symbolic links and submodules are skipped."""
# Git must not ask for a password, and no address may start a program.
_GIT: Final = ("env", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "git", "-c", "protocol.ext.allow=never")
_Entry: TypeAlias = tuple[str, str, str]
"""A path as it is stored, its mode, and Git's name for its content."""


class Git:
    """A repository, by address or local path. It is cloned for the time of the reading."""

    kind = "git"

    def __init__(self, location: str) -> None:
        if urlsplit(location).password:
            raise KnowledgeError("The address holds a password, which everybody would see: use a key or Git's helper.")
        self.location = location
        self._copy = TemporaryDirectory[str](prefix="askback-git-")
        self._head = ""
        self._blobs: dict[str, str] = {}
        """Git's names for the contents of all files in the newest commit, by path."""

    async def changes(self, cursor: str) -> Changes:
        """Return the difference to the cursor's commit; everything if the history has no such commit."""
        # Blobs are fetched later, only for changed files.
        how = ("--filter=blob:none",) if cursor else ()
        await _output_of("clone", "--quiet", "--bare", "--single-branch", *how, "--", self.location, self._copy.name)
        self._head = (await self._git("rev-parse", "--verify", "HEAD^{commit}")).decode().strip()
        listed = [*_listed(await self._git("ls-tree", "-r", "-z", self._head))]
        self._blobs = {path: blob for path, _, blob in listed}
        is_whole = not cursor or not await self._knows(cursor)
        if is_whole:
            entries = listed
        else:
            output = await self._git("diff", "--raw", "-z", "--no-renames", "--no-abbrev", cursor, self._head)
            entries = [*_differing(output)]
        readable = [path for path in _files(entries) if _suffix(path) in READABLE]
        return Changes(
            paths=readable,
            gone=None if is_whole else [path for path, mode, _ in entries if mode not in _FILE],
            cursor=self._head,
            saved=await self._last_commits({*readable}),
            skipped={path: _suffix(path) for path in _files(listed) if _suffix(path) not in READABLE},
        )

    async def content(self, path: str, limits: Limits) -> bytes:
        """Return a file's bytes in the newest commit."""
        blob = self._blobs[path]
        if int(await self._git("cat-file", "-s", blob)) > limits.largest_bytes(path):
            raise limits.too_large(path)
        return await self._git("cat-file", "blob", blob)

    def url_of(self, path: str) -> str | None:
        """Return `None`: only the file itself may name its address."""

    async def aclose(self) -> None:
        """Remove the clone."""
        await asyncio.to_thread(self._copy.cleanup)

    async def _last_commits(self, paths: set[str]) -> dict[str, str]:
        """Return the day of each path's last commit on the main branch; without those not found within a minute."""
        days: dict[str, str] = {}
        with suppress(TimeoutError):
            async with asyncio.timeout(_LOG_SECONDS), aclosing(self._log()) as log:
                while len(days) < len(paths) and (entry := await anext(log, None)):
                    path, day = entry
                    if path not in days and path in paths:
                        days[path] = day
        return days

    async def _log(self) -> AsyncGenerator[tuple[str, str]]:
        """Yield each path that a commit changed, and the commit's day, from the newest commit back.

        Where a shallow history begins, the day is empty: that commit seems to change everything.
        """
        how = ("--raw", "--no-renames", "--first-parent", "-m", "--no-show-signature", "--format=%cs %D")
        async with (
            _started("-C", self._copy.name, "log", "-z", *how, self._head) as process,
            aclosing(_parts_from(process)) as parts,
        ):
            day = ""
            async for part in parts:
                if part.startswith((":", "\n:")):
                    yield escaped(await anext(parts)), day
                else:
                    day, _, names = part.partition(" ")
                    day = "" if names.startswith("grafted") else day

    async def _knows(self, commit: str) -> bool:
        try:
            await self._git("cat-file", "-e", f"{commit}^{{commit}}")
        except KnowledgeError:
            return False
        return True

    async def _git(self, *arguments: str) -> bytes:
        return await _output_of("-C", self._copy.name, *arguments)


@asynccontextmanager
async def _started(*arguments: str) -> AsyncGenerator[Process]:
    """Start Git, and kill it in the end if it still runs."""
    process = await asyncio.create_subprocess_exec(
        *_GIT,
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def _output_of(*arguments: str) -> bytes:
    async with _started(*arguments) as process:
        try:
            async with asyncio.timeout(_SECONDS):
                output, errors = await process.communicate()
        except TimeoutError as error:
            raise KnowledgeError(
                f"Git did not end within {_SECONDS:g} seconds: check the repository's address."
            ) from error
    if process.returncode:
        last = errors.decode(errors="replace").strip().splitlines()[-1:] or ["it does not say why"]
        raise KnowledgeError(f"Git cannot read it: {last[0]}.")
    return output


def _listed(output: bytes) -> Iterator[_Entry]:
    """Yield what `ls-tree -z` lists."""
    for entry in _parts(output):
        about, _, path = entry.partition("\t")
        mode, _, blob = about.split(" ")
        yield escaped(path), mode, blob


def _differing(output: bytes) -> Iterator[_Entry]:
    """Yield what `diff --raw -z` lists, as it is now. The mode of a deleted file is zero."""
    parts = iter(_parts(output))
    for about in parts:
        _, mode, _, blob, _ = about.split(" ")
        yield escaped(next(parts)), mode, blob


def _parts(output: bytes) -> list[str]:
    return output.decode(errors="surrogateescape").split("\0")[:-1]


async def _parts_from(process: Process) -> AsyncGenerator[str]:
    """Yield what `-z` divides while Git still works: a history may be long."""
    assert process.stdout
    left = b""
    while chunk := await process.stdout.read(_CHUNK):
        whole, end, left = (left + chunk).rpartition(b"\0")
        for part in _parts(whole + end):
            yield part


def _files(entries: Iterable[_Entry]) -> list[str]:
    """Return the files that are not hidden."""
    return [path for path, mode, _ in entries if mode in _FILE and not _is_hidden(path)]


def _is_hidden(path: str) -> bool:
    return any(part.startswith(".") for part in path.split("/"))


def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix.lower()
