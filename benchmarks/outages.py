"""What the database's and the machine's mishaps cost: `python -m benchmarks.outages [--quick]`, beside the plain bot.

Each mishap happens to both bots at the same time, while both have questions to answer. Before and after it each bot
answers as many questions again, by turns: the ratio says whether it is as quick as before. Slack's redeliveries are on.
"""

import argparse
import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeAlias

import psycopg

from benchmarks.arena import UNDISTURBED, Arena, open_arena
from benchmarks.contestants import Contestant, Name
from benchmarks.faults import Outcome, outcome_of
from benchmarks.load import rush
from benchmarks.questions import plain
from bot import embedded
from bot.logs import configure_logs

Mishap: TypeAlias = Callable[[Arena, Sequence[Contestant]], Awaitable[None]]

STORM_CUTS, CUTS_A_SECOND = 100, 20
BURST = 60
"""More questions at once than a pool has connections."""
KILLS = 3


@dataclass(frozen=True, kw_only=True)
class Extent:
    """How much is measured."""

    questions: int
    """Asked while the mishap happens."""
    threads: int
    """Asked at once, before and after."""
    rounds: int
    mishaps: Mapping[str, tuple[Mishap, int]]
    """What happens, and how many questions there are to ask meanwhile, if it matters."""


async def restart(arena: Arena, bots: Sequence[Contestant]) -> None:
    """Stop the database in the middle, and start it again a second later."""
    del bots
    await asyncio.to_thread(embedded.stop, arena.folder)
    await asyncio.sleep(1)
    await asyncio.to_thread(embedded.start, arena.folder, UNDISTURBED)


async def storm(arena: Arena, bots: Sequence[Contestant]) -> None:
    """Cut a connection of each bot, whichever, twenty times a second."""
    async with await psycopg.AsyncConnection.connect(arena.server_url, autocommit=True) as owner:
        names = [bot.database_url.rsplit("/", 1)[1] for bot in bots]
        for number in range(STORM_CUTS * len(bots)):
            await owner.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s ORDER BY random() LIMIT 1",
                (names[number % len(names)],),
            )
            await asyncio.sleep(1 / CUTS_A_SECOND / len(bots))


async def burst(arena: Arena, bots: Sequence[Contestant]) -> None:
    """Nothing: so many questions are enough."""
    del arena, bots


async def kill(arena: Arena, bots: Sequence[Contestant]) -> None:
    """Kill the process and start it again."""
    del arena
    await asyncio.gather(*(bot.kill() for bot in bots))
    await asyncio.gather(*(bot.start() for bot in bots))


async def kills(arena: Arena, bots: Sequence[Contestant]) -> None:
    """Kill the process as soon as it is back, again and again."""
    for _ in range(KILLS):
        await kill(arena, bots)


MISHAPS: Mapping[str, tuple[Mishap, int]] = {
    "the database restarts": (restart, 10),
    f"connections are cut, {CUTS_A_SECOND} a second for {STORM_CUTS // CUTS_A_SECOND} s": (storm, 10),
    f"{BURST} questions at once, more than the pool has connections": (burst, BURST),
    "killed −9 in the middle": (kill, 10),
    f"killed −9 {KILLS} times, as soon as it is back": (kills, 10),
}
FULL = Extent(questions=10, threads=30, rounds=3, mishaps=MISHAPS)
QUICK = Extent(questions=5, threads=6, rounds=1, mishaps=dict(list(MISHAPS.items())[:2]))


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(prog="benchmarks.outages", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two of the mishaps, and less of everything")
    extent = QUICK if parser.parse_args().quick else FULL
    configure_logs("console", "error")
    with open_arena() as arena:
        asyncio.run(measure(arena, extent))


async def measure(arena: Arena, extent: Extent) -> None:
    """Let each mishap happen to fresh bots, and print what became of them, as it comes."""
    print("| right / lost / doubled; quickness after, of before | Askback | plain |\n| --- | ---: | ---: |")
    for title, (mishap, questions) in extent.mishaps.items():
        async with arena.running("Askback", "plain", environment={}) as bots:
            before = await _quickness(bots, extent)
            outcomes = await _suffer(arena, bots, mishap, max(questions, extent.questions))
            # A plain bot that the mishap has stopped would answer nothing more: it is started again by hand.
            await asyncio.gather(*(bot.start() for bot in bots if bot.is_gone))
            after = await _quickness(bots, extent)
        cells = [f"{_shown(outcomes[bot.name])}; {after[bot.name] / before[bot.name]:.0%}" for bot in bots]
        print(f"| {title} | {' | '.join(cells)} |", flush=True)


async def _quickness(bots: Sequence[Contestant], extent: Extent) -> dict[Name, float]:
    """Return how many answers a second each bot gives; none, where it does not come to an end."""
    rates: dict[Name, list[float]] = {bot.name: [] for bot in bots}
    for _ in range(extent.rounds):
        for bot in bots:
            try:
                rates[bot.name] += (await rush([bot], threads=extent.threads, rounds=1))[bot.name].per_second
            except TimeoutError:
                rates[bot.name].append(0.0)
    return {name: median(found) for name, found in rates.items()}


async def _suffer(arena: Arena, bots: Sequence[Contestant], mishap: Mishap, questions: int) -> dict[Name, Outcome]:
    roots = {bot.name: [await bot.ask(plain(number)) for number in range(questions)] for bot in bots}
    await mishap(arena, bots)
    outcomes = await asyncio.gather(*(outcome_of(bot, roots[bot.name]) for bot in bots))
    return {bot.name: outcome for bot, outcome in zip(bots, outcomes, strict=True)}


def _shown(outcome: Outcome) -> str:
    return f"{outcome.right} / {outcome.lost} / {outcome.doubled}"


if __name__ == "__main__":
    main()
