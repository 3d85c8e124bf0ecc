"""Whether a run that failed is tried again, and when (pure)."""

from dataclasses import dataclass
from datetime import timedelta

MOST_ATTEMPTS = 3
FIRST_DELAY_SECONDS = 1.0


@dataclass(frozen=True, kw_only=True)
class TryAgain:
    """The item is claimed again after a while."""

    after: timedelta


@dataclass(frozen=True, kw_only=True)
class GiveUp:
    """The item has failed for good; the person is told."""


def decide(attempt: int) -> TryAgain | GiveUp:
    """Decide after the `attempt`-th run (from 1) has failed: wait 1 and 2 seconds, then give up."""
    if attempt >= MOST_ATTEMPTS:
        return GiveUp()
    return TryAgain(after=timedelta(seconds=FIRST_DELAY_SECONDS * 2 ** (attempt - 1)))
