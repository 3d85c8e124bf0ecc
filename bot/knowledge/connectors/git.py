"""A Git repository: reads the difference between the last read commit and the head of the main branch."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath
from tempfile import TemporaryDirectory
from typing import Final
from urllib.parse import urlsplit

from bot.errors import KnowledgeError
from bot.knowledge.connectors.connector import Changes
from bot.knowledge.read import largest_size, too_large
from bot.knowledge.readers.formats import READABLE
from bot.knowledge.sandbox.limits import Limits

_SECONDS: Final = 600.0
_FILE: Final = ("100644", "100755")
"""Modes of files. Symbolic links and submodules are skipped."""
# Git must not ask for a password, and no address may start a program.
_GIT: Final = ("env", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "git", "-c", "protocol.ext.allow=never")


class Git:
    """A repository, by address or local path. It is cloned for the time of the reading."""

    kind = "git"

    def __init__(self, location: str) -> None:
        if urlsplit(location).password:
            raise KnowledgeError("The address holds a password, which everybody would see: use a key or Git's helper.")
        self.location = location
        self._copy = TemporaryDirectory[str](prefix="askback-git-")
        self._head = ""

    async def changes(self, cursor: str) -> Changes:
        """Return the difference to the cursor's commit; everything if the history has no such commit."""
        # Blobs are fetched later, only for changed files.
        how = ("--filter=blob:none",) if cursor else ()
        await _said("clone", "--quiet", "--bare", "--single-branch", *how, "--", self.location, self._copy.name)
        self._head = (await self._git("rev-parse", "--verify", "HEAD^{commit}")).decode().strip()
        if cursor and await self._knows(cursor):
            told = await self._git("diff", "--raw", "-z", "--no-renames", "--no-abbrev", cursor, self._head)
            entries, is_whole = [*_differing(told)], False
        else:
            entries, is_whole = [*_listed(await self._git("ls-tree", "-r", "-z", self._head))], True
        readable = [path for path, mode in entries if mode in _FILE and _is_readable(path)]
        others = [path for path, mode in entries if mode in _FILE and not _is_hidden(path) and path not in {*readable}]
        return Changes(
            paths=readable,
            gone=None if is_whole else [path for path, mode in entries if mode not in _FILE],
            cursor=self._head,
            skipped=Counter(PurePosixPath(path).suffix.lower() for path in others),
        )

    async def content(self, path: str, limits: Limits) -> bytes:
        """Return a file's bytes in the newest commit."""
        named = f"{self._head}:{path}"
        if int(await self._git("cat-file", "-s", named)) > largest_size(path, limits):
            raise too_large(path, limits)
        return await self._git("cat-file", "blob", named)

    def url_of(self, path: str) -> str | None:
        """Return `None`: only the file itself may name its address."""

    async def aclose(self) -> None:
        """Remove the clone."""
        await asyncio.to_thread(self._copy.cleanup)

    async def _knows(self, commit: str) -> bool:
        try:
            await self._git("cat-file", "-e", f"{commit}^{{commit}}")
        except KnowledgeError:
            return False
        return True

    async def _git(self, *arguments: str) -> bytes:
        return await _said("-C", self._copy.name, *arguments)


async def _said(*arguments: str) -> bytes:
    process = await asyncio.create_subprocess_exec(
        *_GIT, *arguments,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(_SECONDS):
            said, why = await process.communicate()
    except TimeoutError as error:
        raise KnowledgeError(f"Git did not end within {_SECONDS:g} seconds: check the repository's address.") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        last = why.decode(errors="replace").strip().splitlines()[-1:] or ["it does not say why"]
        raise KnowledgeError(f"Git cannot read it: {last[0]}.")
    return said


def _listed(told: bytes) -> Iterator[tuple[str, str]]:
    """Yield each path of `ls-tree -z` with its mode."""
    for entry in _parts(told):
        about, _, path = entry.partition("\t")
        yield path, about.split(" ")[0]


def _differing(told: bytes) -> Iterator[tuple[str, str]]:
    """Yield each path of `diff --raw -z` with its new mode, which is zero for a deleted file."""
    parts = iter(_parts(told))
    for about in parts:
        yield next(parts), about.split(" ")[1]


def _parts(told: bytes) -> list[str]:
    return told.decode(errors="surrogateescape").split("\0")[:-1]


def _is_hidden(path: str) -> bool:
    return any(part.startswith(".") for part in path.split("/"))


def _is_readable(path: str) -> bool:
    return not _is_hidden(path) and PurePosixPath(path).suffix.lower() in READABLE
