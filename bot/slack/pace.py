"""How fast Slack may be called: its tiers, kept before it has to say so.

The buckets leak as Slack's do: a minute's calls at once, then one at a time as room comes back. Calls that can be left
out (`has_room`) give way to those that cannot (`wait`), which is how drafts give way to final answers.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from aiolimiter import AsyncLimiter

CALLS_PER_MINUTE: Final = {
    "chat.startStream": 20,
    "chat.stopStream": 20,
    "chat.appendStream": 100,
    "chat.update": 50,
    "chat.delete": 50,
    "chat.postMessage": 300,
    "chat.postEphemeral": 100,
    "conversations.open": 50,
    "conversations.replies": 50,
}
"""By method, app and workspace: https://docs.slack.dev/apis/web-api/rate-limits; other methods are not paced."""

STREAMS_PER_MINUTE: Final = 15
"""Answers that may appear live in a workspace; beyond, appending would eat what final answers need."""

STREAM_SECONDS: Final = 240.0
"""How long a stream is used; Slack closes it after some 300, undocumented (node-slack-sdk issue 2702)."""

_KEPT_FREE: Final = 0.3
"""The share of a method's calls that drafts leave to final answers."""


class Pace:
    """The call budget of one workspace; `speed` multiplies Slack's, for tests and local use; `now` counts seconds."""

    def __init__(self, *, speed: float = 1.0, now: Callable[[], float] = time.monotonic) -> None:
        self.now = now
        self.stream_seconds = STREAM_SECONDS
        self.append_seconds = 1.0 / speed
        """Between two appends to one stream."""
        self.rewrite_seconds = 3.0 / speed
        """Between two updates of one unfinished answer."""
        self._speed = speed
        self._methods = {method: AsyncLimiter(calls * speed) for method, calls in CALLS_PER_MINUTE.items()}
        self._streams = AsyncLimiter(STREAMS_PER_MINUTE * speed)
        self._channels: dict[str, AsyncLimiter] = {}
        self._closed_until: dict[str, float] = {}

    async def wait(self, method: str, channel: str) -> None:
        """Wait for the turn of a call that cannot be left out."""
        await asyncio.sleep(max(0.0, self._closed_until.get(method, 0.0) - asyncio.get_running_loop().time()))
        if method == "chat.postMessage":
            await self._channel(channel).acquire()
        if limiter := self._methods.get(method):
            await limiter.acquire()

    def has_room(self, method: str) -> bool:
        """Say whether a call that can be left out may be made now."""
        is_open = self._closed_until.get(method, 0.0) <= asyncio.get_running_loop().time()
        limiter = self._methods[method]
        return is_open and limiter.has_capacity(limiter.max_rate * _KEPT_FREE)

    async def may_stream(self) -> bool:
        """Take one of the minute's live answers, or say that there is none left."""
        if not self._streams.has_capacity():
            return False
        await self._streams.acquire()
        return True

    def close(self, method: str, seconds: float) -> None:
        """Make no calls of a method for a while, as Slack asked."""
        self._closed_until[method] = asyncio.get_running_loop().time() + seconds

    def _channel(self, channel: str) -> AsyncLimiter:
        # One post a second, says Slack, and "short bursts"; the dictionary is as large as the workspace has channels.
        return self._channels.setdefault(channel, AsyncLimiter(max(1.0, self._speed), 1.0))
