"""Small things done in the background, after Slack was answered; none is lost silently."""

import asyncio
from collections.abc import Coroutine
from types import TracebackType
from typing import Self

import structlog

from bot.errors import SlackError


class Errands:
    """Tasks that nobody waits for, until the end."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.finish()

    async def finish(self, *, within_seconds: float | None = None) -> None:
        """Wait for whatever is under way; give up what takes longer than one can wait for it."""
        try:
            async with asyncio.timeout(within_seconds):
                await asyncio.gather(*self._tasks)
        except TimeoutError:
            structlog.get_logger().warning("errands_given_up", seconds=within_seconds)

    def run(self, errand: Coroutine[None, None, None]) -> None:
        """Begin an errand; what Slack refuses is logged."""
        task = asyncio.create_task(_logged(errand))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _logged(errand: Coroutine[None, None, None]) -> None:
    try:
        await errand
    except SlackError as error:
        structlog.get_logger().warning("errand_failed", error=str(error))
