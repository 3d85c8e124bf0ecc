"""Bots by the dozen: a process that has loaded everything forks one on demand, for loading takes seconds.

`python -m tests.fork_server` reads lines of a function's module, its name and a JSON object for it; it forks a process
that calls the function and never returns, and writes the process's number.
"""

import gc
import importlib
import json
import os
import shlex
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

import psutil

PATIENCE = 180.0
"""Timeout in seconds of a command that takes a few; only a failing test waits so long."""

LOADED = ("bot.cli.commands", "bot.cli.doctor", "bot.cli.evaluation", "bot.cli.migration", "bot.postgres.migrations")
"""The module that commands import, with all its dependencies."""


class ForkServer:
    """A client of the fork server, which starts at the first request. One request at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._one_at_a_time = Lock()

    def fork(self, function: Callable[[dict[str, Any]], object], given: dict[str, Any]) -> psutil.Process:
        """Run a function in a child process; return the process."""
        with self._one_at_a_time:
            self._process = self._process or _started()
            stdin, stdout = self._process.stdin, self._process.stdout
            assert stdin is not None
            assert stdout is not None
            stdin.write(f"{function.__module__} {function.__name__} {json.dumps(given)}\n")
            stdin.flush()
            return psutil.Process(int(stdout.readline()))

    def run(self, command: str, folder: Path, **environment: str) -> tuple[int | None, str]:
        """Run a command in a folder; return its exit code, if it ended, and its output."""
        with TemporaryDirectory(prefix="askback-") as kept:
            given = {"folder": str(folder), "environment": environment, "kept": kept}
            self.fork(command_line, {"arguments": shlex.split(command), **given}).wait(PATIENCE)
            code = Path(kept, "code")
            return int(code.read_text()) if code.exists() else None, Path(kept, "said").read_text()

    def close(self) -> None:
        """End the fork server. Its children go on."""
        if self._process:
            self._process.communicate(timeout=30)


def _started() -> "subprocess.Popen[str]":
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SLACK", "GROQ", "ASKBACK"))}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.fork_server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=clean
    )


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


def main() -> None:
    """Fork until standard input closes."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for module in LOADED:
        importlib.import_module(module)
    importlib.import_module("graph.builder").compiled_graph()
    for line in sys.stdin:
        module, name, given = line.split(" ", 2)
        function = getattr(importlib.import_module(module), name)
        gc.freeze()
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _call(function, json.loads(given))
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()


def _call(function: Callable[[dict[str, Any]], object], given: dict[str, Any]) -> None:
    """Call the function that is the child's whole life."""
    # The tests read process numbers from the fork server's standard output.
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
