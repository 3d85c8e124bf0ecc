"""Starts a serving process again if it dies: a process that stood still is ended, and somebody has to go on.

The supervisor is the command itself. It does nothing but wait, so nothing that a message does can hold it.
"""

import ctypes
import os
import signal
import sys
import time
from contextlib import suppress
from types import FrameType
from typing import Final

import structlog

RESTART_SECONDS: Final = 1.0
_TOLD: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PR_SET_PDEATHSIG: Final = 1


class Serving:
    """The child's side: it says once that it has begun to serve."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe

    def begun(self) -> None:
        """Tell the supervisor that from here on a death is worth a new start."""
        os.write(self._pipe, b".")


def supervised() -> Serving:
    """Return in a child process; this process stays, starts another child if one dies, and ends when one ends."""
    told = _Told()
    while True:
        reads, writes = os.pipe()
        supervisor = os.getpid()
        child = os.fork()
        if child == 0:
            os.close(reads)
            _die_with(supervisor)
            return Serving(writes)
        os.close(writes)
        told.of(child)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        told.of(0)
        has_served = bool(os.read(reads, 1))
        os.close(reads)
        told.wait(RESTART_SECONDS if code and has_served else 0)
        if code == 0 or told.to_end or not has_served:
            sys.exit(code if code >= 0 else 128 - code)
        structlog.get_logger().error("process_died", code=code)


class _Told:
    """Hears the signals that tell a process to end, and passes them on."""

    def __init__(self) -> None:
        self.to_end = False
        self._child = 0
        for number in _TOLD:
            signal.signal(number, self._forward)

    def of(self, child: int) -> None:
        """Pass the signals on to this child; also one that came before it was there."""
        self._child = child
        if self.to_end:
            self._forward(signal.SIGTERM, None)

    def wait(self, seconds: float) -> None:
        """Wait, but no longer than until a signal comes."""
        until = time.monotonic() + seconds
        while not self.to_end and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, 0.1))

    def _forward(self, number: int, _frame: FrameType | None) -> None:
        self.to_end = True
        with suppress(ProcessLookupError):
            if self._child:
                os.kill(self._child, number)


def _die_with(supervisor: int) -> None:
    """Let the kernel end this process if the supervisor is killed, where the kernel can."""
    for number in _TOLD:
        signal.signal(number, lambda number, _frame: sys.exit(128 + number))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != supervisor:
        sys.exit(1)
