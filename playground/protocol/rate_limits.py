"""Slack's documented rate limits: tiers by method, and posts by channel."""

import math
from collections.abc import Callable
from typing import Literal, TypeAlias

from playground.errors import RateLimitedError

Limits: TypeAlias = Literal["off", "slack"] | float
"""No limits, Slack's limits, or Slack's limits times a number."""

TIERS = {2: 20, 3: 50, 4: 100}
"""Calls a minute for each method, workspace and app (docs.slack.dev/apis/web-api/rate-limits)."""

SPECIAL = {
    "assistant.search.context": 10,
    "assistant.threads.setStatus": 600,
    "auth.test": 600,
    "chat.getPermalink": 600,
    "chat.postMessage": 300,
}
"""Slack says "several hundred", "10+" or nothing. These numbers are our assumptions."""

CHANNEL_BURST = 5
"""One post a second in a channel, with "short bursts". The burst's length is our assumption."""

METHOD_TIERS = {
    "agents.sessions.setStatus": 3,
    "apps.connections.open": 3,
    "bots.info": 3,
    "chat.appendStream": 4,
    "chat.delete": 3,
    "chat.postEphemeral": 4,
    "chat.startStream": 2,
    "chat.stopStream": 2,
    "chat.update": 3,
    "conversations.history": 3,
    "conversations.info": 3,
    "conversations.list": 2,
    "conversations.members": 4,
    "conversations.open": 3,
    "conversations.replies": 3,
    "team.profile.get": 3,
    "usergroups.users.list": 2,
    "users.conversations": 2,
    "users.info": 4,
    "users.list": 2,
    "users.profile.get": 4,
    "views.open": 4,
    "views.publish": 4,
    "views.update": 4,
}


class Bucket:
    """A token bucket."""

    def __init__(self, *, per_second: float, burst: float, now: float) -> None:
        self._per_second = per_second
        self._burst = burst
        self._tokens = burst
        self._at = now

    def take(self, now: float) -> float:
        """Take a token and return 0, or return the seconds until the next token."""
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._per_second)
        self._at = now
        if self._tokens >= 1:
            self._tokens -= 1
            return 0.0
        return (1 - self._tokens) / self._per_second


class RateLimits:
    """The buckets of one app in one workspace."""

    def __init__(self, limits: Limits, now: Callable[[], float]) -> None:
        self._scale = {"off": 0.0, "slack": 1.0}[limits] if isinstance(limits, str) else float(limits)
        self._now = now
        self._buckets: dict[str, Bucket] = {}

    def check(self, method: str, channel: str) -> None:
        """Count a call. Raises `RateLimitedError` with whole seconds if the limit is exceeded."""
        if not self._scale:
            return
        per_minute = SPECIAL.get(method) or TIERS[METHOD_TIERS.get(method, 3)]
        waits = [self._take(method, per_minute / 60, per_minute)]
        if method == "chat.postMessage":
            waits.append(self._take(f"{method} {channel}", 1, CHANNEL_BURST))
        if max(waits) > 0:
            raise RateLimitedError(math.ceil(max(waits)))

    def _take(self, key: str, per_second: float, burst: float) -> float:
        now = self._now()
        if key not in self._buckets:
            self._buckets[key] = Bucket(per_second=per_second * self._scale, burst=burst * self._scale, now=now)
        return self._buckets[key].take(now)
