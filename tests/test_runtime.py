"""How a command's main task is run."""

import asyncio
import gc

import pytest

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
    try:
        runtime.run(the_loop())

        assert gc.get_threshold()[0] == runtime.NEW_OBJECTS
    finally:
        gc.set_threshold(*before)
