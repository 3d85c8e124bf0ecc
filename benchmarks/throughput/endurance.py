"""Measures what must not grow: `python -m benchmarks.throughput.endurance [--turns 1000] [--questions 10000]`.

It asks one thread many questions, without a model, and then many threads. What a turn loads from the database, the
process's memory and its speed must stay the same. It takes about a quarter of an hour on a quiet machine: three minutes
for the turns, and one for each thousand questions.
"""

import argparse
import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from statistics import median

import psutil
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncConnection
from rich.console import Console

from benchmarks.arena.arena import open_arena
from benchmarks.arena.contestants import Contestant, running
from benchmarks.arena.questions import plain
from benchmarks.comparison.load import rush
from bot.logs import configure_logs

THREADS = 50
LOADS = 50
WARM = 500
"""Questions until every cache is full."""


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """The data that a thread's next turn loads."""

    turns: int
    size: int
    """Bytes of the latest checkpoint with its values, as they are stored."""
    seconds: float
    """The time to load it, the median of many."""


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.throughput.endurance",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--turns", type=int, default=1000, help="turns of the one thread")
    parser.add_argument("--questions", type=int, default=10_000, help="questions in threads of their own")
    arguments = parser.parse_args()
    configure_logs("console", "warning")
    # Let the server vacuum, as it would in production.
    with open_arena({}) as arena:

        async def measure() -> None:
            async with arena.contestant("Askback", {}) as bot, running(bot):
                await _print_loads(bot, arguments.turns)
                await _print_memory(bot, arguments.questions)

        asyncio.run(measure())


async def _print_loads(bot: Contestant, turns: int) -> None:
    print("| A thread after … turns | bytes that a turn loads | milliseconds to load them |\n| ---: | ---: | ---: |")
    async for loaded in _loads(bot, turns):
        print(f"| {loaded.turns:,} | {loaded.size:,} | {1000 * loaded.seconds:.1f} |", flush=True)


async def _loads(bot: Contestant, turns: int) -> AsyncIterator[Loaded]:
    root = await bot.ask(plain(0))
    await bot.answers(root)
    for number in range(1, turns + 1):
        if number in (10, 100, turns):
            yield await _load(bot.database_url, root, number)
        if number < turns:
            await bot.ask(plain(number), root=root)
            await bot.answers(root, number + 1)


async def _load(database_url: str, root: str, turns: int) -> Loaded:
    async with AsyncPostgresSaver.from_conn_string(database_url) as saver:
        assert isinstance(saver.conn, AsyncConnection)
        cursor = await saver.conn.execute(
            "SELECT thread_id FROM checkpoints WHERE thread_id LIKE '%%' || %(root)s LIMIT 1", {"root": root}
        )
        row = await cursor.fetchone()
        assert row is not None
        found, seconds = None, list[float]()
        for _ in range(LOADS):
            began = time.perf_counter()
            found = await saver.aget_tuple({"configurable": {"thread_id": row["thread_id"], "checkpoint_ns": ""}})
            seconds.append(time.perf_counter() - began)
        assert found is not None
        cursor = await saver.conn.execute(
            """
            SELECT pg_column_size(c.*) + coalesce(sum(pg_column_size(b.*)), 0) AS size
            FROM checkpoints c
            LEFT JOIN checkpoint_blobs b ON b.thread_id = c.thread_id AND b.checkpoint_ns = c.checkpoint_ns
                 AND b.version = c.checkpoint -> 'channel_versions' ->> b.channel
            WHERE c.thread_id = %(thread_id)s AND c.checkpoint_id = %(id)s
            GROUP BY c.*
            """,
            {"thread_id": row["thread_id"], "id": found.checkpoint["id"]},
        )
        size = await cursor.fetchone()
    return Loaded(turns=turns, size=int(size["size"]) if size else 0, seconds=median(seconds))


async def _print_memory(bot: Contestant, questions: int) -> None:
    assert bot.process is not None
    process = psutil.Process(bot.process.pid)
    console = Console(stderr=True, highlight=False, log_path=False)
    print("\n| questions | megabytes of the process | answers a second since |\n| ---: | ---: | ---: |")
    asked = 0
    for milestone in _milestones(questions):
        began = time.perf_counter()
        console.log(f"From {asked:,} to {milestone:,} of {questions:,} questions …")
        await rush([bot], threads=THREADS, rounds=(milestone - asked) // THREADS)
        each_second = (milestone - asked) / (time.perf_counter() - began)
        print(f"| {milestone:,} | {process.memory_info().rss / 1e6:,.0f} | {each_second:.1f} |", flush=True)
        asked = milestone


def _milestones(questions: int) -> Iterator[int]:
    """Return when to measure: soon after the start, and then every thousand."""
    return (
        asked for asked in range(THREADS, questions + 1, THREADS) if asked in (WARM, questions) or asked % 1000 == 0
    )


if __name__ == "__main__":
    main()
