"""A program that the fork server runs in the place of a process is like that process to its parent."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.support.fork_server import ADDRESS, ForkServer, in_place_of, write_modules


def main() -> None:
    """Read a line, write it in capitals with our process and folder, and end with a code; on `wait`, end never."""
    line = input()
    print(line.upper(), *sys.argv[1:], os.getpid(), Path.cwd(), flush=True)  # noqa: T201
    if line == "wait":
        signal.pause()
    sys.exit(7)


def standing_in(folder: Path) -> subprocess.Popen[str]:
    """Start a process in a folder; `main` runs in its place."""
    program = in_place_of("tests.support.test_placeholder").format(niceness=0)
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", program], stdin=pipe, stdout=pipe, text=True, cwd=folder)


def test_it_has_the_folder_the_input_the_output_and_the_exit_code(tmp_path: Path) -> None:
    with standing_in(tmp_path) as process:
        said, _ = process.communicate("hello\n")

    assert "HELLO" == said.split()[0]
    assert str(process.pid) != said.split()[1]
    assert str(tmp_path) == said.split()[2]
    assert 7 == process.returncode


def test_it_ends_with_the_process_in_whose_place_it_runs(tmp_path: Path) -> None:
    with standing_in(tmp_path) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write("wait\n")
        process.stdin.flush()
        program = psutil.Process(int(process.stdout.readline().split()[1]))
        process.kill()

    program.wait(120)


@pytest.mark.parametrize(
    "sent", [b"", b"tests.support.fork_server", b'tests.support.fork_server write_modules {"file": "/dev/null"}\n']
)
def test_a_client_that_is_killed_ends_no_server(fork_server: ForkServer, tmp_path: Path, sent: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(os.environ[ADDRESS])
        client.sendall(sent)

    fork_server.fork(write_modules, {"file": str(tmp_path / "modules")}).wait(120)

    assert (tmp_path / "modules").exists()
