"""The jobs run again and again, even if connections break."""

import asyncio
from dataclasses import dataclass, field

from bot.conversation.schedule import Cadence, ScheduledJobs, Scheduler
from bot.postgres.pool import Database
from tests.conversation.test_worker import interrupted

OFTEN = Cadence(deadlines="* * * * * *", pruning="* * * * * *", poll_seconds=0.1)
PATIENCE = 180.0


@dataclass
class Counted(ScheduledJobs):
    """Jobs that count their runs. The first run of each fails."""

    database: Database
    surface: str = "slack:T0"
    runs: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("remind", "expire", "prune"), 0))
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def remind(self) -> None:
        await self._count("remind")

    async def expire(self) -> None:
        await self._count("expire")

    async def prune(self) -> None:
        await self._count("prune")

    async def until(self, **runs: int) -> None:
        async with asyncio.timeout(PATIENCE), self.changed:
            await self.changed.wait_for(lambda: all(self.runs[name] >= count for name, count in runs.items()))

    async def _count(self, name: str) -> None:
        async with self.changed:
            self.runs[name] += 1
            self.changed.notify_all()
        if self.runs[name] == 1:
            raise RuntimeError("The first time it fails.")


async def done(database: Database) -> int:
    """Count the finished jobs that are still stored."""
    async with database.connection() as connection:
        cursor = await connection.execute(
            "SELECT count(*) AS done FROM procrastinate_jobs WHERE status NOT IN ('todo', 'doing')"
        )
        row = await cursor.fetchone()
        return row["done"] if row else -1


async def test_every_job_comes_round_though_one_failed(database: Database) -> None:
    jobs = Counted(database)
    async with Scheduler(jobs, OFTEN).running():
        await jobs.until(remind=2, expire=2, prune=2)

    assert 0 == await done(database)


async def test_cut_connections_do_not_stop_the_jobs(database: Database, database_url: str) -> None:
    jobs = Counted(database)
    async with Scheduler(jobs, OFTEN).running():
        await jobs.until(remind=1)
        async with interrupted(database_url):
            pass
        before = jobs.runs["remind"]
        await jobs.until(remind=before + 3)


async def test_two_installations_on_one_database_each_have_their_jobs(database: Database) -> None:
    ours, theirs = Counted(database), Counted(database, surface="slack:T1")
    async with (
        Scheduler(ours, OFTEN).running(),
        Scheduler(theirs, OFTEN).running(),
    ):
        await ours.until(remind=2)
        await theirs.until(remind=2)
