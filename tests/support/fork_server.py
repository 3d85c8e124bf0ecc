"""Bots by the dozen: a process that has loaded everything forks one on demand, for loading takes seconds.

`python -m tests.support.fork_server DESCRIPTOR [ARGUMENT OF PYTEST …]` accepts connections at a socket. Each connection
sends a line of a function's module, its name and a JSON object for it; it may send open files as well. The server forks
a process that calls the function and never returns, and replies with the process's number. The process begins when the
connection ends: by then the client knows which process it is, however soon it ends. A test session's processes share
one server, which forks them, too: it has imported the session's tests.
"""

import gc
import importlib
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import chain
from pathlib import Path
from select import select
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import psutil
import pytest

from tests.support.large_pages import use_large_pages

PATIENCE = 600.0
"""Timeout in seconds of a command that takes a few; only a failing test waits so long."""

LOADED = (
    "bot.cli.commands",
    "bot.cli.doctor",
    "bot.cli.evaluation",
    "bot.cli.migration",
    "bot.cli.sync_child",
    "bot.postgres.migrations",
)
"""The modules that commands import, with all their dependencies."""
OF_TESTS = (
    *("bot.models.llm.providers.groq", "docx", "langchain_anthropic", "langchain_ollama", "langchain_openai"),
    *("mcp.server", "openpyxl", "playwright.async_api", "pptx"),
)
"""The largest modules that only tests import, and bots with a setting. pytest loads its plugins itself."""

ADDRESS = "FORK_SERVER"
"""The environment variable that tells the processes of a session the address of their server."""
PLACEHOLDER = str(Path(__file__).with_name("placeholder.py"))
"""The program in whose place a forked process runs."""
WARM = sys.executable, PLACEHOLDER, "0"
"""The command of a module's `main` in a forked process."""
COMMAND = *WARM, "bot.cli.commands"
"""An `askback` command in a forked process, without the arguments."""
SINGLE = {"OPENBLAS_NUM_THREADS": "1"}
"""Environment: more processes than cores compute anyway, and NumPy's threads spin while they wait for each other."""
COLD = "tests.support.worker"
"""The module that needs no patient process: how long a bot waits is the subject of tests."""


def arguments_of(module: str) -> tuple[str, ...]:
    """Return an interpreter's arguments for a program in whose place a module's `main` runs."""
    return *WARM[1:], module


WORKER = shlex.join([sys.executable, *arguments_of(COLD)])
"""The command of an interpreter for pytest-xdist."""


@contextmanager
def serving(*of_tests: str) -> Generator[str]:
    """Start a server while the context is open; yield its address. Requests wait until it has loaded everything.

    `of_tests` are pytest's arguments that say which tests the session has.
    """
    with TemporaryDirectory(prefix="askback-") as folder, socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address := f"{folder}/fork-server")
        listening.listen(100)
        process = _started(listening, of_tests)
        listening.close()
        yield address
        # Its children go on.
        process.communicate(timeout=30)


class ForkServer:
    """A client of the session's fork server."""

    def fork(self, function: Callable[[dict[str, Any]], object], given: dict[str, Any]) -> psutil.Process:
        """Run a function in a child process; return the process."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(PATIENCE)
            connection.connect(os.environ[ADDRESS])
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


def _started(listening: socket.socket, of_tests: tuple[str, ...]) -> "subprocess.Popen[str]":
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SLACK", "GROQ", "ASKBACK"))}
    number = listening.fileno()
    command = [sys.executable, "-m", "tests.support.fork_server", str(number), *of_tests]
    return subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[number], text=True, env={**clean, **SINGLE})


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


def in_place_of(module: str) -> str:
    """Return a program in whose place a module's `main` runs; it has a place for the niceness, in braces."""
    return f"import sys; sys.argv[1:] = ['{{niceness}}', {module!r}]; exec(open({PLACEHOLDER!r}).read())"


def stand_in(given: dict[str, Any], *files: int) -> None:
    """Run a module's `main` in the place of a process, `tests.support.placeholder`, with its files; end with it."""
    *standard, code = files
    for descriptor, file in enumerate(standard):
        os.dup2(file, descriptor)
    os.setsid()
    os.nice(given["niceness"])
    try:
        placeholder = os.pidfd_open(given["process"])
    except ProcessLookupError:
        return
    Thread(target=_end_with, args=(placeholder,), daemon=True).start()
    os.environ.clear()
    os.environ.update(given["environment"])
    os.chdir(given["folder"])
    module, *sys.argv[1:] = given["arguments"]
    try:
        importlib.import_module(module).main()
        sys.stdout.flush()
        os.write(code, b"0")
    except SystemExit as end:
        sys.stdout.flush()
        os.write(code, str(end.code if isinstance(end.code, int) else int(bool(end.code))).encode())


