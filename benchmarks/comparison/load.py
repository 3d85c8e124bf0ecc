"""Measures many threads at once, and two messages of one thread at once."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.arena.contestants import Contestant, Name
from benchmarks.arena.questions import plain
from playground import Delivery

ENDINGS = ("chat.postMessage", "chat.stopStream")
"""The calls with which Askback shows a whole answer."""


@dataclass
class Rush:
    """A bot's results with many questions at once."""

    per_second: list[float] = field(default_factory=list[float])
    """Answers a second, of each round."""
    cpu_seconds: list[float] = field(default_factory=list[float])
    """Of the bot's process, for each question."""
    acknowledged_seconds: list[float] = field(default_factory=list[float])
    """From each delivery to its acknowledgement."""


async def rush(contestants: Sequence[Contestant], *, threads: int, rounds: int) -> dict[Name, Rush]:
    """Ask each bot in turn this many questions at once, each in its own thread."""
    results: dict[Name, Rush] = {contestant.name: Rush() for contestant in contestants}
    for number in range(rounds):
        turn = number % len(contestants)
        for contestant in (*contestants[turn:], *contestants[:turn]):
            await _rush_once(contestant, threads, results[contestant.name])
    return results


async def gaps(contestant: Contestant, *, pairs: int) -> list[float]:
    """Send pairs of messages to a thread; return the seconds from each first answer to the second's first sign."""
    return [await _gap(contestant, number) for number in range(pairs)]


async def _rush_once(contestant: Contestant, threads: int, result: Rush) -> None:
    cpu_seconds, seen = contestant.cpu_seconds(), len(contestant.playground.deliveries())
    began = time.perf_counter()
    pending = [await contestant.ask(plain(number)) for number in range(threads)]

    def all_answered() -> bool:
        while pending and contestant.answered(pending[-1]):
            pending.pop()
        return not pending

    await contestant.playground.until(all_answered, 120.0)
    result.per_second.append(threads / (time.perf_counter() - began))
    result.cpu_seconds.append((contestant.cpu_seconds() - cpu_seconds) / threads)
    deliveries = contestant.playground.deliveries()[seen:]
    await contestant.playground.until(lambda: all(delivery.settled for delivery in deliveries), 60.0)
    result.acknowledged_seconds += map(_acknowledged_seconds, deliveries)


def _acknowledged_seconds(delivery: Delivery) -> float:
    never = float("inf")
    return delivery.acknowledged_at - delivery.attempts[0].at if delivery.acknowledged_at else never


async def _gap(contestant: Contestant, number: int) -> float:
    seen = len(contestant.playground.calls())
    root = await contestant.ask(plain(number))
    await contestant.ask(plain(number + 1), root=root)
    await contestant.answers(root, 2)
    calls = contestant.playground.calls()[seen:]
    ended = next(place for place, call in enumerate(calls) if call.method in ENDINGS)
    begun = next(call for call in calls[ended:] if call.arguments.get("status"))
    return begun.at - calls[ended].at
