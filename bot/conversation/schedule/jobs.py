"""What is done when time has passed: reminders, answers that nobody chose, and checkpoints that nobody needs."""

from dataclasses import asdict
from datetime import datetime, timedelta

import structlog

from bot.conversation import store
from bot.conversation.address import Ts
from bot.conversation.items import Kind, Surface
from bot.conversation.reviews import review_store
from bot.conversation.schedule import job_store
from bot.conversation.schedule.job_store import Due
from bot.conversation.schedule.pruning import Pruning
from bot.conversation.traces import trace_store
from bot.conversation.turns.sequels import Sequel
from bot.postgres.pool import Connection, Database
from graph.context import Clock
from graph.turn import Choice


class ScheduledJobs:
    """The sweeps over one workspace; each may run anywhere at any time, in several processes at once."""

    def __init__(
        self, database: Database, clock: Clock, *, workspace: str, surface: Surface, pruning: Pruning,
        prune_after: timedelta, forget_runs_after: timedelta = timedelta(days=30),
    ) -> None:  # fmt: skip
        self._database = database
        self._clock = clock
        self._workspace = workspace
        self._surface: Surface = surface
        self._pruning = pruning
        self._prune_after = prune_after
        self._forget_runs_after = forget_runs_after

    async def remind(self) -> None:
        """Put a reminder into the inbox for every question that has waited long, once."""
        async with self._database.transaction(self._workspace) as connection:
            now = self._clock.now()
            for due in await job_store.due_reminders(connection, surface=self._surface, now=now):
                await self._put(connection, "reminder", due, {})

    async def expire(self) -> None:
        """Answer what nobody answered in time as if "Just answer" had been clicked; show what nobody reviewed."""
        while await self._expire_next():
            structlog.stdlib.get_logger().info("clarification_expired")
        while await self._expire_next_review():
            structlog.stdlib.get_logger().info("review_expired")

    async def prune(self) -> None:
        """Keep only the latest checkpoint of threads in which nothing has happened for long; it holds their memory.

        What runs of long ago did is forgotten.
        """
        now = self._clock.now()
        async with self._database.transaction(self._workspace) as connection:
            await trace_store.forget_before(connection, now - self._forget_runs_after)
            before = now - self._prune_after
            quiet = await job_store.quiet_threads(connection, workspace=self._workspace, before=before)
        for thread_id in quiet:
            await self._pruning.prune(thread_id)
        structlog.stdlib.get_logger().info("threads_pruned", count=len(quiet))

    async def _expire_next(self) -> bool:
        # A transaction for each: a click that meets the lock is refused, so it must be short.
        async with self._database.transaction(self._workspace) as connection:
            due = await job_store.expire_next(connection, surface=self._surface, now=self._clock.now())
            if due is not None:
                await self._put(connection, "reply", due, {"choice": asdict(Choice(kind="just_answer"))})
        return due is not None

    async def _expire_next_review(self) -> bool:
        now = self._clock.now()
        async with self._database.transaction(self._workspace) as connection:
            review_id = await review_store.expire_next(connection, surface=self._surface, now=now)
            if review_id is not None:
                await review_store.insert_step(connection, "ruling", review_id, place=_at(now), now=now)
        return review_id is not None

    async def _put(self, connection: Connection, kind: Kind, due: Due, content: dict[str, object]) -> None:
        now = self._clock.now()
        sequel = Sequel(
            kind=kind,
            about=due.inbox_id,
            place=_at(now),
            event_key=f"{'reminder' if kind == 'reminder' else 'expiry'}:{due.clarification_id}",
            content={"clarification_id": due.clarification_id, **content},
        )
        await store.insert_sequel(connection, sequel, now=now)


def _at(moment: datetime) -> Ts:
    return Ts(f"{moment.timestamp():.6f}")
