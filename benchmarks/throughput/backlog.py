"""Measures the cost of a backlog: `python -m benchmarks.throughput.backlog [--quick]`; no graph.

The times depend on the machine. For the ratios, both sides took turns, so that both met the same load. It takes about
ten minutes, with `--quick` two.
"""

import asyncio
import os
import sys
import time
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from statistics import median, quantiles

import psycopg

from benchmarks.command import chosen_extent, pairs
from benchmarks.databases import as_app
from benchmarks.project import ROOT
from benchmarks.throughput.bare import Handler, bare_database, empty, fill, message, opened, worker
from bot import runtime
from bot.clock import SystemClock
from bot.conversation.intake import Intake
from playground import Delivery, Playground

CHANNEL, PEOPLE = "C0SUPPORT", ("U0ADA", "U0BEN")
SOCKETS = 2
FEW = 100
FLOOD, OTHERS = 1_000, 20
LATE_SECONDS = 3.0
"""Slack repeats an event after this time."""
NOISY_SECONDS = 0.1
"""The time of a run if two workspaces share a database; long enough that the processor is not the limit."""


@dataclass(frozen=True, kw_only=True)
class Extent:
    """How much is measured."""

    backlog: int
    rounds: int
    waiting: int
    posts: int
    questions: int


FULL = Extent(backlog=10_000, rounds=3, waiting=1_000, posts=1_000, questions=300)
QUICK = Extent(backlog=1_000, rounds=1, waiting=1_000, posts=100, questions=40)


def main() -> None:
    """Parse, measure, print."""
    extent = chosen_extent("throughput.backlog", __doc__, full=FULL, quick=QUICK, less="less of everything")
    with bare_database() as url:
        runtime.run(measure(url, extent))


async def measure(url: str, extent: Extent) -> None:
    """Measure and print one thing after another."""
    print(pairs("A backlog, drained by one worker of eight slots", await _drained(url, extent)), end="\n\n")
    print(pairs("Acknowledgements", await _acknowledged(url, extent)), end="\n\n")
    print(pairs("A noisy neighbour", await _neighbours(url, extent)))


async def _drained(url: str, extent: Extent) -> dict[str, str]:
    steady: list[float] = []
    deep: list[float] = []
    disorder = 0
    for _ in range(extent.rounds):
        for rates, waiting in ((steady, FEW), (deep, extent.backlog)):
            handler = await _drain(url, waiting, extent.backlog)
            rates.append(handler.per_second)
            disorder += handler.out_of_order
    ratio = median(one / other for one, other in zip(deep, steady, strict=True))
    return {
        f"items a second with {FEW} waiting": f"{median(steady):.0f}",
        f"items a second with {extent.backlog:,} waiting": f"{median(deep):.0f}",
        "… of the steady rate": f"{ratio:.0%}",
        "items out of their thread's order, or done twice": str(disorder),
    }


