"""Who serves a cluster: the process that its `postmaster.pid` names, if that process still is the one."""

import time
from dataclasses import dataclass
from pathlib import Path

import psutil

# Lines of postmaster.pid, from 0; the status comes last and is missing at first.
_PID, _PORT, _STATUS = 0, 3, 7


@dataclass(frozen=True, kw_only=True)
class ServerProcess:
    """A server process that is alive."""

    pid: int
    port: int
    status: str
    """`starting`, `ready` or `stopping`."""


def find(data: Path) -> ServerProcess | None:
    """Return the living server of the cluster in `data`, whatever it is doing."""
    lines = _lines(data / "postmaster.pid")
    if len(lines) <= _PORT or not _serves(int(lines[_PID]), data):
        return None
    status = lines[_STATUS].strip() if len(lines) > _STATUS else "starting"
    return ServerProcess(pid=int(lines[_PID]), port=int(lines[_PORT]), status=status)


def settle(data: Path) -> ServerProcess | None:
    """Wait until the server is ready, however long its recovery takes, or gone; clear away what a dead one left."""
    while (postmaster := find(data)) and postmaster.status != "ready":
        time.sleep(0.05)
    if postmaster is None:
        # PostgreSQL takes a dead server for a living one while its process is not reaped or its number is used again.
        (data / "postmaster.pid").unlink(missing_ok=True)
    return postmaster


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text().splitlines()
    except FileNotFoundError:
        return []


def _serves(pid: int, data: Path) -> bool:
    # By its command line, not its directory: root in a container may not look at another account's directory.
    try:
        process = psutil.Process(pid)
        return process.status() != psutil.STATUS_ZOMBIE and str(data) in process.cmdline()
    except psutil.Error:
        return False
