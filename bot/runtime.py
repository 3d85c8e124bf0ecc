"""How a command's main task is run: on a quick event loop, with little garbage collection, and never standing still."""

import asyncio
import faulthandler
import gc
import sys
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

import uvloop

Result = TypeVar("Result")

NEW_OBJECTS: Final = 50_000
"""After so many the collector looks for cycles among them. An answer makes tens of thousands of objects, nearly all of
which go by themselves; at Python's 700 the looking takes a tenth of all processor time, and finds next to nothing."""

STANDSTILL_SECONDS: Final = 20.0
"""A loop that has not turned for so long is held by something that will not let go."""
BEAT_SECONDS: Final = 1.0


def run(main_task: Coroutine[Any, Any, Result]) -> Result:
    """Run the task to its end, and return what it returns."""
    gc.set_threshold(NEW_OBJECTS)
    return uvloop.run(main_task)


@asynccontextmanager
async def beside(task: Coroutine[Any, Any, None], *, name: str) -> AsyncGenerator[None]:
    """Run a task while the context is open; as that ends, end the task and wait until it has."""
    running = asyncio.create_task(task, name=name)
    try:
        yield
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


@asynccontextmanager
async def heartbeat(*, standstill_seconds: float = STANDSTILL_SECONDS) -> AsyncGenerator[None]:
    """End the process if the loop stands still while the context is open; what it stood in is written to the log.

    Whatever holds the interpreter also holds signals and timers in Python. `faulthandler` has a thread that needs no
    interpreter: it says where each thread stands, by file and line and without values, and ends the process.
    """
    _arm(standstill_seconds)
    try:
        async with beside(_beat(standstill_seconds), name="heartbeat"):
            yield
    finally:
        faulthandler.cancel_dump_traceback_later()


async def _beat(standstill_seconds: float) -> None:
    while True:
        await asyncio.sleep(min(BEAT_SECONDS, standstill_seconds / 4))
        _arm(standstill_seconds)


def _arm(standstill_seconds: float) -> None:
    faulthandler.dump_traceback_later(standstill_seconds, exit=True, file=sys.stderr)
