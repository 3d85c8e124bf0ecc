"""Compares many questions with a slow model with the plain bot: `python -m benchmarks.throughput.waiting [--quick]`.

Each call of the model takes 300 ms, so a question mostly waits. Both bots get this many questions at once, in turns.
Then the database restarts while Askback's questions wait for the model. The additional model calls show how many runs
started again.

It takes about four minutes, with `--quick` one.
"""

import asyncio
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import psycopg

from benchmarks.arena.arena import UNDISTURBED, Arena, open_arena
from benchmarks.arena.contestants import Contestant
from benchmarks.arena.model import Model, serving_model
from benchmarks.arena.questions import plain
from benchmarks.command import chosen_extent
from bot.postgres import embedded

THINKING_SECONDS = 0.3
LONG_THINKING_SECONDS = 3.0
"""Longer than the server takes to restart."""
WARMING = 8
CALLS_A_QUESTION = 3


@dataclass(frozen=True, kw_only=True)
class Extent:
    """How much is measured."""

    counts: Sequence[int]
    """Questions at once."""
    rounds: int
    restarted: int
    """Questions at once while the database restarts."""


@dataclass
class Waited:
    """A bot's results with one number of questions."""

    per_second: list[float] = field(default_factory=list[float])
    seconds: list[float] = field(default_factory=list[float])
    """From each question to its whole answer."""
    connections: int = 0
    """The most that were open at a time."""

    @property
    def cells(self) -> list[str]:
        """Return the table's cells."""
        return [
            f"{statistics.median(self.per_second):.1f}",
            f"{statistics.median(self.seconds):.1f} s",
            f"{max(self.seconds):.1f} s",
            str(self.connections),
        ]


FULL = Extent(counts=(8, 24, 100, 250), rounds=3, restarted=24)
QUICK = Extent(counts=(8, 24), rounds=1, restarted=8)


def main() -> None:
    """Parse, measure, print."""
    extent = chosen_extent("throughput.waiting", __doc__, full=FULL, quick=QUICK, less="fewer questions, and each once")
    with open_arena() as arena:
        asyncio.run(measure(arena, extent))


async def measure(arena: Arena, extent: Extent) -> None:
    """Ask and restart, and print a table of each as it comes."""
    async with serving_model(delay_seconds=THINKING_SECONDS) as model:
        await _counts(arena, model, extent)
    async with serving_model(delay_seconds=LONG_THINKING_SECONDS) as model:
        await _restarted(arena, model, extent.restarted)


async def _counts(arena: Arena, model: Model, extent: Extent) -> None:
    print("| questions at once | bot | answers a second | to the whole answer, median | longest | connections |")
    print("| ---: | --- | ---: | ---: | ---: | ---: |", flush=True)
    async with arena.running("Askback", "plain", environment=model.environment) as bots:
        for bot in bots:
            await _ask(arena, bot, WARMING, Waited())
        for count in extent.counts:
            waited = {bot.name: Waited() for bot in bots}
            for number in range(extent.rounds):
                for bot in bots if number % 2 == 0 else reversed(bots):
                    await _ask(arena, bot, count, waited[bot.name])
            for bot in bots:
                print(f"| {count} | {bot.name} | {' | '.join(waited[bot.name].cells)} |", flush=True)


async def _ask(arena: Arena, bot: Contestant, count: int, waited: Waited) -> None:
    began = time.perf_counter()
    counting = asyncio.create_task(_count_connections(arena, bot, waited))
    pending = {await bot.ask(plain(number)): time.perf_counter() for number in range(count)}

    def all_answered() -> bool:
        for root in [root for root in pending if bot.answered(root)]:
            waited.seconds.append(time.perf_counter() - pending.pop(root))
        return not pending

    await bot.playground.until(all_answered, 300.0)
    counting.cancel()
    waited.per_second.append(count / (time.perf_counter() - began))


async def _count_connections(arena: Arena, bot: Contestant, waited: Waited) -> None:
    database = bot.database_url.rsplit("/", 1)[1]
    async with await psycopg.AsyncConnection.connect(arena.server_url, autocommit=True) as owner:
        while True:
            cursor = await owner.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = %s", (database,))
            (now,) = await cursor.fetchone() or (0,)
            waited.connections = max(waited.connections, now)
            await asyncio.sleep(0.1)


async def _restarted(arena: Arena, model: Model, count: int) -> None:
    async with arena.running("Askback", environment=model.environment) as (bot,):
        await _ask(arena, bot, 1, Waited())
        before = model.calls
        asking = asyncio.create_task(_ask(arena, bot, count, Waited()))
        while model.calls < before + count:  # noqa: ASYNC110 - Nobody tells.
            await asyncio.sleep(0.05)
        await asyncio.to_thread(embedded.stop, arena.folder)
        await asyncio.to_thread(embedded.start, arena.folder, UNDISTURBED)
        await asking
    beyond = model.calls - before - CALLS_A_QUESTION * count
    print(f"\nThe database restarts while {count} questions wait for the model: {beyond} calls beyond what they need.")


if __name__ == "__main__":
    main()
