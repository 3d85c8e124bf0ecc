"""Rate limits as leaky buckets: each method has one; every call fills it, and it leaks at a constant rate.

All that is kept of a bucket is the moment at which it would be empty (GCRA). It is full when that is as far ahead as it
takes to leak a whole one.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """A bucket's size: a number of calls in a number of seconds."""

    calls: float
    per_seconds: float = 60.0

    @property
    def call_seconds(self) -> float:
        """How long one call takes to leak."""
        return self.per_seconds / self.calls


class Budget(Protocol):
    """The buckets of one workspace, for one process or for all that serve it."""

    async def reserve(self, bucket: str, allowance: Allowance) -> float:
        """Reserve a call that must be made; return the seconds until there is room for it."""
        ...

    async def take(self, bucket: str, allowance: Allowance, *, count: int, kept_free: float) -> bool:
        """Take optional calls if a share of the bucket stays free; return whether they were taken."""
        ...

    async def close(self, bucket: str, *, seconds: float) -> None:
        """Allow no calls for a while, because Slack asked for it."""
        ...


class LocalBudget:
    """The buckets of this process alone."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._empty_at: dict[str, float] = {}
        self._closed_until: dict[str, float] = {}

    async def reserve(self, bucket: str, allowance: Allowance) -> float:
        """See `Budget`."""
        level = self._level(bucket) + allowance.call_seconds
        self._set(bucket, level)
        return max(0.0, level - allowance.per_seconds, self._closed_seconds(bucket))

    async def take(self, bucket: str, allowance: Allowance, *, count: int, kept_free: float) -> bool:
        """See `Budget`."""
        level = self._level(bucket) + count * allowance.call_seconds
        if level > allowance.per_seconds * (1 - kept_free) or self._closed_seconds(bucket) > 0:
            return False
        self._set(bucket, level)
        return True

    async def close(self, bucket: str, *, seconds: float) -> None:
        """See `Budget`."""
        self._closed_until[bucket] = self._now() + seconds

    def _closed_seconds(self, bucket: str) -> float:
        return self._closed_until.get(bucket, 0.0) - self._now()

    def _level(self, bucket: str) -> float:
        return max(0.0, self._empty_at.get(bucket, 0.0) - self._now())

    def _set(self, bucket: str, level: float) -> None:
        self._empty_at[bucket] = self._now() + level
