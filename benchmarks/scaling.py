"""How throughput grows with workers: `python -m benchmarks.scaling [--quick]`.

One receiver and one to four workers of two slots each, over one PostgreSQL, with a model that answers at once and with
one that takes half a second, as real ones do. All of it shares this machine's processors, the local Slack and the model
included: where those are used up, more workers bring nothing, and that is where the curve bends.
"""

import argparse
import asyncio
import os
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from benchmarks.arena import Arena, open_arena
from benchmarks.contestants import Contestant
from benchmarks.model import serving_model
from benchmarks.questions import plain
from bot.logs import configure_logs
from playground import Delivery

SLOTS = 2
DELAYS_SECONDS = (0.0, 0.5)
BAR = 30
"""The longest bar, in characters."""
PATIENCE_SECONDS = 300.0


@dataclass(frozen=True, kw_only=True)
class Rate:
    """What so many workers managed."""

    workers: int
    answers: float
    """A second."""
    messages: float
    """Deliveries from Slack taken in, and calls to it, a second."""


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(prog="benchmarks.scaling", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two counts of workers, and fewer questions")
    is_quick = parser.parse_args().quick
    configure_logs("console", "error")
    counts, questions = ((1, 2), 6) if is_quick else ((1, 2, 3, 4), 24)
    with open_arena() as arena:
        asyncio.run(measure(arena, counts, questions))


async def measure(arena: Arena, counts: tuple[int, ...], questions: int) -> None:
    """Measure and print a table for each model."""
    print(f"Workers of {SLOTS} slots, {os.cpu_count()} processors for everything; {questions} questions a worker.\n")
    for delay in DELAYS_SECONDS:
        async with serving_model(delay_seconds=delay) as model:
            rates = [await _rate(arena, count, questions, model.environment) for count in counts]
        print(chart(f"a model that takes {delay} s" if delay else "a model that answers at once", rates), end="\n\n")


async def _rate(arena: Arena, workers: int, questions: int, environment: Mapping[str, str]) -> Rate:
    environment = {**environment, "ASKBACK_WORKER_SLOTS": str(SLOTS)}
    async with arena.contestant("Askback", environment, command=("benchmarks.ours", "receive")) as receiver:
        await receiver.start()
        async with _workers(receiver, workers):
            await receiver.answers(await receiver.ask(plain(0)))
            deliveries, calls = len(receiver.playground.deliveries()), len(receiver.playground.calls())
            began = time.perf_counter()
            await _all_answered(receiver, workers * questions)
            took = time.perf_counter() - began
        heard = receiver.playground.deliveries()[deliveries:]
        said = len(receiver.playground.calls()) - calls
    return Rate(workers=workers, answers=workers * questions / took, messages=(_taken(heard) + said) / took)


@asynccontextmanager
async def _workers(receiver: Contestant, count: int) -> AsyncGenerator[None]:
    known = len(receiver.playground.calls("auth.test"))
    processes = [await receiver.spawn("benchmarks.ours", "work") for _ in range(count)]
    try:
        there = known + count
        await receiver.playground.until(lambda: len(receiver.playground.calls("auth.test")) >= there, PATIENCE_SECONDS)
        yield
    finally:
        for process in processes:
            process.kill()
        await asyncio.gather(*(process.wait() for process in processes))


async def _all_answered(receiver: Contestant, questions: int) -> None:
    pending = [await receiver.ask(plain(number)) for number in range(questions)]

    def answered() -> bool:
        while pending and receiver.answered(pending[-1]):
            pending.pop()
        return not pending

    await receiver.playground.until(answered, PATIENCE_SECONDS)


def _taken(deliveries: list[Delivery]) -> int:
    return sum(one.acknowledged_at is not None for one in deliveries)


def chart(title: str, rates: list[Rate]) -> str:
    """Return a table with a bar for each count of workers."""
    most, first = max(rate.answers for rate in rates), rates[0].answers
    rows = [
        f"| {rate.workers} | {rate.answers:.1f} | {rate.messages:.0f} | {rate.answers / first:.2f} |"
        f" {'█' * round(BAR * rate.answers / most)} |"
        for rate in rates
    ]
    heads = [
        f"| workers, {title} | answers a second | messages a second | by one worker | |",
        "|---:|---:|---:|---:|---|",
    ]
    return "\n".join([*heads, *rows])


if __name__ == "__main__":
    main()
