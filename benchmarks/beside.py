"""How quick bots are beside one that nothing happens to: what slows the machine slows them all, and cancels out."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TypeAlias

from benchmarks.contestants import Contestant, Name
from benchmarks.load import rush

Rates: TypeAlias = Mapping[Name, Sequence[float]]
"""The answers a second of each bot, of one round after the other; 0 where it came to no end."""
WARMING_ROUNDS = 3
"""Until each connection of a pool has met each statement, and the server has its plans."""


async def rates_of(bots: Sequence[Contestant], *, threads: int, rounds: int) -> Rates:
    """Ask each bot by turns so many questions at once; the first rounds warm it and do not count.

    The turns begin with another bot in each round. A bot that comes to no end is not asked again.
    """
    rates: dict[Name, list[float]] = {bot.name: [] for bot in bots}
    for number in range(WARMING_ROUNDS + rounds):
        turn = number % len(bots)
        for bot in (*bots[turn:], *bots[:turn]):
            if 0.0 not in rates[bot.name]:
                rates[bot.name].append(await _rate(bot, threads))
    return {name: [0.0] if 0.0 in found else found[WARMING_ROUNDS:] for name, found in rates.items()}


def change(name: Name, before: Rates, after: Rates) -> float:
    """Return how quick a bot is of what it was; 0 where that was not to be measured."""
    earlier = median(before[name])
    return median(after[name]) / earlier if earlier else 0.0


def change_beside(name: Name, undisturbed: Name, before: Rates, after: Rates) -> float:
    """Return the same of what it is beside the undisturbed one, round by round."""
    earlier = _beside(name, undisturbed, before)
    return _beside(name, undisturbed, after) / earlier if earlier else 0.0


def _beside(name: Name, undisturbed: Name, rates: Rates) -> float:
    rounds = list(zip(rates[name], rates[undisturbed], strict=False))
    return median(own / other for own, other in rounds) if all(other for _, other in rounds) else 0.0


async def _rate(bot: Contestant, threads: int) -> float:
    try:
        return (await rush([bot], threads=threads, rounds=1))[bot.name].per_second[0]
    except TimeoutError:
        return 0.0
