"""Threads that a hanging model cannot hold up. Nobody can end a thread, so one that hangs is given up."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from queue import SimpleQueue
from threading import Lock, Thread, current_thread
from time import monotonic
from typing import Any, Final, TypeAlias, TypeVar

import structlog

from graph.context import ModelError

_LOOKS: Final = 10
"""How often a caller looks, while a computation may take its time, whether one hangs."""
_MOST_LOST: Final = 32
"""Threads that may hang. With more, nothing is computed until one of them comes back."""
Result = TypeVar("Result")
_Job: TypeAlias = tuple["Future[Any]", Callable[[], Any]]


class HangingError(ModelError):
    """The model hangs."""


class LosableThreads:
    """Daemon threads that compute, a number at a time.

    A computation that takes longer than `patience_seconds` hangs: it fails, and another thread takes the place of its
    own. So it delays neither the computations after it nor the end of the process.
    """

    def __init__(self, number: int, *, patience_seconds: float, name: str) -> None:
        self._number = number
        self._patience_seconds = patience_seconds
        self._name = name
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._lock = Lock()
        self._threads: set[Thread] = set()
        self._lost: set[Thread] = set()
        self._begun: dict[Thread, tuple[Future[Any], float]] = {}
        """What each thread computes, and since when."""

    def run(self, computations: Sequence[Callable[[], Result]]) -> list[Result]:
        """Return the results, in order. Raises `HangingError`, or what a computation raises; then the others end."""
        if len(self._lost) >= _MOST_LOST:
            raise HangingError
        futures = [self._submit(one) for one in computations]
        try:
            return [self._result(future) for future in futures]
        finally:
            for future in futures:
                future.cancel()

    def _submit(self, computation: Callable[[], Result]) -> "Future[Result]":
        future: Future[Result] = Future()
        self._jobs.put((future, computation))
        with self._lock:
            if len(self._threads) < self._number:
                self._start()
        return future

    def _result(self, future: "Future[Result]") -> Result:
        while not wait([future], timeout=self._patience_seconds / _LOOKS).done:
            self._give_up_hanging()
        return future.result()

    def _start(self) -> None:
        thread = Thread(target=self._work, name=self._name, daemon=True)
        self._threads.add(thread)
        thread.start()

    def _work(self) -> None:
        me = current_thread()
        while me not in self._lost:
            future, computation = self._jobs.get()
            if not future.set_running_or_notify_cancel():
                continue
            with self._lock:
                self._begun[me] = future, monotonic()
            outcome = _outcome(computation)
            with self._lock:
                if self._begun.pop(me, None):
                    _end(future, outcome)
        with self._lock:
            self._lost.discard(me)

    def _give_up_hanging(self) -> None:
        before = monotonic() - self._patience_seconds
        with self._lock:
            hanging = [thread for thread, (_, began) in self._begun.items() if began <= before]
            for thread in hanging:
                future, _ = self._begun.pop(thread)
                self._threads.discard(thread)
                self._lost.add(thread)
                future.set_exception(HangingError())
                self._start()
        if hanging:
            structlog.get_logger().warning("model_hangs", threads=self._name, lost=len(self._lost))


def _outcome(computation: Callable[[], Result]) -> "Result | Exception":
    try:
        return computation()
    except Exception as error:  # noqa: BLE001 — who waits for it gets it.
        return error


def _end(future: "Future[Any]", outcome: object) -> None:
    if isinstance(outcome, Exception):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)
