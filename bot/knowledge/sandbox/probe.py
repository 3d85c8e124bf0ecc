"""A child that restricts itself, tries what a reader must not do, and reports what was refused."""

import json
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from bot.knowledge.sandbox.hardening import restrict_process

_BEYOND: Final = 1.1


def main() -> None:
    """Restrict, try, and report."""
    memory_mb, seconds = sys.argv[1:]
    tried: dict[str, Callable[[], object]] = {
        "memory": lambda: bytearray(int(int(memory_mb) * 1_000_000 * _BEYOND)),
        "network": lambda: socket.socket().close(),
        "files": lambda: Path("/etc/passwd").read_bytes(),
        "programs": lambda: os.posix_spawn("/bin/sh", ["sh", "-c", ":"], {}),
        "other processes": lambda: os.kill(os.getppid(), 0),
    }
    restrict_process(int(memory_mb), float(seconds))
    json.dump([what for what, attempt in tried.items() if _is_refused(attempt)], sys.stdout)


def _is_refused(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except (OSError, MemoryError):
        return True
    return False
