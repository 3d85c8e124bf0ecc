"""The connection pool and its transactions. It knows no tables."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from select import POLLIN, poll
from typing import Any, Final, TypeAlias

from pgvector.psycopg.halfvec import register_halfvec_info
from psycopg import AsyncConnection, OperationalError
from psycopg.rows import DictRow, dict_row
from psycopg.types import TypeInfo
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from bot.errors import DatabaseUnreachableError
from bot.postgres.repair import GIVE_UP_SECONDS, repairing
from bot.postgres.serving_role import require_safe

Connection: TypeAlias = AsyncConnection[DictRow]

_SETUP: Final = """
    SELECT set_config('askback.workspace', %(workspace)s, false),
           set_config('tcp_keepalives_idle', '15', false), set_config('tcp_keepalives_interval', '10', false),
           set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '45000', false),
           (SELECT oid FROM pg_type WHERE oid = to_regtype('halfvec')) AS vector,
           (SELECT typarray FROM pg_type WHERE oid = to_regtype('halfvec')) AS vectors
"""
"""The start settings of each connection: its workspace, and TCP keepalives, by which the server notices a machine that
vanished and frees its claims. In the same round trip: the numbers of the type of vectors, unknown to psycopg."""

_CONNECTING: Final[dict[str, Any]] = {
    "row_factory": dict_row,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "connect_timeout": 10,
    # TCP keepalives pause while sent data is unacknowledged, so this timeout covers that case.
    "tcp_user_timeout": 20_000,
}
"""How a connection begins."""


class Database:
    """A pool of connections as the serving role, under row-level security."""

    def __init__(self, pool: "AsyncConnectionPool[Connection]", *, workspace: str) -> None:
        self._pool = pool
        self._workspace = workspace

    @property
    def pool(self) -> "AsyncConnectionPool[Connection]":
        """The pool, for a library that needs it."""
        return self._pool

    @property
    def url(self) -> str:
        """The address, for a child process with its own connections."""
        assert isinstance(self._pool.conninfo, str)
        return self._pool.conninfo

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str, *, size: int, workspace: str) -> AsyncGenerator["Database"]:
        """Open up to `size` connections to the rows of `workspace`.

        Raises `DatabaseUnreachableError` or `DatabaseUnsafeError`.
        """
        doubt = asyncio.Event()
        pool = _pool(url, size, workspace, doubt)
        try:
            # Start the repair first, because connections may be cut while the pool opens.
            async with repairing(pool, doubt):
                database = await cls._opened(pool, workspace)
                yield database
        finally:
            await pool.close()

    @classmethod
    async def _opened(cls, pool: "AsyncConnectionPool[Connection]", workspace: str) -> "Database":
        try:
            await pool.open(wait=True, timeout=10)
            async with pool.connection() as connection:
                await require_safe(connection)
        except (PoolTimeout, OperationalError) as error:
            raise DatabaseUnreachableError(f"The database does not answer: {error}") from error
        return cls(pool, workspace=workspace)

    @asynccontextmanager
    async def connection(self) -> AsyncGenerator[Connection]:
        """Lend a connection in autocommit mode, as LangGraph's saver needs it."""
        async with self._pool.connection() as connection:
            yield connection

    @asynccontextmanager
    async def session(self) -> AsyncGenerator[Connection]:
        """Open a connection beside the pool and close it at the end: the locks of its session end with it."""
        connection = await self._pool.connection_class.connect(self.url, **_CONNECTING)
        try:
            await prepare(connection, workspace=self._workspace)
            yield connection
        finally:
            await connection.close()

    @asynccontextmanager
    async def transaction(self, workspace: str | None = None) -> AsyncGenerator[Connection]:
        """Lend a connection in a transaction, optionally of another workspace."""
        async with self._pool.connection() as connection, connection.transaction():
            if workspace is not None:
                await enter_workspace(connection, workspace)
            yield connection

    @asynccontextmanager
    async def at_once(self, workspace: str) -> AsyncGenerator[Connection]:
        """Lend a connection in a pipelined transaction: everything goes to the server in one round trip.

        BEGIN, the workspace, the statements and COMMIT would otherwise take a round trip each. Use it for reads whose
        statements do not depend on each other's results.
        """
        async with self._pool.connection() as connection, connection.pipeline(), connection.transaction():
            await enter_workspace(connection, workspace)
            yield connection


def _pool(url: str, size: int, workspace: str, doubt: asyncio.Event) -> "AsyncConnectionPool[Connection]":
    async def check(connection: Connection) -> None:
        try:
            await _require_alive(connection)
        except OperationalError:
            # If one connection is dead, others may be dead too.
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
        kwargs=_CONNECTING,
    )


async def enter_workspace(connection: Connection, workspace: str) -> None:
    """Limit the open transaction to the rows of `workspace`."""
    await connection.execute("SELECT set_config('askback.workspace', %(workspace)s, true)", {"workspace": workspace})


async def _require_alive(connection: Connection) -> None:
    # This check raises an error if the server is gone, for instance after a restart. Then the pool lends another
    # connection. A live server sends nothing unasked, so a round trip is needed only if there is something to read.
    unasked = poll()
    unasked.register(connection.fileno(), POLLIN)
    if unasked.poll(0):
        await connection.execute("")


async def prepare(connection: Connection, *, workspace: str) -> None:
    """Set up a connection of the pool for `workspace`."""
    # Autocommit is set here and not in the pool's kwargs, because procrastinate's listener passes it too.
    await connection.set_autocommit(True)
    connection.prepare_threshold = 2
    row = await (await connection.execute(_SETUP, {"workspace": workspace})).fetchone()
    # pgvector's own function takes twelve more round trips, for four types of which Askback uses one.
    if row and row["vector"]:
        register_halfvec_info(connection, TypeInfo("halfvec", row["vector"], row["vectors"]))