async def _drain(url: str, waiting: int, count: int) -> Handler:
    """Process this many items with a bounded number waiting."""
    empty(url)
    handler = Handler()
    async with opened(url) as database, worker(database, handler).running():
        for first in range(0, count, waiting):
            # Half of the waiting items are done before the next ones come.
            await handler.until(max(0, first - waiting // 2))
            await asyncio.to_thread(fill, url, min(waiting, count - first), first=first)
        await handler.until(count)
    return handler


async def _acknowledged(url: str, extent: Extent) -> dict[str, str]:
    """Post slowly with many waiting; then at ten times the workers' rate."""
    empty(url)
    async with Playground.open(ack_seconds=LATE_SECONDS, retry_pauses=(5.0, 20.0)) as playground:
        surface = f"slack:{playground.team_id}"
        async with _receiver(url, playground):
            fill(url, extent.waiting, surface=surface, workspace="default")
            calm = await _posted(playground, extent.posts, per_second=20)
            inserted = await _since_insert(url, calm)
            handler = Handler(seconds=0.4)
            async with (
                opened(url, workspace="default") as database,
                worker(database, handler, surface=surface).running(),
            ):
                rushed = await _posted(playground, 2 * extent.posts, per_second=200)
                done = len(handler.ended)
    late = sum(one.acknowledged_at is None or len(one.attempts) > 1 for one in rushed)
    return {
        f"with {extent.waiting:,} waiting: from the delivery, median and 99 of 100": _both(map(_waited, calm)),
        "… from the beginning of the insert": _both(inserted),
        "with 200 questions a second for workers that manage 20": _both(map(_waited, rushed)),
        f"… later than {LATE_SECONDS:.0f} s, of {len(rushed):,} (meanwhile done: {done})": str(late),
    }


@asynccontextmanager
async def _receiver(url: str, playground: Playground) -> AsyncGenerator[None]:
    """Run `askback receive`."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "from bot.cli.commands import main; main()", "receive", cwd=ROOT,
        env={
            **os.environ, "DATABASE_URL": as_app(url), "ASKBACK_LOG_LEVEL": "error",
            "SLACK_BOT_TOKEN": playground.bot_token, "SLACK_APP_TOKEN": playground.app_token,
            "SLACK_API_URL": playground.api_url, "ASKBACK_MOST_WAITING": "20000",
            "ASKBACK_MOST_WAITING_PER_PERSON": "20000",
        },
    )  # fmt: skip
    try:
        await playground.until(lambda: playground.sockets.connection_count >= SOCKETS, 60)
        yield
    finally:
        process.terminate()
        await process.wait()


async def _posted(playground: Playground, count: int, *, per_second: float) -> list[Delivery]:
    seen, began = len(playground.deliveries()), time.perf_counter()
    for number in range(count):
        await asyncio.sleep(max(0.0, began + number / per_second - time.perf_counter()))
        await playground.person(PEOPLE[number % 2]).post(CHANNEL, f"How many are {number}?", mention_bot=True)
    deliveries = playground.deliveries()[seen:]
    await playground.until(lambda: all(one.settled for one in deliveries), 120)
    return deliveries


def _waited(delivery: Delivery) -> float:
    return delivery.acknowledged_at - delivery.attempts[0].at if delivery.acknowledged_at else float("inf")


async def _since_insert(url: str, deliveries: Sequence[Delivery]) -> list[float]:
    """Return the seconds from the start of the receiver's insert to its acknowledgement."""
    async with await psycopg.AsyncConnection.connect(url) as connection:
        cursor = await connection.execute("SELECT event_key, extract(epoch FROM received_at)::float8 FROM inbox")
        began = {str(key): float(at) for key, at in await cursor.fetchall()}
    return [one.acknowledged_at - began[one.id] for one in deliveries if one.id in began and one.acknowledged_at]


async def _neighbours(url: str, extent: Extent) -> dict[str, str]:
    alone: list[float] = []
    beside: list[float] = []
    for number in range(2 * extent.rounds):
        empty(url)
        if number % 2:
            fill(url, extent.backlog, surface="noisy", workspace="noisy")
            async with _noise(url):
                beside += await _quiet(url, extent.questions)
        else:
            alone += await _quiet(url, extent.questions)
    return {
        "a quiet workspace alone: from intake to done, median and 99 of 100": _both(alone),
        f"… while another's {extent.backlog:,} are worked on": _both(beside),
        "… the 99 of 100 by": f"{_ninety_nine(beside) / _ninety_nine(alone) - 1:+.0%}",
        f"within one workspace, {FLOOD:,} of one person waiting: the latest place of {OTHERS} others": str(
            await _place(url)
        ),
    }


@asynccontextmanager
async def _noise(url: str) -> AsyncGenerator[None]:
    """Work on the other workspace in a child process."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.throughput.bare", url, "noisy", str(NOISY_SECONDS), cwd=ROOT
    )
    try:
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as owner:
            async with asyncio.timeout(60):
                while not await _any_done(owner):  # noqa: ASYNC110 (nobody tells)
                    await asyncio.sleep(0.1)
        yield
    finally:
        process.kill()
        await process.wait()


async def _any_done(owner: psycopg.AsyncConnection) -> bool:
    cursor = await owner.execute("SELECT FROM inbox WHERE surface = 'noisy' AND status = 'finished' LIMIT 1")
    return await cursor.fetchone() is not None


async def _quiet(url: str, questions: int) -> list[float]:
    handler, began = Handler(seconds=NOISY_SECONDS), dict[str, float]()
    async with opened(url, workspace="quiet") as database, worker(database, handler, surface="quiet").running():
        intake = Intake(database, SystemClock(), workspace="quiet", surface="quiet")
        for number in range(questions):
            one = message(number, person=f"U{number}")
            await intake.receive(one)
            began[one.address.message_ts] = time.perf_counter()
            await asyncio.sleep(0.05)
        await handler.until(questions)
    return [ended - began[ts] for ts, ended in handler.ended.items()]


async def _place(url: str) -> int:
    """Return the place of the last of twenty people who ask after one person's thousand questions."""
    empty(url)
    handler = Handler()
    async with opened(url, workspace="one") as database:
        intake = Intake(database, SystemClock(), workspace="one", surface="bare")
        for number in range(FLOOD):
            await intake.receive(message(number, person="flood"))
        others = [message(FLOOD + number, person=f"U{number}") for number in range(OTHERS)]
        for other in others:
            await intake.receive(other)
        async with worker(database, handler, slots=1).running():
            await handler.until(FLOOD + OTHERS)
    order = list(handler.ended)
    return 1 + max(order.index(other.address.message_ts) for other in others)


def _both(seconds: Iterable[float]) -> str:
    waits = list(seconds)
    return f"{1000 * median(waits):.1f}, {1000 * _ninety_nine(waits):.1f} ms"


def _ninety_nine(waits: Sequence[float]) -> float:
    return quantiles(waits, n=100)[98]


if __name__ == "__main__":
    main()
