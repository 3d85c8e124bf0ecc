"""Runs a server's command for the bot: passes its answers on, and ends it if it writes too much or the bot is killed.

It is a process of its own, because the SDK reads a line of any length, in time that grows with the square of it.
"""

import ctypes
import os
import signal
import subprocess
import sys

LONGEST_LINE = 1_000_000
"""Bytes of one answer; the SDK has this limit for an event over HTTP."""
_PR_SET_PDEATHSIG = 1


def main(bot: int, command: list[str]) -> None:
    """Run the command until it ends. `bot` is the process that must live."""
    _die_with(bot)
    watchdog = os.getpid()
    # This process has no threads, so that code may run in the child before the command.
    with subprocess.Popen(command, stdout=subprocess.PIPE, preexec_fn=lambda: _die_with(watchdog)) as server:  # noqa: PLW1509, S603 - the operator's
        assert server.stdout is not None
        while line := server.stdout.readline(LONGEST_LINE + 1):
            if len(line) > LONGEST_LINE:
                server.kill()
                sys.exit(1)
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()


def _die_with(parent: int) -> None:
    """Ask the kernel to end this process with its parent (Linux only)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
