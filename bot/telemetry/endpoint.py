"""Serves a process's numbers, and those of the database, to Prometheus: `/metrics` (requirement O4)."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, LiteralString, TypeAlias

import psycopg
import structlog
from aiohttp import web
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, CollectorRegistry, Gauge, generate_latest
from psycopg_pool import PoolTimeout

from bot.errors import SettingsError
from bot.postgres.pool import Database
from bot.settings import Settings

PATIENCE_SECONDS: Final = 3.0
"""The longest wait for the database. Prometheus gives up after ten seconds."""

# What is typed in a terminal is left out: nobody resumes it if its command was killed.
_QUESTIONS: LiteralString = """
    SELECT count(*) AS waiting,
           coalesce(extract(epoch FROM now() - min(greatest(received_at, due_at)) FILTER (WHERE due_at <= now())), 0)
               AS oldest
    FROM inbox WHERE status IN ('waiting', 'asking') AND surface LIKE 'slack:%'
"""
_ASKS: LiteralString = "SELECT kind, count(*) AS open FROM asks WHERE status = 'open' GROUP BY kind"
_SOURCES: LiteralString = """
    SELECT CASE WHEN is_paused THEN 'paused' WHEN error <> '' THEN 'failing' WHEN synced_at IS NULL THEN 'unread'
                ELSE 'read' END AS state,
           count(*) AS sources
    FROM sources GROUP BY state
"""
_FAILURES: LiteralString = "SELECT count(*) AS failures FROM failures"
_QUERIES: Final = (_QUESTIONS, _ASKS, _SOURCES, _FAILURES)

Rows: TypeAlias = Sequence[Mapping[str, Any]]


@asynccontextmanager
async def monitored(settings: Settings, database: Database) -> AsyncGenerator[None]:
    """Serve the numbers at the address of the settings, if there is one. Raises `SettingsError` if it is taken."""
    if settings.metrics_address is None:
        yield
        return
    host, _, port = settings.metrics_address.rpartition(":")
    app = web.Application()
    app.router.add_get("/metrics", _Endpoint(database, settings.workspace).answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host.strip("[]"), int(port)).start()
        except OSError as error:
            raise SettingsError(
                f"ASKBACK_METRICS_ADDRESS: {settings.metrics_address} cannot be opened ({error.strerror})."
                " Each process needs a port of its own."
            ) from error
        structlog.get_logger().info("metrics_served", address=settings.metrics_address)
        yield
    finally:
        await runner.cleanup()


@dataclass(frozen=True)
class _Endpoint:
    database: Database
    workspace: str

    async def answer(self, _request: web.Request) -> web.Response:
        """Return all numbers; without the database those of the process, and that it does not answer."""
        registry = CollectorRegistry()
        answers = Gauge("askback_database_up", "Whether the database answers.", registry=registry)
        try:
            async with asyncio.timeout(PATIENCE_SECONDS), self.database.transaction(self.workspace) as connection:
                found = [await (await connection.execute(query)).fetchall() for query in _QUERIES]
            _fill(registry, *found)
            answers.set(1)
        except (psycopg.Error, PoolTimeout, TimeoutError, OSError) as error:
            structlog.get_logger().warning("metrics_without_database", error=type(error).__name__)
        return web.Response(
            body=generate_latest() + generate_latest(registry), headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4}
        )


def _fill(registry: CollectorRegistry, questions: Rows, asks: Rows, sources: Rows, failures: Rows) -> None:
    def gauge(name: str, says: str, value: float) -> None:
        Gauge(name, says, registry=registry).set(value)

    gauge("askback_questions_waiting", "Stored and not done yet; running ones too.", questions[0]["waiting"])
    gauge("askback_oldest_question_seconds", "How long the oldest of them has been due.", questions[0]["oldest"])
    gauge("askback_documents_failed", "Documents that could not be read.", failures[0]["failures"])
    open_ = Gauge("askback_asks_open", "Cards that wait for a person.", ["kind"], registry=registry)
    for row in asks:
        open_.labels(row["kind"]).set(row["open"])
    states = Gauge("askback_sources", "Sources of documents.", ["state"], registry=registry)
    for row in sources:
        states.labels(row["state"]).set(row["sources"])
