"""Bots by the dozen: a process that has loaded everything forks one on demand, for loading takes seconds.

`python -m tests.fork_server DESCRIPTOR` accepts connections at a socket. Each connection sends a line of a function's
module, its name and a JSON object for it. The server forks a process that calls the function and never returns, and
replies with the process's number. The process begins when the connection ends: by then the client knows which process
it is, however soon it ends. All processes of a test session share one server.
"""

import gc
import importlib
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from select import select
from tempfile import TemporaryDirectory, mkdtemp
from threading import Lock
from typing import Any

import psutil
import pytest

PATIENCE = 600.0
"""Timeout in seconds of a command that takes a few; only a failing test waits so long."""

LOADED = ("bot.cli.commands", "bot.cli.doctor", "bot.cli.evaluation", "bot.cli.migration", "bot.postgres.migrations")
"""The module that commands import, with all its dependencies."""


ADDRESS = "FORK_SERVER"
"""The environment variable that tells the processes of a session the address of their server."""


class ForkServer:
    """A client of the session's fork server, or else of its own, which starts at the first request."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._address = os.environ.get(ADDRESS, "")
        self._one_at_a_time = Lock()

    def start(self) -> str:
        """Start a server that this client closes; return its address. Requests wait until it has loaded everything."""
        self._address = f"{mkdtemp(prefix='askback-')}/fork-server"
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(self._address)
            listening.listen(100)
            self._process = _started(listening)
        return self._address

    def fork(self, function: Callable[[dict[str, Any]], object], given: dict[str, Any]) -> psutil.Process:
        """Run a function in a child process; return the process."""
        with self._one_at_a_time:
            address = self._address or self.start()
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(address)
            with connection.makefile("rw") as lines:
                lines.write(f"{function.__module__} {function.__name__} {json.dumps(given)}\n")
                lines.flush()
                return psutil.Process(int(lines.readline()))

    def run(self, command: str, folder: Path, **environment: str) -> tuple[int | None, str]:
        """Run a command in a folder; return its exit code, if it ended, and its output."""
        with TemporaryDirectory(prefix="askback-") as kept:
            given = {"folder": str(folder), "environment": environment, "kept": kept}
            self.fork(command_line, {"arguments": shlex.split(command), **given}).wait(PATIENCE)
            code = Path(kept, "code")
            return int(code.read_text()) if code.exists() else None, Path(kept, "said").read_text()

    def close(self) -> None:
        """End the fork server, if this client started it. Its children go on."""
        if self._process:
            self._process.communicate(timeout=30)
            shutil.rmtree(Path(self._address).parent)


def _started(listening: socket.socket) -> "subprocess.Popen[str]":
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SLACK", "GROQ", "ASKBACK"))}
    number = listening.fileno()
    command = [sys.executable, "-m", "tests.fork_server", str(number)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[number], text=True, env=clean)


def command_line(given: dict[str, Any]) -> None:
    """Run a command in this process, and redirect its output if asked to."""
    from bot.cli.commands import main as askback  # noqa: PLC0415 - Who asks for it does without.

    os.environ.clear()
    os.environ.update(given["environment"])
    sys.path[:0] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    os.chdir(given.get("folder", "."))
    if kept := given.get("kept"):
        os.dup2(os.open(f"{kept}/said", os.O_WRONLY | os.O_CREAT), 1)
    os.dup2(1, 2)
    sys.argv = ["askback", *given["arguments"]]
    code: Any = 0
    try:
        askback()
    except SystemExit as end:
        code = end.code or 0
    if kept:
        sys.stdout.flush()
        Path(kept, "code").write_text(str(code))


def write_modules(given: dict[str, Any]) -> None:
    """Write the names of all modules that commands import to a file, each on a line."""
    Path(given["file"]).write_text("\n".join(sys.modules))


def main() -> None:
    """Fork until standard input closes."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listening = socket.socket(fileno=int(sys.argv[1]))
    while listening in select([listening, sys.stdin], [], [])[0]:
        _load()
        connection, _ = listening.accept()
        with connection, connection.makefile("rw") as lines:
            module, name, given = lines.readline().split(" ", 2)
            function = getattr(importlib.import_module(module), name)
            gc.freeze()
            child = os.fork()
            if child == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                lines.readline()
                _call(function, json.loads(given))
            lines.write(f"{child}\n")


@cache
def _load() -> None:
    """Load everything at the first request, because many tests need no bot."""
    for module in LOADED:
        importlib.import_module(module)
    importlib.import_module("tests.warm_up").answer_once()
    importlib.import_module("tests.waiting").be_patient(pytest.MonkeyPatch())


def _call(function: Callable[[dict[str, Any]], object], given: dict[str, Any]) -> None:
    """Call the function that is the child's whole life."""
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(0, 1)
    try:
        function(given)
    except (SystemExit, KeyboardInterrupt):
        pass
    except BaseException:  # noqa: BLE001 - What follows here is the server's.
        traceback.print_exc()
    finally:
        os._exit(1)


if __name__ == "__main__":
    main()
