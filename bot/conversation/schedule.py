"""What is done when time has passed: reminders, answers that nobody chose, and checkpoints that nobody needs.

procrastinate runs these jobs; it lets one of all processes run each.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

import structlog
from procrastinate import App, PsycopgConnector

from bot.conversation import store
from bot.conversation.address import ts_at
from bot.conversation.asks import ask_store, call_store
from bot.conversation.asks.clarifications import Clarification
from bot.conversation.asks.review import Review
from bot.conversation.items import Surface
from bot.conversation.payloads import ReminderPayload
from bot.conversation.traces import trace_store
from bot.conversation.workers import claim_store
from bot.conversation.workers.worker import prune
from bot.postgres.pool import Database
from bot.runtime import beside
from graph.context import Clock


@dataclass(frozen=True, kw_only=True)
class Retention:
    """How long what nobody needs is kept."""

    checkpoints: timedelta
    """How long a thread must be quiet before only its latest checkpoint stays."""
    runs: timedelta = timedelta(days=30)
    """How long the records of runs, and the words of calls, are kept."""


class ScheduledJobs:
    """The scheduled jobs of one workspace. Each may run at any time, in several processes at once."""

    def __init__(
        self, database: Database, clock: Clock, *, workspace: str, surface: Surface, retention: Retention
    ) -> None:
        self.database = database
        self.surface: Surface = surface
        self._clock = clock
        self._workspace = workspace
        self._retention = retention

    async def remind(self) -> None:
        """Put a reminder into the inbox for every question that has waited long, once."""
        async with self.database.transaction(self._workspace) as connection:
            now = self._clock.now()
            for asked in await ask_store.due_reminders(connection, surface=self.surface, now=now):
                await store.insert_sequel(
                    connection, asked.sequel(ReminderPayload(ask_id=asked.id), place=ts_at(now)), now=now
                )

    async def expire(self) -> None:
        """Answer what nobody answered in time as if "Just answer" had been clicked; show what nobody reviewed."""
        for kind in (Clarification, Review):
            while await self._expire_next(kind):
                structlog.stdlib.get_logger().info("ask_expired", kind=kind.kind)

    async def prune(self) -> None:
        """Keep only the latest checkpoint of threads in which nothing has happened for long; it holds their memory.

        What runs and calls of long ago did is forgotten.
        """
        now = self._clock.now()
        async with self.database.transaction(self._workspace) as connection:
            await trace_store.forget_before(
                connection, now - self._retention.runs, in_vain_since=now - trace_store.IN_VAIN
            )
            await call_store.forget_words(connection, before=now - self._retention.runs)
            before = now - self._retention.checkpoints
            quiet = await claim_store.quiet_threads(connection, workspace=self._workspace, before=before)
        for thread_id in quiet:
            await prune(self.database, thread_id)
        structlog.stdlib.get_logger().info("threads_pruned", count=len(quiet))

    async def _expire_next(self, kind: type[Clarification] | type[Review]) -> bool:
        now = self._clock.now()
        # A transaction for each: a click that meets the lock is refused, so it must be short.
        async with self.database.transaction(self._workspace) as connection:
            asked = await ask_store.expire_next(connection, kind, surface=self.surface, now=now)
            if asked is not None:
                await store.insert_sequel(connection, asked.expiry(ts_at(now)), now=now)
        return asked is not None


MEND_SECONDS = 1.0
PATIENCE_SECONDS = 5.0
HEARTBEAT_SECONDS = 60.0


@dataclass(frozen=True, kw_only=True)
class Cadence:
    """How often the jobs run, as cron expressions, and how soon after their time."""

    deadlines: str = "* * * * *"
    pruning: str = "17 * * * *"
    poll_seconds: float = 5.0
    sources_seconds: float = 30.0
    """Between looks for sources whose time has come."""
    modes_seconds: float = 5.0
    """Between looks for untagged questions, cards and shared answers whose time has come."""
    verified_news_seconds: float = 600.0
    """Between looks for verified answers that end soon, or that are new."""
    flag_news_seconds: float = 300.0
    """Between looks for flagged documents: what several readers say meanwhile is told at once, or is taken back."""
    sources_niceness: int = 10
    """Niceness of the process that reads a source, so that answers go first."""


class Scheduler:
    """The jobs and their times."""

    def __init__(self, jobs: ScheduledJobs, cadence: Cadence) -> None:
        self._jobs = jobs
        self._cadence = cadence

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Run the jobs at their times until the context ends."""
        async with beside(self._run_for_ever(), name="scheduler"):
            yield

    async def _run_for_ever(self) -> None:
        log = structlog.stdlib.get_logger()
        while True:
            # Without its connections procrastinate stops: sometimes it raises, sometimes it just returns.
            try:
                await self._run()
            except Exception as error:  # noqa: BLE001 — whatever stopped it, the jobs go on.
                log.warning("scheduler_error", error=type(error).__name__)
            await asyncio.sleep(MEND_SECONDS)

    async def _run(self) -> None:
        async with self._app().open_async(self._jobs.database.pool) as app:
            await app.run_worker_async(
                name="scheduled-jobs",
                queues=[self._jobs.surface],
                # It would keep a connection for itself, and no job is in a hurry.
                listen_notify=False,
                fetch_job_polling_interval=self._cadence.poll_seconds,
                # procrastinate schedules the next one.
                delete_jobs="always",
                install_signal_handlers=False,
                shutdown_graceful_timeout=PATIENCE_SECONDS,
                update_heartbeat_interval=HEARTBEAT_SECONDS,
                stalled_worker_timeout=5 * HEARTBEAT_SECONDS,
            )

    def _app(self) -> App:
        app = App(connector=PsycopgConnector())
        for name, cron, job in (
            ("remind", self._cadence.deadlines, self._jobs.remind),
            ("expire", self._cadence.deadlines, self._jobs.expire),
            ("prune", self._cadence.pruning, self._jobs.prune),
        ):
            # Another installation on the same database has jobs of its own.
            task = app.task(name=f"{name}:{self._jobs.surface}", queue=self._jobs.surface)
            app.periodic(cron=cron)(task(_timed(job)))
        return app


def _timed(job: Callable[[], Awaitable[None]]) -> Callable[[int], Awaitable[None]]:
    async def timed(timestamp: int) -> None:  # noqa: ARG001 — procrastinate tells the time; ours is the clock's.
        await job()

    return timed