def _end_with(process: int) -> None:
    select([process], [], [])
    os.kill(os.getpid(), signal.SIGKILL)


def write_modules(given: dict[str, Any]) -> None:
    """Write the names of all modules that commands import to a file, each on a line."""
    Path(given["file"]).write_text("\n".join(_import()))


def main() -> None:
    """Fork until standard input closes."""
    # Loading makes hardly any garbage. The collector would visit the same objects again and again.
    gc.disable()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listening = socket.socket(fileno=int(sys.argv[1]))
    while listening in select([listening, sys.stdin], [], [])[0]:
        _import()
        connection, _ = listening.accept()
        # A placeholder is killed with its bot, at any time.
        with connection, suppress(BrokenPipeError, ConnectionResetError):
            _serve(connection, listening)


def _serve(connection: socket.socket, listening: socket.socket) -> None:
    """Fork the process that a client requests."""
    line, files = _request(connection)
    module, name, given_text = line.split(" ", 2)
    given = json.loads(given_text)
    _load()
    if COLD in given.get("arguments", []):
        _import_tests()
    else:
        _warm_up()
    function = getattr(importlib.import_module(module), name)
    gc.freeze()
    child = os.fork()
    if child == 0:
        gc.enable()
        # Otherwise clients of a server that has died would wait for its children, and not be refused.
        listening.close()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        # A background process of a shell ignores it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with suppress(ConnectionResetError):
            connection.recv(1)
        _call(function, given, *files)
    for file in files:
        os.close(file)
    connection.sendall(f"{child}\n".encode())


def _request(connection: socket.socket) -> tuple[str, list[int]]:
    """Return the line that a client sends, and the files. Raises `ConnectionResetError` if it ends before."""
    line, files, _, _ = socket.recv_fds(connection, 1 << 16, 4)
    while not line.endswith(b"\n"):
        more = connection.recv(1 << 16)
        if not more:
            raise ConnectionResetError
        line += more
    return line.decode(), files


@cache
def _import() -> list[str]:
    """Import everything at the first request, because many tests need no bot; return the modules of commands."""
    for module in LOADED:
        importlib.import_module(module)
    of_commands = [*sys.modules]
    for module in OF_TESTS:
        importlib.import_module(module)
    return of_commands


@cache
def _load() -> None:
    """Load what each process would otherwise load for itself."""
    importlib.import_module("tests.support.warm_up").load()


@cache
def _import_tests() -> None:
    """Import the session's tests, so that none of its processes imports or compiles any."""
    import_tests(*sys.argv[2:])
    # Its first use looks at all characters of Unicode, for two seconds.
    importlib.import_module("hypothesis.strategies").text().validate()


def import_tests(*arguments: str) -> int:
    """Import tests as pytest does; return its exit code.

    What is wrong with a file, the processes say, for they import it again.
    """
    silent = "no:terminal", "no:cacheprovider", "no:unraisableexception"
    plugins = chain.from_iterable(("-p", plugin) for plugin in silent)
    return pytest.main(["--collect-only", "--capture=no", *plugins, *arguments], plugins=[_Forgetting()])


class _Forgetting:
    """Forgets modules that raised an error or skip themselves: pytest would take what there is of them for whole."""

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        report = yield
        if not report.passed:
            path = str(getattr(collector, "path", ""))
            for name in [name for name, module in sys.modules.items() if getattr(module, "__file__", None) == path]:
                del sys.modules[name]
        return report


@cache
def _warm_up() -> None:
    """Make all later processes fast and patient."""
    importlib.import_module("tests.support.warm_up").warm_up()
    importlib.import_module("tests.support.waiting").be_patient(pytest.MonkeyPatch())
    use_large_pages()


def _call(function: Callable[..., object], given: dict[str, Any], *files: int) -> None:
    """Call the function that is the child's whole life."""
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(0, 1)
    try:
        function(given, *files)
    except (SystemExit, KeyboardInterrupt):
        pass
    except BaseException:  # noqa: BLE001 - What follows here is the server's.
        traceback.print_exc()
    finally:
        os._exit(1)


if __name__ == "__main__":
    # The functions that it calls import this module by its name, and there they find what is loaded.
    importlib.import_module("tests.support.fork_server").main()
