"""Background tasks, after Slack was answered or beside a run. Every failure is logged."""

import asyncio
from collections.abc import Coroutine
from time import monotonic
from types import TracebackType
from typing import Self

import structlog

from bot.errors import PermitLostError, SlackError


class BackgroundTasks:
    """Tasks that nobody waits for until the run or the process ends."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.finish()

    async def finish(self, *, within_seconds: float | None = None) -> None:
        """Wait for all running tasks, and for those that they start; cancel those that take too long.

        If the waiting itself is cancelled, the tasks go on: a cancelled task leaves its work half done.
        """
        late = set[asyncio.Task[None]]()
        until = None if within_seconds is None else monotonic() + within_seconds
        while self._tasks and not late:
            left_seconds = None if until is None else max(until - monotonic(), 0.0)
            _, late = await asyncio.wait(self._tasks, timeout=left_seconds)
        if late:
            structlog.get_logger().warning("background_tasks_timed_out", seconds=within_seconds)
        for task in late:
            task.cancel()

    def run(self, work: Coroutine[None, None, None]) -> None:
        """Start work as a task. A refusal by Slack is logged; any other error is logged with its traceback."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, (SlackError, PermitLostError)):
            structlog.get_logger().warning("background_call_refused", error=str(error))
        elif error is not None:
            structlog.get_logger().error("background_task_failed", exc_info=error)
