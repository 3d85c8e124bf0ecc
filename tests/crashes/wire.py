"""A proxy for PostgreSQL that sees every commit and may kill the sender at it."""

import asyncio
import struct
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit, urlunsplit

from tests.crashes.boundaries import written

_LENGTH = struct.Struct("!i")
_HEAD = 1 + _LENGTH.size
_PIECE = 1 << 16

Side = Literal["before", "after", "in vain"]
Watch = Callable[[frozenset[str], Side], bool]
"""Called before the server sees a commit, and before the sender sees the result. Returns whether the sender is dead.

The result of a single statement without a row is `in vain`: it found nothing to write, or wrote and returned nothing.
"""


class Gone(Exception):  # noqa: N818 - It is no error that the sender is gone.
    """The sender was killed."""


@dataclass
class _Line:
    """One connection: its prepared statements, and the writes of its transaction."""

    prepared: dict[str, str] = field(default_factory=dict[str, str])
    pending: list[str] = field(default_factory=list[str])
    done: list[bool] = field(default_factory=list[bool])
    """Which of the pending statements changed a row, or a single one."""
    is_in_transaction: bool = False
    is_single: bool = False
    """Whether the last commit was a statement outside a transaction."""
    committing: frozenset[str] = frozenset()

    @property
    def side(self) -> Side:
        """Tell what came of the commit whose result has arrived."""
        return "in vain" if self.is_single and self.done == [False] else "after"

    def hear(self, statement: str) -> frozenset[str]:
        """Follow a statement; return the writes that it commits."""
        word = statement.lstrip().split(None, 1)[0].upper().rstrip(";") if statement.strip() else ""
        if word == "BEGIN":
            self.is_in_transaction, self.pending, self.done = True, [statement], []
        elif word in ("COMMIT", "ROLLBACK") and " TO " not in statement.upper():
            effective = [said for said, took in zip(self.pending, self.done, strict=False) if took]
            self.pending, self.is_in_transaction, self.is_single = [], False, False
            return written(effective) if word == "COMMIT" else frozenset()
        else:
            self.pending.append(statement)
            if not self.is_in_transaction:
                single, self.pending, self.done, self.is_single = self.pending, [], [], True
                return written(single)
        return frozenset()


@asynccontextmanager
async def wire(url: str, watch: Watch) -> AsyncGenerator[str]:
    """Yield a URL of the same database through the watching proxy."""
    parts, serving = urlsplit(url), set["asyncio.Task[None]"]()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        here = asyncio.current_task()
        assert here is not None
        serving.add(here)
        here.add_done_callback(serving.discard)
        with closing(writer):
            to_read, to_write = await asyncio.open_connection(parts.hostname, parts.port)
            with closing(to_write):
                line = _Line()
                await _whichever_ends(
                    _to_server(reader, to_write, line, watch), _to_client(to_read, writer, line, watch)
                )

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    place = f"{parts.username}:{parts.password}@127.0.0.1:{port}"
    try:
        yield urlunsplit((parts.scheme, place, parts.path, "sslmode=disable&gssencmode=disable", ""))
    finally:
        server.close()
        # All former clients are dead by now, and their connections are about to close.
        if serving:
            await asyncio.wait(serving, timeout=10)


async def _whichever_ends(*directions: Coroutine[None, None, None]) -> None:
    tasks = [asyncio.create_task(each) for each in directions]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _to_server(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, line: _Line, watch: Watch) -> None:
    with suppress(asyncio.IncompleteReadError, ConnectionError, Gone):
        length = await reader.readexactly(_LENGTH.size)
        writer.write(length + await reader.readexactly(_LENGTH.unpack(length)[0] - _LENGTH.size))
        async for messages in _read(reader):
            for kind, body in messages:
                statement = _statement(kind, body, line)
                commits = line.hear(statement) if statement is not None else frozenset()
                if commits:
                    line.committing = commits
                    if watch(commits, "before"):
                        raise Gone
            _pass_on(messages, writer)


async def _to_client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, line: _Line, watch: Watch) -> None:
    with suppress(asyncio.IncompleteReadError, ConnectionError, Gone):
        async for messages in _read(reader):
            for kind, body in messages:
                if kind == b"C":
                    line.done.append(not body.endswith(b" 0\0"))
                if kind == b"Z" and line.committing:
                    commits, line.committing = line.committing, frozenset()
                    if watch(commits, line.side):
                        raise Gone
            _pass_on(messages, writer)


async def _read(reader: asyncio.StreamReader) -> AsyncGenerator[list[tuple[bytes, bytes]]]:
    """Yield the messages that came together, as kind and body: passing each on by itself would wake the other side."""
    left = b""
    while piece := await reader.read(_PIECE):
        left += piece
        messages, begins = list[tuple[bytes, bytes]](), 0
        while len(left) >= begins + _HEAD and len(left) >= (
            ends := begins + 1 + _LENGTH.unpack_from(left, begins + 1)[0]
        ):
            messages.append((left[begins : begins + 1], left[begins + _HEAD : ends]))
            begins = ends
        left = left[begins:]
        yield messages


def _pass_on(messages: list[tuple[bytes, bytes]], writer: asyncio.StreamWriter) -> None:
    writer.write(b"".join(kind + _LENGTH.pack(len(body) + _LENGTH.size) + body for kind, body in messages))


def _statement(kind: bytes, body: bytes, line: _Line) -> str | None:
    """Return the SQL that a message executes."""
    if kind == b"Q":
        return body[:-1].decode()
    if kind == b"P":
        name, text, _ = body.split(b"\0", 2)
        line.prepared[name.decode()] = text.decode()
    if kind == b"B":
        _, name, _ = body.split(b"\0", 2)
        return line.prepared.get(name.decode(), "")
    return None
