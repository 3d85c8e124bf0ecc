"""Measures throughput by the number of workers and receivers: `python -m benchmarks.throughput.scaling [--quick]`.

One to four workers of two slots each and one or two receivers, each in its own process, over one PostgreSQL; with a
model that answers at once, and with one that takes half a second, like real ones. Everything shares this machine's
processors, including the local Slack and the model. When these are used up, more workers do not help. It takes about
ten minutes, with `--quick` one. A measurement that does not finish is shown as such.
"""

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import product

import psutil
from rich.console import Console

from benchmarks.arena.arena import Arena, open_arena
from benchmarks.arena.contestants import Contestant
from benchmarks.arena.model import serving_model
from benchmarks.arena.questions import plain
from benchmarks.command import chosen_extent
from playground import Delivery

SLOTS = 2
DELAYS_SECONDS = (0.0, 0.5)
BAR = 30
"""The longest bar, in characters."""
PATIENCE_SECONDS = 300.0


@dataclass(frozen=True, kw_only=True)
class Machines:
    """Processes that share the work."""

    workers: int
    receivers: int


@dataclass(frozen=True, kw_only=True)
class Extent:
    """How much is measured."""

    machines: Sequence[Machines]
    questions: int
    """For each worker."""


@dataclass(frozen=True, kw_only=True)
class Rate:
    """The result of a set of machines; empty if it did not finish."""

    machines: Machines
    answers: float = 0.0
    """A second."""
    messages: float = 0.0
    """Deliveries from Slack taken in, and calls to it, a second."""
    busy: float = 0.0
    """Of all the processors."""


FULL = Extent(
    machines=[Machines(workers=workers, receivers=receivers) for receivers, workers in product((1, 2), (1, 2, 3, 4))],
    questions=24,
)
QUICK = Extent(machines=[Machines(workers=1, receivers=1), Machines(workers=2, receivers=2)], questions=6)


def main() -> None:
    """Parse, measure, print."""
    extent = chosen_extent(
        "throughput.scaling", __doc__, full=FULL, quick=QUICK, less="two sets of machines, and fewer questions"
    )
    with open_arena() as arena:
        asyncio.run(measure(arena, extent))


async def measure(arena: Arena, extent: Extent) -> None:
    """Measure and print a table for each model."""
    console = Console(stderr=True, highlight=False, log_path=False)
    print(f"Workers of {SLOTS} slots, {os.cpu_count()} processors for everything; {extent.questions} questions each.\n")
    for delay in DELAYS_SECONDS:
        title = f"a model that takes {delay} s" if delay else "a model that answers at once"
        rates: list[Rate] = []
        for machines in extent.machines:
            console.log(f"With {title}: {machines.workers} workers, {machines.receivers} receivers …")
            rates.append(await _measured(arena, machines, extent.questions, delay))
        print(chart(title, rates), end="\n\n", flush=True)


async def _measured(arena: Arena, machines: Machines, questions: int, delay_seconds: float) -> Rate:
    async with serving_model(delay_seconds=delay_seconds) as model:
        try:
            return await _rate(arena, machines, questions, model.environment)
        except TimeoutError:
            return Rate(machines=machines)


async def _rate(arena: Arena, machines: Machines, questions: int, environment: Mapping[str, str]) -> Rate:
    environment = {**environment, "ASKBACK_WORKER_SLOTS": str(SLOTS)}
    async with arena.contestant("Askback", environment, command=("benchmarks.arena.ours", "receive")) as receiver:
        await receiver.start()
        async with _machines(receiver, machines):
            # Warm up each of them.
            await _all_answered(receiver, 2 * SLOTS * machines.workers)
            deliveries, calls = len(receiver.playground.deliveries()), len(receiver.playground.calls())
            began, asked = time.perf_counter(), machines.workers * questions
            psutil.cpu_percent()
            await _all_answered(receiver, asked)
            took, busy = time.perf_counter() - began, psutil.cpu_percent() / 100
        heard = receiver.playground.deliveries()[deliveries:]
        said = len(receiver.playground.calls()) - calls
    return Rate(machines=machines, answers=asked / took, messages=(_taken(heard) + said) / took, busy=busy)


@asynccontextmanager
async def _machines(first: Contestant, machines: Machines) -> AsyncGenerator[None]:
    """Run the workers, and the receivers beyond the first."""
    slack = first.playground
    sockets = slack.sockets.connection_count
    async with AsyncExitStack() as stack:
        for _ in range(1, machines.receivers):
            await stack.enter_async_context(_process(first, "receive"))
        await slack.until(lambda: slack.sockets.connection_count >= sockets * machines.receivers, PATIENCE_SECONDS)
        there = len(slack.calls("auth.test")) + machines.workers
        for _ in range(machines.workers):
            await stack.enter_async_context(_process(first, "work"))
        await slack.until(lambda: len(slack.calls("auth.test")) >= there, PATIENCE_SECONDS)
        yield


@asynccontextmanager
async def _process(first: Contestant, half: str) -> AsyncGenerator[None]:
    process = await first.spawn("benchmarks.arena.ours", half)
    try:
        yield
    finally:
        process.kill()
        await process.wait()


async def _all_answered(receiver: Contestant, questions: int) -> None:
    pending = [await receiver.ask(plain(number)) for number in range(questions)]

    def answered() -> bool:
        while pending and receiver.answered(pending[-1]):
            pending.pop()
        return not pending

    await receiver.playground.until(answered, PATIENCE_SECONDS)


def _taken(deliveries: list[Delivery]) -> int:
    return sum(one.acknowledged_at is not None for one in deliveries)


def chart(title: str, rates: Sequence[Rate]) -> str:
    """Return a table with a bar for each set of machines."""
    most, first = max(rate.answers for rate in rates) or 1.0, rates[0].answers
    rows = [
        f"| {rate.machines.workers} | {rate.machines.receivers} | {_figures(rate, first)} |"
        f" {'█' * round(BAR * rate.answers / most)} |"
        for rate in rates
    ]
    heads = [
        f"| workers, {title} | receivers | answers a second | by one worker | messages a second | processors busy | |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    return "\n".join([*heads, *rows])


def _figures(rate: Rate, first: float) -> str:
    if not rate.answers:
        return "came to no end | | | "
    by_one = f"×{rate.answers / first:.2f}" if first else ""
    return f"{rate.answers:.1f} | {by_one} | {rate.messages:.0f} | {rate.busy:.0%}"


if __name__ == "__main__":
    main()
