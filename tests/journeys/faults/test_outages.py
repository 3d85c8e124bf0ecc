"""Despite outages of the database, every question is answered once, and the bot continues."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import psycopg

from tests.journeys.harness import Harness, is_answer, text_of

PLAIN = "What is the limit for a hotel night?"


async def test_in_a_storm_of_cut_connections_all_is_answered_once_and_work_goes_on(harness: Harness) -> None:
    async with harness.bot():
        async with storm(harness, cuts=60):
            roots = [await harness.ask(PLAIN) for _ in range(8)]
        roots.append(await harness.ask(PLAIN))
        await all_answered(harness, roots)


async def test_a_burst_larger_than_the_pool_is_answered_once(harness: Harness) -> None:
    async with harness.bot(worker_slots=1):
        await all_answered(harness, [await harness.ask(PLAIN) for _ in range(20)])


async def all_answered(harness: Harness, roots: list[str]) -> None:
    """Wait for the answer of each thread, and check that the thread has no other message."""
    await harness.playground.until(lambda: all(any(is_answer(one) for one in harness.said(root)) for root in roots))
    await harness.settled()
    for root in roots:
        (answer,) = harness.said(root)
        assert "145 EUR" in text_of(answer)


@asynccontextmanager
async def storm(harness: Harness, *, cuts: int) -> AsyncGenerator[None]:
    """Cut one of the bot's connections every 50 ms, this many times, while the context is open."""

    async def blow() -> None:
        async with await psycopg.AsyncConnection.connect(harness.database_url, autocommit=True) as owner:
            for _ in range(cuts):
                await owner.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND backend_type = 'client backend'"
                    " AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1"
                )
                await asyncio.sleep(0.05)

    blowing = asyncio.create_task(blow())
    yield
    await blowing
