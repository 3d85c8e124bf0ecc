"""The roles in the tests' databases: an owner that is no superuser, as on a managed server, and the serving role."""

import itertools
import os
import shutil
import socket
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
from psycopg import sql

from benchmarks.databases import as_app, let_serve
from bot.postgres import embedded
from bot.postgres.function_role import FUNCTION_ROLE

__all__ = ["administered", "as_app", "drop_database", "keep_port", "make_database", "make_roles", "short_lived"]
OWNER, PASSWORD = "askback_owner", "owns"
LOCK_TIMEOUT = "120s"
"""How long a test's own connection waits for a lock, or for a clone: for longer, it is waiting for itself."""

MEMORY = Path("/dev/shm")
"""A folder in memory, on Linux: cloning there takes a tenth of the processor time that it takes on a disk."""
ROOM_BYTES = 2 << 30
"""The space that several servers need there. A container may have less."""
SETTINGS = {
    "fsync": "off",
    "min_wal_size": "32MB",
    "max_wal_size": "128MB",
    # Few SCRAM iterations, because both sides repeat them for each of thousands of connections.
    "scram_iterations": "1",
    # A test that needs statistics runs ANALYZE. Workers would look after thousands of databases that live for a second.
    "autovacuum": "off",
    # Each clone is followed by a checkpoint, so nearly every page would be written whole.
    "full_page_writes": "off",
    # Everything is in memory, so that nobody has to read ahead.
    "io_method": "sync",
    "bgwriter_lru_maxpages": "0",
    "wal_writer_delay": "10s",
    "jit": "off",
}
_RIGHTS = """
    REVOKE TEMPORARY, CREATE ON DATABASE {0} FROM PUBLIC, askback_app;
    GRANT CONNECT ON DATABASE {0} TO askback_app;
"""
"""Those of `bot.postgres.migrations`, which needs a connection to the database itself."""
_kept: dict[str, psycopg.Connection] = {}
"""The superusers' connections that are kept open, by the URL of the server."""
_RESERVED = range(20_000, 30_000)
"""Ports that no system hands out to a program that asks for any."""


def keep_port(folder: Path) -> None:
    """Give a server that will be restarted a port that nobody else gets in the meantime."""
    for number in itertools.count(os.getpid()):
        port = _RESERVED[number % len(_RESERVED)]
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)):
                (folder / "port").write_text(str(port))
                return


@contextmanager
def short_lived() -> Generator[str]:
    """Start a server while the context is open, and yield its URL for the superuser."""
    # pytest's own folder is closed to the service account that replaces root.
    has_room = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM_BYTES
    place = MEMORY if has_room else None
    with TemporaryDirectory(prefix="askback-", dir=place) as folder, embedded.running(Path(folder), SETTINGS) as url:
        yield url


@contextmanager
def administered(server_url: str) -> Generator[None]:
    """Keep a superuser's connection while the context is open: two new ones take a third of the time of a clone."""
    options = f"-c statement_timeout={LOCK_TIMEOUT}"
    with psycopg.connect(server_url, autocommit=True, options=options) as connection:
        _kept[server_url] = connection
        yield
        del _kept[server_url]


@contextmanager
def _superuser(server_url: str) -> Generator[psycopg.Connection]:
    if kept := _kept.get(server_url):
        yield kept
        return
    with psycopg.connect(server_url, autocommit=True) as connection:
        yield connection


def make_roles(server_url: str) -> None:
    """Create both roles on a server. The owner may see and end sessions, because the tests do so."""
    with psycopg.connect(server_url, autocommit=True) as connection:
        create = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {} IN ROLE pg_signal_backend, pg_read_all_stats")
        connection.execute(create.format(sql.Identifier(OWNER), sql.Literal(PASSWORD)))
        limit = sql.SQL("ALTER ROLE {} SET lock_timeout = {}")
        connection.execute(limit.format(sql.Identifier(OWNER), sql.Literal(LOCK_TIMEOUT)))
        # The owner may create no role.
        roles = map(sql.Identifier, (FUNCTION_ROLE, FUNCTION_ROLE, OWNER))
        connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN; GRANT {} TO {}").format(*roles))
    let_serve(server_url)


def make_database(server_url: str, name: str, template: str = "") -> str:
    """Create a database of the owner with the extension; return its URL for the owner."""
    with _superuser(server_url) as connection:
        # The default strategy takes more than twice the processor time.
        create = sql.SQL("CREATE DATABASE {} TEMPLATE {} OWNER {} STRATEGY file_copy")
        connection.execute(create.format(*map(sql.Identifier, (name, template or "template1", OWNER))))
        if template:
            # A clone lacks the rights that its template has on the database itself.
            connection.execute(sql.SQL(_RIGHTS).format(sql.Identifier(name)))
    server = f"{server_url.rsplit('/', 1)[0]}/{name}"
    if not template:
        with psycopg.connect(server) as connection:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    return as_role(server, OWNER, PASSWORD)


def drop_database(server_url: str, name: str) -> None:
    """Drop a database, even if it is in use."""
    with _superuser(server_url) as connection:
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def as_role(url: str, role: str, password: str) -> str:
    """Return a database's URL for a role."""
    return f"postgresql://{role}:{password}@{url.rpartition('@')[2]}"
