"""How fast Slack may be called: we keep to its rate limits before it refuses a call.

The buckets leak as Slack's do: a minute's calls at once, then one at a time as room comes back. Calls that can be left
out (`may`), such as drafts, give way to those that cannot (`wait`), such as final answers. We take from the budget what
a few seconds need, because each request to a shared budget is a round trip to the database.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from bot.slack.api.budget import Allowance, Budget, LocalBudget

STREAMS_PER_MINUTE: Final = 15
"""Streams that may be opened in a workspace; beyond, appending would eat what final answers need."""

CALLS_PER_MINUTE: Final = {
    "agents.sessions.setStatus": 50,
    "assistant.search.context": 10,
    "chat.stopStream": 20,
    "chat.appendStream": 100,
    "chat.update": 50,
    "chat.delete": 50,
    "chat.postMessage": 300,
    "chat.postEphemeral": 100,
    "conversations.history": 50,
    "conversations.members": 100,
    "conversations.open": 50,
    "conversations.replies": 50,
    "users.conversations": 20,
    "users.list": 20,
}
"""By method, app and workspace: https://docs.slack.dev/apis/web-api/rate-limits."""

_OTHERS_PER_MINUTE: Final = 600
"""Of a method that Slack names no tier for, or that we hardly call."""

STREAM_SECONDS: Final = 240.0
"""Longest use of a stream. Slack closes it after some 300, undocumented (node-slack-sdk issue 2702)."""

STATUS_SECONDS: Final = 90.0
"""After this time a status is set again. Slack removes it after 120."""

_KEPT_FREE: Final = 0.3
"""The share of a method's calls that drafts leave to final answers."""

_LEASE_SECONDS: Final = 3.0
_REFUSED_SECONDS: Final = 1.0


@dataclass
class _Lease:
    """Calls taken from the budget and not made yet; they are given up if they are not made soon."""

    left: int = 0
    until: float = 0.0


class Pace:
    """How fast one workspace is called; `speed` multiplies Slack's, for tests and local use; `now` counts seconds."""

    def __init__(
        self, *, speed: float = 1.0, now: Callable[[], float] = time.monotonic, budget: Budget | None = None
    ) -> None:
        self.now = now
        self.stream_seconds = STREAM_SECONDS
        self.status_seconds = STATUS_SECONDS
        self.append_seconds = 1.0 / speed
        """Between two appends to one stream."""
        self.rewrite_seconds = 3.0 / speed
        """Between two updates of one unfinished answer."""
        self._speed = speed
        self._budget = budget or LocalBudget(now)
        self._leases: dict[str, _Lease] = {}
        self._refused_until: dict[str, float] = {}

    def scaled(self, seconds: float) -> float:
        """Return how long to wait here instead of so many seconds in Slack."""
        return seconds / self._speed

    async def wait(self, method: str, channel: str) -> None:
        """Wait for the turn of a call that cannot be left out."""
        seconds = await self._budget.reserve(method, self._allowance(method))
        if method == "chat.postMessage":
            # One post a second in a channel, says Slack, and "short bursts".
            here = Allowance(calls=self._speed, per_seconds=1.0)
            seconds = max(seconds, await self._budget.reserve(f"{method} {channel}", here))
        await asyncio.sleep(seconds)

    async def may(self, method: str) -> bool:
        """Take an optional call; return False if there is no room now."""
        lease = self._leases.setdefault(method, _Lease())
        if self.now() >= lease.until:
            lease.left = 0
        if lease.left == 0 and not await self._renew(method, lease):
            return False
        lease.left -= 1
        return True

    async def may_at_last(self, method: str) -> bool:
        """Take the last call of a kind; return False if there is no room at all now."""
        if await self.may(method):
            return True
        return await self._budget.take(method, self._allowance(method), count=1, kept_free=0.0)

    async def may_stream(self) -> bool:
        """Take one of the minute's streams; return False if none is left."""
        method = "chat.startStream"
        return await self._budget.take(method, self._allowance(method), count=1, kept_free=0.0)

    async def close(self, method: str, seconds: float) -> None:
        """Make no calls of a method for a while, as Slack asked."""
        self._leases.pop(method, None)
        await self._budget.close(method, seconds=seconds)

    async def _renew(self, method: str, lease: _Lease) -> bool:
        if self.now() < self._refused_until.get(method, 0.0):
            return False
        allowance = self._allowance(method)
        count = max(1, int(_LEASE_SECONDS / allowance.call_seconds))
        if not await self._budget.take(method, allowance, count=count, kept_free=_KEPT_FREE):
            self._refused_until[method] = self.now() + _REFUSED_SECONDS / self._speed
            return False
        lease.left += count
        lease.until = self.now() + _LEASE_SECONDS
        return True

    def _allowance(self, method: str) -> Allowance:
        per_minute = {"chat.startStream": STREAMS_PER_MINUTE, **CALLS_PER_MINUTE}.get(method, _OTHERS_PER_MINUTE)
        return Allowance(calls=per_minute * self._speed)
