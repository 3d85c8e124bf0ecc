"""What Slack takes away by itself once its time is over: the line that says what the bot is doing."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from playground.state.slack import Slack


@asynccontextmanager
async def ageing(slack: Slack) -> AsyncGenerator[None]:
    """Take each status away in time, so that an open page shows it no longer than a new one would."""
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
        # What is said later stands longer, so nothing ends before the first of all.
        while (seconds := slack.end_old_statuses()) is not None:
            await slack.clock.sleep(seconds)
