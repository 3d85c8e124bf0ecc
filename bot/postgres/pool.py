"""The connection pool and its transactions; knows no table."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from select import POLLIN, poll
from typing import Final, TypeAlias

from pgvector.psycopg import register_vector_async
from psycopg import AsyncConnection, OperationalError
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from bot.errors import DatabaseUnreachableError
from bot.postgres.repair import GIVE_UP_SECONDS, mending
from bot.postgres.serving_role import require_safe

Connection: TypeAlias = AsyncConnection[DictRow]

_SETUP: Final = """
    SELECT set_config('askback.workspace', %(workspace)s, false),
           set_config('tcp_keepalives_idle', '15', false), set_config('tcp_keepalives_interval', '10', false),
           set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '45000', false)
"""
"""What each connection begins with: the workspace that it sees, and the server's patience with a machine that vanished
without a word, which keeps its claims for so long."""


class Database:
    """A pool of connections of the serving role, which row-level security binds."""

    def __init__(self, pool: "AsyncConnectionPool[Connection]") -> None:
        self._pool = pool

    @property
    def pool(self) -> "AsyncConnectionPool[Connection]":
        """The pool itself, for a library that wants one."""
        return self._pool

    @property
    def url(self) -> str:
        """Its address, for a process that is to have connections of its own."""
        assert isinstance(self._pool.conninfo, str)
        return self._pool.conninfo

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str, *, size: int, workspace: str) -> AsyncGenerator["Database"]:
        """Open up to `size` connections, which see the rows of `workspace`.

        Raises `DatabaseUnreachableError` or `DatabaseUnsafeError`.
        """
        doubt = asyncio.Event()
        pool = _pool(url, size, workspace, doubt)
        try:
            # What is cut while it opens is mended, too.
            async with mending(pool, doubt):
                database = await cls._opened(pool)
                yield database
        finally:
            await pool.close()

    @classmethod
    async def _opened(cls, pool: "AsyncConnectionPool[Connection]") -> "Database":
        try:
            await pool.open(wait=True, timeout=10)
            async with pool.connection() as connection:
                await require_safe(connection)
        except (PoolTimeout, OperationalError) as error:
            raise DatabaseUnreachableError(f"The database does not answer: {error}") from error
        return cls(pool)

    @asynccontextmanager
    async def connection(self) -> AsyncGenerator[Connection]:
        """Lend a connection in autocommit, which LangGraph's saver needs."""
        async with self._pool.connection() as connection:
            yield connection

    @asynccontextmanager
    async def transaction(self, workspace: str | None = None) -> AsyncGenerator[Connection]:
        """Lend a connection inside a transaction, which may see the rows of another workspace instead."""
        async with self._pool.connection() as connection, connection.transaction():
            if workspace is not None:
                await enter_workspace(connection, workspace)
            yield connection

    @asynccontextmanager
    async def at_once(self, workspace: str) -> AsyncGenerator[Connection]:
        """Lend a connection inside such a transaction, which goes to the server as a whole when a result is fetched.

        BEGIN, the workspace, the statements and COMMIT take one round trip where they would take one each: for whoever
        only reads, and needs no answer for the next question.
        """
        async with self._pool.connection() as connection, connection.pipeline(), connection.transaction():
            await enter_workspace(connection, workspace)
            yield connection


def _pool(url: str, size: int, workspace: str, doubt: asyncio.Event) -> "AsyncConnectionPool[Connection]":
    async def check(connection: Connection) -> None:
        try:
            await _require_alive(connection)
        except OperationalError:
            # One is dead: others may be.
            doubt.set()
            raise

    return AsyncConnectionPool[Connection](
        url,
        min_size=1,
        max_size=size,
        open=False,
        configure=partial(prepare, workspace=workspace),
        check=check,
        reconnect_timeout=GIVE_UP_SECONDS,
        reconnect_failed=lambda _: doubt.set(),
        kwargs={
            "row_factory": dict_row,
            "keepalives_idle": 10,
            "keepalives_interval": 5,
            "keepalives_count": 2,
            "connect_timeout": 10,
            # Keepalives do not count while something sent is unacknowledged.
            "tcp_user_timeout": 20_000,
        },
    )


async def enter_workspace(connection: Connection, workspace: str) -> None:
    """Bind the open transaction to the rows of `workspace`."""
    await connection.execute("SELECT set_config('askback.workspace', %(workspace)s, true)", {"workspace": workspace})


async def _require_alive(connection: Connection) -> None:
    # Raises where the server has gone: the pool then lends another. After a restart nobody meets a dead connection.
    # A live server says nothing unasked: only where there is something to read is it worth a round trip to ask.
    unasked = poll()
    unasked.register(connection.fileno(), POLLIN)
    if unasked.poll(0):
        await connection.execute("")


async def prepare(connection: Connection, *, workspace: str) -> None:
    """Let a connection of the pool see the rows of `workspace`."""
    # Autocommit is set here, not in the pool's kwargs: procrastinate's listener passes it a second time.
    await connection.set_autocommit(True)
    connection.prepare_threshold = 2
    await connection.execute(_SETUP, {"workspace": workspace})
    await register_vector_async(connection)
