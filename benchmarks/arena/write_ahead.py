"""Counts what was written to a database, from the server's write-ahead log, without estimates."""

import asyncio
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import LiteralString

import psycopg

from bot.postgres import service_account

QUIET_SECONDS = 0.15
"""A run counts as complete after this many seconds without a write."""

_RECORD = re.compile(r"rmgr: (\w+)\s+len \(rec/tot\):\s*(\d+)/\s*\d+, tx:\s*(\d+),.*?desc: (\w+)")
_DATABASE = re.compile(r"rel \d+/(\d+)/\d+")
_MANY = re.compile(r"ntuples: (\d+)")
_PARTS = re.compile(r"subxacts: ([\d ]+)")
_ROW_CHANGES = {"INSERT", "UPDATE", "HOT_UPDATE", "DELETE", "MULTI_INSERT"}


@dataclass(frozen=True, kw_only=True)
class Written:
    """What transactions wrote between two points of the log."""

    commits: int = 0
    """Transactions that wrote; a read-only one has no record."""
    rows: int = 0
    """Rows inserted, updated or deleted; a long value takes several."""
    size: int = 0
    """Bytes of log, without the page images that follow a checkpoint."""

    def __add__(self, other: "Written") -> "Written":
        return Written(commits=self.commits + other.commits, rows=self.rows + other.rows, size=self.size + other.size)


@dataclass(frozen=True, kw_only=True)
class Record:
    """One record of the log."""

    transactions: frozenset[str]
    """The transaction's id; for a commit, also its subtransactions."""
    database: str
    """The database's number; empty for a commit."""
    written: Written

    @classmethod
    def read(cls, line: str) -> "Record | None":
        """Parse a line of `pg_waldump`; `None` if it is no record."""
        found = _RECORD.match(line)
        if found is None:
            return None
        manager, size, transaction, action = found.groups()
        database, parts, many = (pattern.search(line) for pattern in (_DATABASE, _PARTS, _MANY))
        is_row_change = manager.startswith("Heap") and action in _ROW_CHANGES
        return cls(
            transactions=frozenset([transaction, *(parts[1].split() if parts else ())]) - {"0"},
            database=database[1] if database else "",
            written=Written(
                commits=int(manager == "Transaction" and action == "COMMIT"),
                rows=int(many[1] if many else 1) if is_row_change else 0,
                size=int(size),
            ),
        )


class WriteAheadLog:
    """The server's log."""

    def __init__(self, server_url: str) -> None:
        self._server_url = server_url

    async def position(self) -> str:
        """Wait until nothing more is written, and return the log's position."""
        async with await psycopg.AsyncConnection.connect(self._server_url, autocommit=True) as connection:
            before, now = "", await _value(connection, "SELECT pg_current_wal_lsn()")
            while now != before:
                await asyncio.sleep(QUIET_SECONDS)
                before, now = now, await _value(connection, "SELECT pg_current_wal_lsn()")
        return now

    async def written(self, database_url: str, start: str, end: str) -> Written:
        """Return what was written to a database between two positions."""
        async with await psycopg.AsyncConnection.connect(database_url) as connection:
            folder = Path(await _value(connection, "SHOW data_directory")) / "pg_wal"
            database = await _value(connection, "SELECT oid FROM pg_database WHERE datname = current_database()")
        process = await asyncio.create_subprocess_exec(
            service_account.programs(None) / "pg_waldump",
            "--path",
            folder,
            "--start",
            start,
            "--end",
            end,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, error = await process.communicate()
        if process.returncode:
            raise OSError(f"The log cannot be read: {error.decode()}")
        return tally(out.decode().splitlines(), database)


def tally(lines: Iterable[str], database: str) -> Written:
    """Sum the records of `pg_waldump` for a database, given by its number."""
    records = list(filter(None, map(Record.read, lines)))
    known = [record.transactions for record in records if record.database == database]
    ours = frozenset[str]().union(*known)
    counted = (record for record in records if record.database in ("", database) and record.transactions & ours)
    return sum((record.written for record in counted), Written())


async def _value(connection: psycopg.AsyncConnection, query: LiteralString) -> str:
    row = await (await connection.execute(query)).fetchone()
    return str(row[0]) if row else ""
