"""The connection pool and its transactions. It knows no tables."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from select import POLLIN, poll
from typing import Any, Final, TypeAlias

from pgvector.psycopg.halfvec import register_halfvec_info
from psycopg import AsyncConnection, OperationalError
from psycopg.pq import PipelineStatus
from psycopg.rows import DictRow, dict_row
from psycopg.types import TypeInfo
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from bot.errors import DatabaseUnfitError, DatabaseUnreachableError
from bot.postgres.connecting import CONNECT_SECONDS
from bot.postgres.repair import GIVE_UP_SECONDS, repairing
from bot.postgres.serving_role import require_safe

Connection: TypeAlias = AsyncConnection[DictRow]

_TYPES: Final = """
    SELECT (SELECT oid FROM pg_type WHERE oid = to_regtype('halfvec')) AS vector,
           (SELECT typarray FROM pg_type WHERE oid = to_regtype('halfvec')) AS vectors
"""
"""The numbers of the type of vectors, unknown to psycopg."""
_SETUP: Final = f"""
    {_TYPES},
           set_config('askback.workspace', %(workspace)s, false),
           set_config('tcp_keepalives_idle', '15', false), set_config('tcp_keepalives_interval', '10', false),
           set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '45000', false)
"""
"""In the same round trip, the settings of a session: its workspace, and TCP keepalives, by which the server notices a
machine that vanished and frees its claims."""

_WHERE: Final = "SELECT current_database() AS name, pg_postmaster_start_time() AS since"
"""Which database of which server answers."""

_CONNECTING: Final[dict[str, Any]] = {
    "row_factory": dict_row,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "connect_timeout": CONNECT_SECONDS,
    # TCP keepalives pause while sent data is unacknowledged, so this timeout covers that case.
    "tcp_user_timeout": 20_000,
}
"""How a connection begins."""


class Database:
    """A pool of connections as the serving role, under row-level security.

    The pool may go through a pooler (PgBouncer in transaction mode). Then each transaction may run in another session
    of the server, so nothing is set for a session, and each transaction names its workspace.
    """

    def __init__(
        self, pool: "AsyncConnectionPool[Connection]", *, url: str, workspace: str, is_pooled: bool = False
    ) -> None:
        self._pool = pool
        self._url = url
        self._workspace = workspace
        self._is_pooled = is_pooled

    @property
    def url(self) -> str:
        """The server's address, for a session or a child process of its own."""
        return self._url

    @classmethod
    @asynccontextmanager
    async def open(
        cls, url: str, *, size: int, workspace: str, pooler: str | None = None
    ) -> AsyncGenerator["Database"]:
        """Open up to `size` connections to the rows of `workspace`, at `url` or through a pooler.

        Raises `DatabaseUnreachableError`, `DatabaseUnsafeError` or `DatabaseUnfitError`.
        """
        doubt = asyncio.Event()
        pool = _pool(pooler or url, size, None if pooler else workspace, doubt)
        try:
            # Start the repair first, because connections may be cut while the pool opens.
            async with repairing(pool, doubt):
                database = cls(pool, url=url, workspace=workspace, is_pooled=pooler is not None)
                await database._begin()
                yield database
        finally:
            await pool.close()

    async def _begin(self) -> None:
        try:
            await self._pool.open(wait=True, timeout=10)
            async with self._pool.connection() as connection:
                await require_safe(connection)
                if self._is_pooled:
                    await self._require_same_database(connection)
        except (PoolTimeout, OperationalError) as error:
            raise DatabaseUnreachableError(f"The database does not answer: {error}") from error

    async def _require_same_database(self, pooled: Connection) -> None:
        # Sessions would never be woken for what is stored elsewhere.
        async with self.session() as direct:
            here, there = [await (await one.execute(_WHERE)).fetchone() for one in (direct, pooled)]
        if here != there:
            raise DatabaseUnfitError("ASKBACK_POOLER_URL leads to another database than DATABASE_URL.")

    @asynccontextmanager
    async def connection(self) -> AsyncGenerator[Connection]:
        """Lend a connection in autocommit mode, which saves round trips; through a pooler, in a transaction."""
        async with self.transaction() if self._is_pooled else self._loan() as connection:
            yield connection

    @asynccontextmanager
    async def one_statement(self, workspace: str) -> AsyncGenerator[Connection]:
        """Lend a connection for one statement in a workspace.

        In autocommit mode it takes one round trip and 0.1 ms of processor time, in a transaction 0.2 ms.
        """
        async with self._loan() if self._named(workspace) is None else self.transaction(workspace) as connection:
            yield connection

    @asynccontextmanager
    async def session(self) -> AsyncGenerator[Connection]:
        """Open a connection beside pool and pooler, and close it at the end: the locks of its session end with it."""
        connection = await self._pool.connection_class.connect(self.url, **_CONNECTING)
        try:
            await prepare(connection, workspace=self._workspace)
            yield connection
        finally:
            await connection.close()

    @asynccontextmanager
    async def transaction(self, workspace: str | None = None) -> AsyncGenerator[Connection]:
        """Lend a connection in a transaction, optionally of another workspace."""
        named = self._named(workspace or self._workspace)
        async with self._loan() as connection, connection.transaction():
            if named is not None:
                await enter_workspace(connection, named)
            yield connection

    def _named(self, workspace: str) -> str | None:
        """Return the workspace if a transaction must name it: the pool's sessions are in theirs from the beginning."""
        return workspace if self._is_pooled or workspace != self._workspace else None

    @asynccontextmanager
    async def at_once(self, workspace: str) -> AsyncGenerator[Connection]:
        """Lend a connection in a pipelined transaction: everything goes to the server in one round trip.

        BEGIN, the workspace, the statements and COMMIT would otherwise take a round trip each. Use it for reads whose
        statements do not depend on each other's results.
        """
        named = self._named(workspace)
        async with self._loan() as connection, connection.pipeline(), connection.transaction():
            if named is not None:
                await enter_workspace(connection, named)
            yield connection

    @asynccontextmanager
    async def _loan(self) -> AsyncGenerator[Connection]:
        """Lend a connection of the pool, and close it if it is given back in pipeline mode.

        A task that is cancelled as it begins a pipeline leaves the connection so, and the pool takes it back. Its next
        user would hear that no statement found or stored anything, so a message would be taken for one to other people.

        Raises `CancelledError` for a task that is cancelled in the moment in which it gets the connection. Before
        Python 3.12, `asyncio.wait_for`, by which the pool waits, returns then as if nothing had happened. So a run went
        on that its asker had stopped: what stores the stop gives the run its connection, and then tells it to end.
        """
        cancelled = _cancellations()
        async with self._pool.connection() as connection:
            if _cancellations() > cancelled:
                raise asyncio.CancelledError
            try:
                yield connection
            finally:
                if connection.pgconn.pipeline_status != PipelineStatus.OFF:
                    await connection.close()


def _cancellations() -> int:
    """Return how often the current task was cancelled."""
    task = asyncio.current_task()
    return task.cancelling() if task else 0


def _pool(url: str, size: int, workspace: str | None, doubt: asyncio.Event) -> "AsyncConnectionPool[Connection]":
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


async def prepare(connection: Connection, *, workspace: str | None) -> None:
    """Set up a connection for `workspace`, or one through a pooler, which keeps no session."""
    await connection.set_autocommit(True)
    connection.prepare_threshold = None if workspace is None else 2
    cursor = await connection.execute(_TYPES if workspace is None else _SETUP, {"workspace": workspace})
    row = await cursor.fetchone()
    # pgvector's own function takes twelve more round trips, for four types of which Askback uses one.
    if row and row["vector"]:
        register_halfvec_info(connection, TypeInfo("halfvec", row["vector"], row["vectors"]))
