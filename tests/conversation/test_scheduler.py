"""The jobs run again and again, even if connections break."""

import asyncio
from dataclasses import dataclass, field

from bot.conversation.schedule import Cadence, ScheduledJobs
from bot.postgres.pool import Database
from tests.conversation.test_worker import interrupted

OFTEN = Cadence(deadlines_seconds=0.2, pruning_seconds=0.2)
PATIENCE = 180.0


@dataclass
class Counted(ScheduledJobs):
    """Jobs that count their runs. The first run of each fails."""

    database: Database
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


async def test_every_job_comes_round_though_one_failed(database: Database) -> None:
    jobs = Counted(database)
    async with jobs.running(OFTEN):
        await jobs.until(remind=2, expire=2, prune=2)


async def test_cut_connections_do_not_stop_the_jobs(database: Database, database_url: str) -> None:
    jobs = Counted(database)
    async with jobs.running(OFTEN):
        await jobs.until(remind=1)
        async with interrupted(database_url):
            pass
        before = jobs.runs["remind"]
        await jobs.until(remind=before + 3)
