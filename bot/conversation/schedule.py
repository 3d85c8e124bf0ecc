"""What is done when time has passed: reminders, answers that nobody chose, and checkpoints that nobody needs."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

import structlog

from bot.conversation import store
from bot.conversation.address import ts_at
from bot.conversation.asks import ask_store, call_store
from bot.conversation.asks.clarifications import Clarification
from bot.conversation.asks.review import Review
from bot.conversation.contents import ReminderContent
from bot.conversation.items import Surface
from bot.conversation.traces import trace_store
from bot.conversation.workers import claim_store
from bot.postgres.checkpoints import keep_latest_checkpoints
from bot.postgres.pool import Database
from bot.runtime import looking
from graph.context import Clock


@dataclass(frozen=True, kw_only=True)
class Retention:
    """How long what nobody needs is kept."""

    checkpoints: timedelta
    """How long a thread must be quiet before only its latest checkpoint stays."""
    runs: timedelta = timedelta(days=30)
    """How long the records of runs, and the words of calls, are kept."""


@dataclass(frozen=True, kw_only=True)
class Cadence:
    """The seconds between two looks for what is due; each process looks."""

    deadlines_seconds: float = 30.0
    pruning_seconds: float = 3600.0
    first_pruning_seconds: float = 60.0
    """For the first look, because a process may live for less than an hour."""
    sources_seconds: float = 30.0
    """For sources whose time has come."""
    modes_seconds: float = 5.0
    """For untagged questions, cards and shared answers whose time has come."""
    verified_news_seconds: float = 600.0
    """For verified answers that end soon, or that are new."""
    flag_news_seconds: float = 300.0
    """For flagged documents: what several readers say meanwhile is told at once, or is taken back."""
    sources_niceness: int = 10
    """Niceness of the process that reads a source, so that answers go first."""


class ScheduledJobs:
    """The scheduled jobs of one workspace. Each may run at any time, in several processes at once."""

    def __init__(
        self, database: Database, clock: Clock, *, workspace: str, surface: Surface, retention: Retention
    ) -> None:
        self._database = database
        self._surface: Surface = surface
        self._clock = clock
        self._workspace = workspace
        self._retention = retention

    @asynccontextmanager
    async def running(self, cadence: Cadence) -> AsyncGenerator[None]:
        """Run the jobs again and again while the context is open."""
        often, rarely = cadence.deadlines_seconds, cadence.pruning_seconds
        soon = min(cadence.first_pruning_seconds, rarely)
        async with (
            looking(self.remind, self.expire, name="deadlines", every_seconds=often, failure="scheduler_error"),
            looking(
                self.prune, name="pruning", every_seconds=rarely, first_after_seconds=soon, failure="scheduler_error"
            ),
        ):
            yield

    async def remind(self) -> None:
        """Put a reminder into the inbox for every question that has waited long, once."""
        async with self._database.transaction(self._workspace) as connection:
            now = self._clock.now()
            for asked in await ask_store.due_reminders(connection, surface=self._surface, now=now):
                reminder = asked.sequel(ReminderContent(ask_id=asked.id), ts_at(now))
                await store.insert_sequel(connection, reminder, now=now)

    async def expire(self) -> None:
        """Answer what nobody answered in time as if "Just answer" had been clicked; show what nobody reviewed."""
        for kind in (Clarification, Review):
            while await self._expire_next(kind):
                structlog.stdlib.get_logger().info("ask_expired", kind=kind.kind)

    async def prune(self) -> None:
        """Keep only the latest checkpoint of threads that are quiet or have many; it holds their memory.

        What runs and calls of long ago did is forgotten.
        """
        now = self._clock.now()
        async with self._database.transaction(self._workspace) as connection:
            await trace_store.forget_before(
                connection, now - self._retention.runs, in_vain_since=now - trace_store.IN_VAIN
            )
            await call_store.forget_words(connection, before=now - self._retention.runs)
            before = now - self._retention.checkpoints
            threads = await claim_store.threads_to_prune(connection, before=before)
        await keep_latest_checkpoints(self._database, threads)
        structlog.stdlib.get_logger().info("threads_pruned", count=len(threads))

    async def _expire_next(self, kind: type[Clarification] | type[Review]) -> bool:
        now = self._clock.now()
        # A transaction for each: a click that meets the lock is refused, so it must be short.
        async with self._database.transaction(self._workspace) as connection:
            asked = await ask_store.expire_next(connection, kind, surface=self._surface, now=now)
            if asked is not None:
                await store.insert_sequel(connection, asked.expiry(ts_at(now)), now=now)
        return asked is not None
