"""Stands for a Python program that takes a second to load: the fork server, which has loaded it, forks the program.

`python tests/support/placeholder.py NICENESS MODULE ARGUMENT…` is what its parent sees: the program has its input and
output, gets its interrupts, ends with it and gives it its exit code. It loads only a few modules of Python's own.
"""

import json
import os
import select
import signal
import socket
import sys


def main() -> None:
    """Have the program run, and wait for its end."""
    niceness, *arguments = sys.argv[1:]
    ended, code = os.pipe()
    given = {
        "arguments": arguments,
        "niceness": int(niceness),
        "environment": dict(os.environ),
        "folder": os.getcwd(),  # noqa: PTH109 - It loads `pathlib` for nothing else.
        "process": os.getpid(),
    }
    line = f"tests.support.fork_server stand_in {json.dumps(given)}\n".encode()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(600)
        connection.connect(os.environ["FORK_SERVER"])
        sent = socket.send_fds(connection, [line], [0, 1, 2, code])
        connection.sendall(line[sent:])
        number = int(connection.makefile().readline())
        program = os.pidfd_open(number)
        signal.signal(signal.SIGINT, lambda *_: os.kill(number, signal.SIGINT))
    select.select([program], [], [])
    os.set_blocking(ended, False)
    try:
        sys.exit(int(os.read(ended, 9)))
    except BlockingIOError:
        sys.exit("The program was killed.")


if __name__ == "__main__":
    main()
