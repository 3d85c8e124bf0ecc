"""What was written to the database, read from its write-ahead log, where nothing is estimated or rounded."""

import asyncio
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import LiteralString

import psycopg

from bot import unprivileged

_RECORD = re.compile(r"rmgr: (\w+)\s+len \(rec/tot\):\s*(\d+)/.*?desc: (\w+)(?:.*?ntuples: (\d+))?")
_ROW_CHANGES = {"INSERT", "UPDATE", "HOT_UPDATE", "DELETE"}
_OWN_AFFAIRS = {"Standby", "XLOG"}
QUIET_SECONDS = 0.15
"""So long nothing may be written before a run counts as settled; polls of a second write nothing."""


@dataclass(frozen=True, kw_only=True)
class Written:
    """What transactions wrote between two points of the log."""

    commits: int = 0
    """Of transactions that wrote; who only reads writes no record."""
    rows: int = 0
    """Inserted, updated or deleted; a long value's pieces count as rows too."""
    size: int = 0
    """Bytes of log, without the page images that follow a checkpoint."""

    def __add__(self, other: "Written") -> "Written":
        return Written(commits=self.commits + other.commits, rows=self.rows + other.rows, size=self.size + other.size)


class WriteAheadLog:
    """The server's log."""

    def __init__(self, server_url: str) -> None:
        self._server_url = server_url

    async def settled(self) -> str:
        """Wait until nothing more is written, and return the position."""
        async with await psycopg.AsyncConnection.connect(self._server_url, autocommit=True) as connection:
            before, now = "", await _position(connection)
            while now != before:
                await asyncio.sleep(QUIET_SECONDS)
                before, now = now, await _position(connection)
        return now

    async def written(self, start: str, end: str) -> Written:
        """Return what was written between two positions."""
        program = unprivileged.programs(None) / "pg_waldump"
        process = await asyncio.create_subprocess_exec(
            program, "--path", await self._folder(), "--start", start, "--end", end,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        out, error = await process.communicate()
        if process.returncode:
            raise OSError(f"The log cannot be read: {error.decode()}")
        return tally(out.decode().splitlines())

    async def _folder(self) -> Path:
        async with await psycopg.AsyncConnection.connect(self._server_url) as connection:
            return Path(await _value(connection, "SHOW data_directory")) / "pg_wal"


def tally(lines: Iterable[str]) -> Written:
    """Count what the lines of `pg_waldump` say."""
    total = Written()
    for match in filter(None, map(_RECORD.match, lines)):
        manager, length, action, many = match.groups()
        if manager in _OWN_AFFAIRS:
            continue
        rows = int(many or 1) if manager.startswith("Heap") and action in {*_ROW_CHANGES, "MULTI_INSERT"} else 0
        is_commit = manager == "Transaction" and action == "COMMIT"
        total += Written(commits=int(is_commit), rows=rows, size=int(length))
    return total


async def _position(connection: psycopg.AsyncConnection) -> str:
    return await _value(connection, "SELECT pg_current_wal_lsn()::text")


async def _value(connection: psycopg.AsyncConnection, query: LiteralString) -> str:
    row = await (await connection.execute(query)).fetchone()
    return str(row[0]) if row else ""
