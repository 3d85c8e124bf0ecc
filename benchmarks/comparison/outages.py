"""Compares faults of database and machine with the plain bot: `python -m benchmarks.comparison.outages [--quick]`.

Each fault happens to both bots at the same time, while both have questions to answer. An undisturbed Askback with its
own server gets the same questions. Before and after the fault, each bot answers more questions, in turns. Its speed
after the fault, as a share of its speed before, is divided by the same share of the undisturbed bot, because a slow
machine slows all of them. Then a scheduled job must close an unanswered question; the plain bot has no such job. Slack
repeats unacknowledged events, also after a minute.

It takes about twenty-five minutes, with `--quick` six, most of them waiting for answers that the plain bot has lost.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import psycopg

from benchmarks.arena.arena import UNDISTURBED, Arena, open_arena
from benchmarks.arena.contestants import Contestant, Name
from benchmarks.arena.questions import AMBIGUOUS, plain
from benchmarks.command import chosen_extent
from benchmarks.comparison.beside import Rates, change, change_beside, rates_of
from benchmarks.comparison.outcome import Outcome, outcome_of
from bot.postgres import embedded

Fault: TypeAlias = Callable[[Arena, Sequence[Contestant]], Awaitable[None]]

STEADY: Name = "Askback, undisturbed"
STORM_CUTS, CUTS_A_SECOND = 100, 20
BURST = 60
"""More questions at once than a pool has connections."""
KILLS = 3
AWAY_SECONDS = 40
"""Longer than the timeout for a connection."""
AGAIN_SECONDS = (0.5, 60.0)
"""An unacknowledged event is repeated at once and after a minute, as in Slack."""
SWEEPS = {"ASKBACK_REMIND_AFTER_SECONDS": "1", "ASKBACK_EXPIRE_AFTER_SECONDS": "2"}
"""Only the last check leaves a question open."""
SWEPT_SECONDS = 180.0
"""The scheduler runs once a minute."""


@dataclass(frozen=True, kw_only=True)
class Extent:
    """How much is measured."""

    questions: int
    """Questions during the fault."""
    threads: int
    """Questions at once, before and after."""
    rounds: int
    faults: Mapping[str, tuple[Fault, int]]
    """Each fault, and its number of questions if that matters."""


async def nothing(arena: Arena, bots: Sequence[Contestant]) -> None:
    """Do nothing; many questions alone may be the fault."""
    del arena, bots


async def restart(arena: Arena, bots: Sequence[Contestant]) -> None:
    """Stop the database in the middle, and start it again a second later."""
    await _without_database(arena, bots, seconds=1)


async def away(arena: Arena, bots: Sequence[Contestant]) -> None:
    """Stop the database in the middle, for a while."""
    await _without_database(arena, bots, seconds=AWAY_SECONDS)


async def storm(arena: Arena, bots: Sequence[Contestant]) -> None:
    """Cut any connection of each bot, twenty times a second."""
    async with await psycopg.AsyncConnection.connect(arena.server_url, autocommit=True) as owner:
        names = [bot.database_url.rsplit("/", 1)[1] for bot in bots]
        for number in range(STORM_CUTS * len(bots)):
            await owner.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s ORDER BY random() LIMIT 1",
                (names[number % len(names)],),
            )
            await asyncio.sleep(1 / CUTS_A_SECOND / len(bots))


async def kill(arena: Arena, bots: Sequence[Contestant]) -> None:
    """Kill the process and start it again."""
    del arena
    await asyncio.gather(*(bot.kill() for bot in bots))
    await asyncio.gather(*(bot.start() for bot in bots))


async def kills(arena: Arena, bots: Sequence[Contestant]) -> None:
    """Kill the process as soon as it is back, again and again."""
    for _ in range(KILLS):
        await kill(arena, bots)


FAULTS: Mapping[str, tuple[Fault, int]] = {
    "nothing happens": (nothing, 10),
    "the database restarts": (restart, 10),
    f"connections are cut, {CUTS_A_SECOND} a second for {STORM_CUTS // CUTS_A_SECOND} s": (storm, 10),
    f"the database is away for {AWAY_SECONDS} s": (away, 10),
    f"{BURST} questions at once, more than the pool has connections": (nothing, BURST),
    "killed −9 in the middle": (kill, 10),
    f"killed −9 {KILLS} times, as soon as it is back": (kills, 10),
}
FULL = Extent(questions=10, threads=30, rounds=12, faults=FAULTS)
QUICK = Extent(questions=5, threads=6, rounds=1, faults=dict(list(FAULTS.items())[1:3]))


def main() -> None:
    """Parse, measure, print."""
    extent = chosen_extent(
        "comparison.outages", __doc__, full=FULL, quick=QUICK, less="two of the faults, and less of everything"
    )
    with open_arena() as arena, open_arena() as elsewhere:
        asyncio.run(measure(arena, elsewhere, extent))


async def measure(arena: Arena, elsewhere: Arena, extent: Extent) -> None:
    """Inject each fault into fresh bots, and print the outcome at once."""
    print("| right / lost / doubled; speed after the fault, relative to the undisturbed Askback |", end="")
    print(" Askback | plain | the undisturbed Askback's own | Askback's scheduler |")
    print("| --- | ---: | ---: | ---: | ---: |", flush=True)
    for title, (fault, questions) in extent.faults.items():
        async with (
            arena.running("Askback", "plain", environment=SWEEPS, retry_pauses=AGAIN_SECONDS) as bots,
            elsewhere.running(STEADY, environment=SWEEPS, retry_pauses=AGAIN_SECONDS) as (steady,),
        ):
            before = await rates_of([*bots, steady], threads=extent.threads, rounds=extent.rounds)
            outcomes = await _suffer(arena, bots, steady, fault, max(questions, extent.questions))
            # After a fault that stopped the plain bot, start it again by hand; otherwise it would answer nothing more.
            await asyncio.gather(*(bot.start() for bot in bots if bot.is_gone))
            open_question, _ = [await bot.ask(AMBIGUOUS) for bot in (bots[0], steady)]
            after = await rates_of([*bots, steady], threads=extent.threads, rounds=extent.rounds)
            swept = await _swept(bots[0], open_question)
        cells = [f"{_shown(outcomes[bot.name])}; {_quickness(bot.name, before, after)}" for bot in bots]
        own = _percent(change(STEADY, before, after))
        print(f"| {title} | {' | '.join(cells)} | {own} | {swept} |", flush=True)


async def _suffer(
    arena: Arena, bots: Sequence[Contestant], steady: Contestant, fault: Fault, questions: int
) -> dict[Name, Outcome]:
    everybody = (*bots, steady)
    roots = {bot.name: [await bot.ask(plain(number)) for number in range(questions)] for bot in everybody}
    await fault(arena, bots)
    outcomes = await asyncio.gather(*(outcome_of(bot, roots[bot.name]) for bot in everybody))
    return {bot.name: outcome for bot, outcome in zip(everybody, outcomes, strict=True)}


async def _without_database(arena: Arena, bots: Sequence[Contestant], *, seconds: float) -> None:
    del bots
    await asyncio.to_thread(embedded.stop, arena.folder)
    await asyncio.sleep(seconds)
    await asyncio.to_thread(embedded.start, arena.folder, UNDISTURBED)


async def _swept(bot: Contestant, root: str) -> str:
    """Tell whether a question back without a click is answered in time."""
    try:
        await bot.playground.until(lambda: bot.answered(root), SWEPT_SECONDS)
    except TimeoutError:
        return "stands still"
    return "goes on"


def _shown(outcome: Outcome) -> str:
    return f"{outcome.right} / {outcome.lost} / {outcome.doubled}"


def _quickness(name: Name, before: Rates, after: Rates) -> str:
    beside, alone = change_beside(name, STEADY, before, after), change(name, before, after)
    return f"{_percent(beside)} (alone {_percent(alone)})"


def _percent(ratio: float) -> str:
    return f"{ratio:.0%}" if ratio else "answers are missing"


if __name__ == "__main__":
    main()
