"""PgBouncer in transaction mode, on a Unix socket, where it is installed."""

import asyncio
import os
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

PORT = 6432
"""It names the socket, and nobody listens on it."""
SESSIONS = 2
"""The sessions of the server that all connections share."""
START_SECONDS = 20.0

_PROGRAM = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
needs_pgbouncer = pytest.mark.skipif(_PROGRAM is None, reason="PgBouncer is not installed.")


@asynccontextmanager
async def pooled(url: str) -> AsyncGenerator[str]:
    """Run PgBouncer while the context is open, and yield the address of a database through it."""
    assert _PROGRAM
    with TemporaryDirectory(prefix="askback-pooler-", dir="/tmp") as folder:
        file = _configured(url, folder)
        # PgBouncer does not run as root.
        account = ["-u", "nobody"] if os.geteuid() == 0 else []
        process = await asyncio.create_subprocess_exec(_PROGRAM, "-q", *account, file)
        try:
            through = make_conninfo(
                host=folder, port=PORT, user="askback_app", dbname="pooled", application_name="pooled"
            )
            await _answers(through)
            yield through
        finally:
            process.kill()
            await process.wait()


def _configured(url: str, folder: str) -> str:
    given = conninfo_to_dict(url)
    keys = ("host", "port", "dbname", "user", "password")
    server = " ".join(f"{key}='{given[key]}'" for key in keys if key in given)
    file = Path(folder) / "pgbouncer.ini"
    file.write_text(
        f"""
[databases]
pooled = {server}
[pgbouncer]
pool_mode = transaction
auth_type = any
default_pool_size = {SESSIONS}
listen_port = {PORT}
unix_socket_dir = {folder}
"""
    )
    # Another account than root's reads the file and makes the socket.
    file.chmod(0o644)
    Path(folder).chmod(0o777)
    return str(file)


async def _answers(through: str) -> None:
    async with asyncio.timeout(START_SECONDS):
        while True:
            try:
                await (await psycopg.AsyncConnection.connect(through)).close()
            except psycopg.OperationalError:
                await asyncio.sleep(0.05)
            else:
                return
