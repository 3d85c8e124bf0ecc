"""Measures bots beside an undisturbed one, so that the machine's own slowness cancels out."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TypeAlias

from benchmarks.arena.contestants import Contestant, Name
from benchmarks.comparison.load import rush

Rates: TypeAlias = Mapping[Name, Sequence[float]]
"""The answers a second of each bot, by round; 0 if a round did not end."""
WARMING_ROUNDS = 3
"""Rounds until each connection has prepared each statement."""


async def rates_of(bots: Sequence[Contestant], *, threads: int, rounds: int) -> Rates:
    """Ask each bot in turn this many questions at once. The first rounds are for warm-up and do not count.

    Each round begins with another bot. A bot that does not finish is not asked again.
    """
    rates: dict[Name, list[float]] = {bot.name: [] for bot in bots}
    for number in range(WARMING_ROUNDS + rounds):
        turn = number % len(bots)
        for bot in (*bots[turn:], *bots[:turn]):
            if 0.0 not in rates[bot.name]:
                rates[bot.name].append(await _rate(bot, threads))
    return {name: [0.0] if 0.0 in found else found[WARMING_ROUNDS:] for name, found in rates.items()}


def change(name: Name, before: Rates, after: Rates) -> float:
    """Return a bot's speed as a share of its speed before; 0 if it could not be measured."""
    earlier = median(before[name])
    return median(after[name]) / earlier if earlier else 0.0


def change_beside(name: Name, undisturbed: Name, before: Rates, after: Rates) -> float:
    """Return the same share, relative to the undisturbed bot in each round."""
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
