"""Compares Askback with the plain bot: `python -m benchmarks [--quick] [--write]`; prints Markdown.

It measures the cost of a question, fifty threads at once, slow commits, processor time by part, the growth of threads,
and the same faults for both bots. It takes about twenty minutes, with `--quick` three. Longer measurements have their
own commands, explained by `--help`: benchmarks.comparison.outages and those of
benchmarks.throughput.
"""

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console

from benchmarks.arena.arena import Arena, open_arena
from benchmarks.arena.contestants import Name, running
from benchmarks.arena.model import serving_model
from benchmarks.comparison import faults, people
from benchmarks.comparison.counting import count
from benchmarks.comparison.faults import Script
from benchmarks.comparison.load import gaps, rush
from benchmarks.comparison.outcome import Outcome
from benchmarks.comparison.parts import parts_of
from benchmarks.comparison.report import page
from benchmarks.comparison.storage import rooms
from benchmarks.comparison.table import Results, markdown
from benchmarks.project import PAGE
from bot.logs import configure_logs

BOTS: Sequence[Name] = ("Askback", "plain", "plain, exit")
AT_ONCE: Sequence[Name] = (*BOTS, "Askback, apart")
SLOW_COMMITS = (10, 50)
"""Milliseconds of a commit, as on a network disk or with a synchronous replica."""
SLOW_ROUNDS = 3
RIVALS: Sequence[Name] = ("Askback", "plain")


@dataclass(frozen=True, kw_only=True)
class Extent:
    """How much is measured."""

    questions: int
    threads: int
    rounds: int
    turns: tuple[int, ...]
    pairs: int
    scripts: Mapping[str, Script]
    is_full: bool


QUICK = Extent(questions=4, threads=20, rounds=1, turns=(5,), pairs=3, scripts=faults.QUICK, is_full=False)
FULL = Extent(
    questions=16,
    threads=50,
    rounds=7,
    turns=(10, 200),
    pairs=10,
    scripts={**faults.QUICK, **people.SCRIPTS, **faults.WITH_RESTARTS},
    is_full=True,
)


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(
        prog="benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="less of everything, and nothing that restarts a bot")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    arguments = parser.parse_args()
    configure_logs("console", "warning")
    console = Console(stderr=True, highlight=False, log_path=False)
    extent = QUICK if arguments.quick else FULL
    results = Results(threads=extent.threads, turns=extent.turns)
    console.log("Preparing a database with the handbook …")
    try:
        with open_arena() as arena:
            asyncio.run(measure(arena, extent, console, results))
    finally:
        print(markdown(results))
    if arguments.write:
        PAGE.write_text(page(results, PAGE.read_text("utf-8")), "utf-8")


async def measure(arena: Arena, extent: Extent, console: Console, results: Results) -> None:
    """Measure everything into the results, and log the progress."""
    await _with_a_model(arena, extent, console, results)
    if extent.is_full:
        await _slow_commits(arena, extent, console, results)
        await _parts(arena, extent, console, results)
    await _without_a_model(arena, extent, console, results)
    if extent.is_full:
        title = "twelve questions at once, at the rates Slack allows"
        console.log(f"The fault: {title} …")
        results.faults[title] = await _slow_down(arena)


async def _with_a_model(arena: Arena, extent: Extent, console: Console, results: Results) -> None:
    async with serving_model() as model, arena.running(*AT_ONCE, environment=model.environment) as rivals:
        bots = rivals[: len(BOTS)]
        console.log("Counting what a question costs …")
        results.costs = await count(arena, bots, model, rounds=extent.questions)
        console.log(f"Asking in {extent.threads} threads at once, with a model that answers at once …")
        results.rushes["a model that answers at once"] = await rush(
            rivals, threads=extent.threads, rounds=extent.rounds
        )
        console.log("Asking twice in a thread …")
        results.gaps = await gaps(bots[0], pairs=extent.pairs)
        console.log(f"Filling a thread with {max(extent.turns)} turns …")
        results.rooms = await rooms(bots, turns=extent.turns)


async def _slow_commits(arena: Arena, extent: Extent, console: Console, results: Results) -> None:
    async with serving_model() as model, arena.running(*AT_ONCE, environment=model.environment) as bots:
        for milliseconds in SLOW_COMMITS:
            title = f"a model that answers at once, a commit takes {milliseconds} ms"
            console.log(f"Asking in {extent.threads} threads at once, with {title} …")
            with arena.slow_commits(milliseconds):
                results.rushes[title] = await rush(bots, threads=extent.threads, rounds=SLOW_ROUNDS)


async def _parts(arena: Arena, extent: Extent, console: Console, results: Results) -> None:
    console.log("Counting where the processor's time goes …")
    async with serving_model() as model:
        results.parts = await parts_of(arena, BOTS, model.environment, threads=extent.threads, rounds=2)


async def _without_a_model(arena: Arena, extent: Extent, console: Console, results: Results) -> None:
    async with arena.running(*RIVALS, environment={}) as bots:
        if extent.is_full:
            console.log(f"Asking in {extent.threads} threads at once, without a model …")
            results.rushes["without a model"] = await rush(bots, threads=extent.threads, rounds=extent.rounds)
        for title, script in extent.scripts.items():
            console.log(f"The fault: {title} …")
            outcomes = await asyncio.gather(*(script(bot) for bot in bots))
            results.faults[title] = {bot.name: outcome for bot, outcome in zip(bots, outcomes, strict=True)}


async def _slow_down(arena: Arena) -> dict[Name, Outcome]:
    async def outcome(name: Name, command: tuple[str, ...]) -> Outcome:
        async with (
            arena.contestant(name, {}, limits="slack", command=command) as bot,
            running(bot),
        ):
            return await faults.slack_says_slow_down(bot)

    commands: Mapping[Name, tuple[str, ...]] = {"Askback": ("benchmarks.arena.ours", "paced"), "plain": ()}
    outcomes = await asyncio.gather(*(outcome(name, command) for name, command in commands.items()))
    return dict(zip(commands, outcomes, strict=True))


if __name__ == "__main__":
    main()
