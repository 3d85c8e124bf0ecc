"""What is done when time has passed: reminders, answers that nobody chose, and checkpoints that nobody needs."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from bot.conversation import store
from bot.conversation.address import Ts
from bot.conversation.asks import ask_store, call_store
from bot.conversation.asks.clarifications import Clarification
from bot.conversation.items import Surface
from bot.conversation.reviews.review import Review
from bot.conversation.schedule.pruning import prune
from bot.conversation.traces import trace_store
from bot.postgres.pool import Database
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
        self._database = database
        self._clock = clock
        self._workspace = workspace
        self._surface: Surface = surface
        self._retention = retention

    async def remind(self) -> None:
        """Put a reminder into the inbox for every question that has waited long, once."""
        async with self._database.transaction(self._workspace) as connection:
            now = self._clock.now()
            for asked in await ask_store.due_reminders(connection, Clarification, surface=self._surface, now=now):
                await store.insert_sequel(connection, asked.sequel("reminder", place=_at(now)), now=now)

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
        async with self._database.transaction(self._workspace) as connection:
            await trace_store.forget_before(connection, now - self._retention.runs)
            await call_store.forget_words_before(connection, now - self._retention.runs)
            before = now - self._retention.checkpoints
            quiet = await store.quiet_threads(connection, workspace=self._workspace, before=before)
        for thread_id in quiet:
            await prune(self._database, thread_id)
        structlog.stdlib.get_logger().info("threads_pruned", count=len(quiet))

    async def _expire_next(self, kind: type[Clarification] | type[Review]) -> bool:
        now = self._clock.now()
        # A transaction for each: a click that meets the lock is refused, so it must be short.
        async with self._database.transaction(self._workspace) as connection:
            asked = await ask_store.expire_next(connection, kind, surface=self._surface, now=now)
            if asked is not None:
                await store.insert_sequel(connection, asked.expiry(_at(now)), now=now)
        return asked is not None


def _at(moment: datetime) -> Ts:
    return Ts(f"{moment.timestamp():.6f}")
