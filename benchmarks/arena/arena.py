"""The test bench: one embedded PostgreSQL, a database with the handbook for each bot, and a model without delay."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psycopg
from psycopg import sql

from benchmarks.arena.contestants import Contestant, Name
from benchmarks.arena.write_ahead import WriteAheadLog
from benchmarks.databases import as_app, let_serve
from bot.cli.demo import HANDBOOK
from bot.knowledge.documents import Embedder
from bot.knowledge.ingest import ingest
from bot.models.embedding import MiniLm
from bot.postgres import embedded
from bot.postgres.migrations import migrate, restrict
from bot.postgres.pool import Database
from playground import Playground
from playground.protocol.rate_limits import Limits

UNDISTURBED = {"autovacuum": "off", "checkpoint_timeout": "1h", "max_wal_size": "16GB"}
"""Commits are flushed to disk as usual, but the server does no background work while we count."""
TEMPLATE = "handbook"
SOON: Sequence[float] = (0.5, 2.0)
"""Seconds until an unacknowledged event is repeated."""
_NUMBERS = count()
"""Of the databases of all arenas, because several may use one server."""


@dataclass(kw_only=True)
class Arena:
    """The server, and its databases."""

    server_url: str
    template: str
    """A template database with documents, without connections."""
    folder: Path = Path()
    """The server's folder."""

    @property
    def log(self) -> WriteAheadLog:
        """The server's write-ahead log."""
        return WriteAheadLog(self.server_url)

    @asynccontextmanager
    async def contestant(
        self,
        name: Name,
        environment: Mapping[str, str],
        *,
        limits: Limits = "off",
        command: tuple[str, ...] = (),
        ack_seconds: float = 3.0,
        retry_pauses: Sequence[float] = SOON,
    ) -> AsyncGenerator[Contestant]:
        """Create a database and a Slack for a bot, without starting the bot. Kill the bot when the context ends."""
        database_url = self.clone()
        async with Playground.open(ack_seconds=ack_seconds, retry_pauses=retry_pauses, limits=limits) as playground:
            contestant = Contestant(
                name=name, playground=playground, database_url=database_url, environment=environment, command=command
            )
            try:
                yield contestant
            finally:
                await contestant.kill()
                contestant.errors.close()

    @asynccontextmanager
    async def running(
        self,
        *names: Name,
        environment: Mapping[str, str],
        ack_seconds: float = 3.0,
        retry_pauses: Sequence[float] = SOON,
    ) -> AsyncGenerator[list[Contestant]]:
        """Start several bots."""
        async with AsyncExitStack() as stack:
            contestants = [
                await stack.enter_async_context(
                    self.contestant(name, environment, ack_seconds=ack_seconds, retry_pauses=retry_pauses)
                )
                for name in names
            ]
            await asyncio.gather(*(contestant.start() for contestant in contestants))
            yield contestants

    @contextmanager
    def slow_commits(self, milliseconds: int) -> Generator[None]:
        """Delay each commit of the server, together with commits that arrive in the meantime."""
        self._set_commit_delay(1000 * milliseconds)
        try:
            yield
        finally:
            self._set_commit_delay(0)

    def _set_commit_delay(self, microseconds: int) -> None:
        with psycopg.connect(self.server_url, autocommit=True) as connection:
            connection.execute(sql.SQL("ALTER SYSTEM SET commit_delay = {}").format(microseconds))
            connection.execute("ALTER SYSTEM SET commit_siblings = 0")
            connection.execute("SELECT pg_reload_conf()")

    def clone(self) -> str:
        """Return the URL of a new database with the handbook in it."""
        name = f"arena_{next(_NUMBERS)}"
        with psycopg.connect(self.server_url, autocommit=True) as connection:
            clone = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
            connection.execute(clone.format(sql.Identifier(name), sql.Identifier(self.template)))
        url = database_at(self.server_url, name)
        restrict(url)
        return url


@contextmanager
def open_arena(settings: Mapping[str, str] = UNDISTURBED, *, documents: Path | None = HANDBOOK) -> Generator[Arena]:
    """Serve a database with the handbook, or with other or no documents, while the context is open."""
    with tempfile.TemporaryDirectory(prefix="askback-") as folder:
        Path(folder).chmod(0o755)  # If we are root, the server runs as another account.
        with embedded.running(Path(folder) / "server", settings) as url:
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(TEMPLATE)))
            let_serve(url)
            migrate(database_at(url, TEMPLATE))
            if documents is not None:
                asyncio.run(fill(database_at(url, TEMPLATE), documents))
            yield Arena(server_url=url, template=TEMPLATE, folder=Path(folder) / "server")


def database_at(server_url: str, name: str) -> str:
    """Return the URL of another database of the server."""
    return f"{server_url.rsplit('/', 1)[0]}/{name}"


async def fill(url: str, folder: Path, embedder: Embedder | None = None) -> None:
    """Read a folder's documents into a migrated database."""
    async with Database.open(as_app(url), size=4, workspace="default") as database:
        await ingest(database, embedder or MiniLm.load(), "default", [folder])
