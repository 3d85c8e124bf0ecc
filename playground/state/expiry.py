"""Removes status lines after Slack's time limit."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from playground.state.slack import Slack


@asynccontextmanager
async def ageing(slack: Slack) -> AsyncGenerator[None]:
    """Remove each status in time, so that open pages stop showing it."""
    task = asyncio.create_task(_age(slack), name="age statuses")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _age(slack: Slack) -> None:
    while True:
        await slack.status_was_set.wait()
        slack.status_was_set.clear()
        # A later status expires later, so the first one is the next to expire.
        while (seconds := slack.end_old_statuses()) is not None:
            await slack.clock.sleep(seconds)
