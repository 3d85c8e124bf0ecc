"""Figures of measurements: shares, intervals, differences, percentiles, separation, agreement of words (pure)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, comb, sqrt
from statistics import fmean
from typing import TypeAlias


@dataclass(frozen=True)
class Share:
    """A share of a count, which is above 0."""

    hits: float
    of: float

    @property
    def value(self) -> float:
        """Return it (0–1)."""
        return self.hits / self.of


Figure: TypeAlias = Share | float | None
"""`None` if there is nothing to count."""
Figures: TypeAlias = dict[str, Figure]


def share(found: Iterable[bool | float]) -> Share | None:
    """Return the share of those that are true."""
    counted = list(found)
    return Share(sum(counted), len(counted)) if counted else None


def ratio(hits: float, of: float) -> Share | None:
    """Return a share of a count, or nothing of nothing."""
    return Share(hits, of) if of else None


def mean(values: Iterable[float]) -> float | None:
    """Return the mean, if there is one."""
    counted = list(values)
    return fmean(counted) if counted else None


def wilson(hits: float, of: float) -> tuple[float, float]:
    """Return the 95 % interval (0–1) of a share."""
    z = 1.96
    portion, spread = hits / of, z * z / of
    middle, half = portion + spread / 2, z * sqrt(portion * (1 - portion) / of + spread / (4 * of))
    return max(0.0, middle - half) / (1 + spread), (middle + half) / (1 + spread)


def mcnemar(won: int, lost: int) -> float:
    """Return the probability of this difference by chance: exact, two-sided."""
    changed = won + lost
    tail = sum(comb(changed, count) for count in range(min(won, lost) + 1)) / 2**changed
    return min(1.0, 2 * tail)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share (0–1) of the values does not exceed; there must be one."""
    return sorted(values)[max(0, ceil(share * len(values)) - 1)]


def auc(good: Sequence[float], bad: Sequence[float]) -> float:
    """Return how often (0–1) a good one's score lies above a bad one's; ties count half. Both must have one."""
    wins = sum((one > other) + 0.5 * (one == other) for one in good for other in bad)
    return wins / (len(good) * len(bad))


def token_f1(said: Sequence[str], meant: Sequence[str]) -> float:
    """Return the agreement of two texts' words (0–1), each word as often as it stands there (SQuAD's F1)."""
    common = (Counter(said) & Counter(meant)).total()
    return 2 * common / (len(said) + len(meant)) if common else 0.0
