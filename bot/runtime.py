"""Runs a command's main task: on a fast event loop, with little garbage collection, and with a hang detector."""

import asyncio
import faulthandler
import gc
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager
from threading import Thread, current_thread
from typing import Any, Final, TypeVar

import structlog
import uvloop

Result = TypeVar("Result")

NEW_OBJECTS: Final = 50_000
"""Objects after which the garbage collector searches for cycles. An answer creates tens of thousands of objects, nearly
all without cycles. With Python's default of 700 the search takes a tenth of all processor time."""

STANDSTILL_SECONDS: Final = 20.0
"""If the event loop has not run for this long, it counts as hung."""
BEAT_SECONDS: Final = 1.0
CANCEL_AGAIN_SECONDS: Final = 10.0
"""Longer than any task needs to end."""
ABANDONED_SECONDS: Final = 1.5

_computing: Final[set[Thread]] = set()


def run(main_task: Coroutine[Any, Any, Result]) -> Result:
    """Run the task, and return its result."""
    gc.set_threshold(NEW_OBJECTS)
    try:
        return uvloop.run(main_task)
    finally:
        _await_abandoned()


async def abandonable(compute: Callable[[], Result]) -> Result:
    """Compute on a thread of its own. If the caller is cancelled, the process waits `ABANDONED_SECONDS` for it at most.

    The event loop, before it ends, waits for each thread of `asyncio.to_thread`, however long that takes.
    """
    future: Future[Result] = Future()
    thread = Thread(target=_settle, args=(future, compute), name="abandonable", daemon=True)
    _computing.add(thread)
    thread.start()
    return await asyncio.wrap_future(future)


def _settle(future: "Future[Result]", compute: Callable[[], Result]) -> None:
    try:
        if future.set_running_or_notify_cancel():
            future.set_result(compute())
    except BaseException as error:  # noqa: BLE001 — the caller gets it, and would wait for ever without it.
        future.set_exception(error)
    finally:
        _computing.discard(current_thread())


def _await_abandoned() -> None:
    # A native library aborts a process that ends in the middle of a call.
    due = time.monotonic() + ABANDONED_SECONDS
    for thread in list(_computing):
        thread.join(max(0.0, due - time.monotonic()))


@asynccontextmanager
async def beside(
    task: Coroutine[Any, Any, None], *, name: str, again_seconds: float = CANCEL_AGAIN_SECONDS
) -> AsyncGenerator[None]:
    """Run a task while the context is open. When the context ends, cancel the task and wait for it."""
    running = asyncio.create_task(task, name=name)
    try:
        yield
    finally:
        # A library can lose a cancellation that comes as its own wait ends. Then the task would run on for ever.
        while not running.done():
            running.cancel()
            await asyncio.wait([running], timeout=again_seconds)
        await asyncio.gather(running, return_exceptions=True)


@asynccontextmanager
async def looking(
    *steps: Callable[[], Awaitable[bool | None]],
    name: str,
    every_seconds: float,
    first_after_seconds: float | None = None,
    failure: str,
    at_once: int = 1,
) -> AsyncGenerator[None]:
    """Do what is due, again and again while the context is open, `at_once` things at a time.

    A step does one thing, and tells whether it found any; or it does all, and returns nothing. If a step raises,
    `failure` is logged, and the next look may go well. `first_after_seconds` is the pause before the first look, by
    default that between two.
    """
    pauses = (every_seconds if first_after_seconds is None else first_after_seconds, every_seconds)
    async with beside(_look_side_by_side(steps, pauses, failure, at_once), name=name):
        yield


async def _look_side_by_side(
    steps: Sequence[Callable[[], Awaitable[bool | None]]], pauses: tuple[float, float], failure: str, at_once: int
) -> None:
    # Unlike `asyncio.gather`, a group that is cancelled waits until each task has cleaned up.
    async with asyncio.TaskGroup() as looks:
        for _ in range(at_once):
            looks.create_task(_look_forever(steps, pauses, failure))


async def _look_forever(
    steps: Sequence[Callable[[], Awaitable[bool | None]]], pauses: tuple[float, float], failure: str
) -> None:
    pause, next_pause = pauses
    while True:
        await asyncio.sleep(pause)
        pause = next_pause
        for do_next in steps:
            try:
                while await do_next():
                    pass
            except Exception as error:  # noqa: BLE001 — whatever stopped it, the next look may go well.
                structlog.get_logger().warning(failure, error=type(error).__name__)


@asynccontextmanager
async def heartbeat(*, standstill_seconds: float = STANDSTILL_SECONDS) -> AsyncGenerator[None]:
    """End the process if the event loop hangs while the context is open, and log where it hung.

    Code that holds the interpreter also blocks Python's signals and timers. `faulthandler` has a thread that needs no
    interpreter: it writes each thread's file and line, without values, and ends the process.
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
