"""Finds the server process of a cluster by its `postmaster.pid`, and checks that it is the same process."""

import time
from dataclasses import dataclass
from pathlib import Path

import psutil

# Line numbers in postmaster.pid, from 0. The status is the last line, and missing at first.
_PID, _PORT, _STATUS = 0, 3, 7


@dataclass(frozen=True, kw_only=True)
class ServerProcess:
    """A living server process."""

    pid: int
    port: int
    status: str
    """`starting`, `ready` or `stopping`."""


def find(data: Path) -> ServerProcess | None:
    """Return the living server of the cluster in `data`, in any state."""
    lines = _lines(data / "postmaster.pid")
    if len(lines) <= _PORT or not _serves(int(lines[_PID]), data):
        return None
    status = lines[_STATUS].strip() if len(lines) > _STATUS else "starting"
    return ServerProcess(pid=int(lines[_PID]), port=int(lines[_PORT]), status=status)


def wait_until_ready(data: Path) -> ServerProcess | None:
    """Wait until the server is ready or gone, however long recovery takes. Remove a dead server's files."""
    while (server := find(data)) and server.status != "ready":
        time.sleep(0.05)
    if server is None:
        # PostgreSQL takes a dead server for a living one if its process is a zombie or its number is used again.
        (data / "postmaster.pid").unlink(missing_ok=True)
    return server


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text().splitlines()
    except FileNotFoundError:
        return []


def _serves(pid: int, data: Path) -> bool:
    # Compare command lines, not directories: in a container, root may not read another account's directory.
    try:
        process = psutil.Process(pid)
        return process.status() != psutil.STATUS_ZOMBIE and str(data) in process.cmdline()
    except psutil.Error:
        return False
