"""A computation that hangs delays neither the ones after it nor the end of the process."""

import subprocess
import sys
from threading import Event

import pytest

from bot.models.losable_threads import HangingError, LosableThreads

PATIENCE = 2.0
"""Seconds after which a computation counts as hanging: longer than a busy machine stands still."""


def one_thread(patience_seconds: float = PATIENCE) -> LosableThreads:
    return LosableThreads(1, patience_seconds=patience_seconds, name="test")


def test_results_come_in_order_and_errors_are_raised() -> None:
    threads = LosableThreads(3, patience_seconds=60, name="test")

    assert [number * 2 for number in range(50)] == threads.run([lambda n=number: n * 2 for number in range(50)])
    with pytest.raises(ZeroDivisionError):
        threads.run([lambda: 1 // 0])


def test_one_that_hangs_is_given_up_and_the_next_is_computed() -> None:
    threads, goes_on = one_thread(), Event()

    with pytest.raises(HangingError):
        threads.run([goes_on.wait])

    assert [1] == threads.run([lambda: 1])
    goes_on.set()
    assert [2] == threads.run([lambda: 2])


def test_what_waits_behind_a_hanging_one_is_not_called_hanging() -> None:
    threads, goes_on = LosableThreads(2, patience_seconds=PATIENCE, name="test"), Event()
    with pytest.raises(HangingError):
        threads.run([goes_on.wait, goes_on.wait, lambda: 1])

    assert list(range(20)) == threads.run([lambda n=number: n for number in range(20)])
    goes_on.set()


def test_with_too_many_lost_nothing_is_tried_until_one_comes_back() -> None:
    threads, goes_on, tried = one_thread(0.01), Event(), list[int]()
    for _ in range(32):
        with pytest.raises(HangingError):
            threads.run([goes_on.wait])

    with pytest.raises(HangingError):
        threads.run([lambda: tried.append(1)])
    assert [] == tried
    goes_on.set()
    while True:
        try:
            threads.run([lambda: tried.append(2)])
            break
        except HangingError:
            continue
    assert {2} == set(tried)


def test_a_process_ends_while_a_computation_hangs() -> None:
    program = """
from threading import Event
from bot.models.losable_threads import HangingError, LosableThreads
try:
    LosableThreads(1, patience_seconds=0.1, name="test").run([Event().wait])
except HangingError:
    print("given up")
"""
    ended = subprocess.run([sys.executable, "-c", program], timeout=120, capture_output=True, text=True, check=True)

    assert "given up" in ended.stdout
