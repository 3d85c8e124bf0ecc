"""How a command's main task is run."""

import asyncio
import gc
import threading
import time
from contextlib import suppress

import pytest
from structlog.testing import capture_logs

from bot import runtime


async def the_loop() -> str:
    return type(asyncio.get_running_loop()).__module__


async def fails() -> None:
    raise LookupError("It is not there.")


def test_a_command_runs_on_the_quick_loop_and_returns_what_its_task_returns() -> None:
    assert runtime.run(the_loop()) == "uvloop"


def test_what_a_task_raises_is_raised() -> None:
    with pytest.raises(LookupError):
        runtime.run(fails())


def test_while_a_command_runs_garbage_is_looked_for_seldom() -> None:
    before = gc.get_threshold()
    gc.set_threshold(700)
    try:
        runtime.run(the_loop())

        assert gc.get_threshold()[0] == runtime.NEW_OBJECTS
    finally:
        gc.set_threshold(*before)


async def test_a_task_beside_ends_also_if_a_library_loses_its_cancellation() -> None:
    begun = asyncio.Event()

    async def lose_one() -> None:
        begun.set()
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(3600)
        await asyncio.sleep(3600)

    async with asyncio.timeout(30), runtime.beside(lose_one(), name="loses one", again_seconds=0.05):
        await begun.wait()


async def test_a_look_that_failed_stops_neither_the_next_step_nor_the_next_look() -> None:
    due, done, ended = [1, 2, 3], list[int](), asyncio.Event()

    async def fail() -> bool:
        raise LookupError

    async def do_next() -> bool:
        if not due:
            ended.set()
            return False
        done.append(due.pop(0))
        if done == [1, 2]:
            raise LookupError
        return True

    with capture_logs() as lines:
        async with (
            asyncio.timeout(30),
            runtime.looking(fail, do_next, name="x", every_seconds=0, failure="x_failed"),
        ):
            await ended.wait()

    assert [1, 2, 3] == done
    assert ("x_failed", "LookupError") == (lines[0]["event"], lines[0]["error"])


async def test_the_first_look_can_come_sooner_than_the_next_ones() -> None:
    looked = asyncio.Event()

    async def look() -> None:
        looked.set()

    async with (
        asyncio.timeout(30),
        runtime.looking(look, name="x", every_seconds=3600, first_after_seconds=0, failure="x_failed"),
    ):
        await looked.wait()


async def test_what_a_computation_raises_reaches_who_waits_for_it() -> None:
    def ends() -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        async with asyncio.timeout(60):
            await runtime.abandonable(ends)


def test_a_cancelled_run_waits_for_what_it_computes_natively() -> None:
    """The library would abort the process."""
    ended = threading.Event()

    def compute() -> None:
        time.sleep(0.3)
        ended.set()

    async def main() -> None:
        async with asyncio.timeout(0.01):
            await runtime.abandonable(compute)

    with pytest.raises(TimeoutError):
        runtime.run(main())

    assert ended.is_set()


async def test_looks_side_by_side_have_all_cleaned_up_when_they_end() -> None:
    looking, cleaned, delays = asyncio.Semaphore(0), list[float](), iter([0.0, 0.2, 0.4])

    async def do_next() -> bool:
        looking.release()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(delay := next(delays))
            cleaned.append(delay)
        return False

    async with runtime.looking(do_next, name="x", every_seconds=0, failure="x_failed", at_once=3):
        for _ in range(3):
            await looking.acquire()

    assert 3 == len(cleaned)
