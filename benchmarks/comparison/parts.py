"""Measures a bot's processor time by part."""

import asyncio
import json
import signal
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack

from benchmarks.arena.arena import Arena
from benchmarks.arena.contestants import COMMANDS, Contestant, Name
from benchmarks.comparison.load import rush

Parts = Mapping[str, float]
"""Seconds of processor time for each question, by part."""
WARMING = 8
"""Questions that warm up the caches."""


async def parts_of(
    arena: Arena, names: Sequence[Name], environment: Mapping[str, str], *, threads: int, rounds: int
) -> dict[Name, Parts]:
    """Ask each bot this many questions at once, and return the time of each part for a question."""
    async with AsyncExitStack() as stack:
        bots = [
            await stack.enter_async_context(
                arena.contestant(name, environment, command=("benchmarks.arena.sampled", *COMMANDS[name]))
            )
            for name in names
        ]
        await asyncio.gather(*(bot.start() for bot in bots))
        await rush(bots, threads=WARMING, rounds=1)
        for bot in bots:
            _signal(bot)
        await rush(bots, threads=threads, rounds=rounds)
        return {bot.name: await _counted(bot, threads * rounds) for bot in bots}


async def _counted(bot: Contestant, questions: int) -> Parts:
    _signal(bot)
    line = await bot.playground.until(lambda: _line(bot), 10.0)
    return {part: seconds / questions for part, seconds in json.loads(line)["parts"].items()}


def _signal(bot: Contestant) -> None:
    assert bot.process is not None
    bot.process.send_signal(signal.SIGUSR1)


def _line(bot: Contestant) -> str | None:
    bot.errors.seek(0)
    return next((line for line in bot.errors if line.startswith('{"parts"') and line.endswith("\n")), None)
