"""Supervises the serving process: starts it again if it dies, for instance after it hung.

The supervisor is the command's own process. It only waits, so no message can make it hang.
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
    """The child's side: reports once that it serves."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe

    def begun(self) -> None:
        """Tell the supervisor that this child serves, so that it is worth restarting."""
        os.write(self._pipe, b".")


def supervised() -> Serving:
    """Fork: return in the child. The parent starts another child if one dies, and exits when one exits."""
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
    """Passes termination signals on to the child."""

    def __init__(self) -> None:
        self.to_end = False
        self._child = 0
        for number in _TOLD:
            signal.signal(number, self._forward)

    def of(self, child: int) -> None:
        """Pass signals on to this child, including one that came before the child existed."""
        self._child = child
        if self.to_end:
            self._forward(signal.SIGTERM, None)

    def wait(self, seconds: float) -> None:
        """Sleep until the time is over or a signal comes."""
        until = time.monotonic() + seconds
        while not self.to_end and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, 0.1))

    def _forward(self, number: int, _frame: FrameType | None) -> None:
        self.to_end = True
        with suppress(ProcessLookupError):
            if self._child:
                os.kill(self._child, number)


def _die_with(supervisor: int) -> None:
    """Ask the kernel to end this process if the supervisor is killed (Linux only)."""
    for number in _TOLD:
        signal.signal(number, lambda number, _frame: sys.exit(128 + number))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != supervisor:
        sys.exit(1)
