"""Restricts a child process before it sees a file, without administrator rights.

A hostile document may take over the library that reads it. Its code then has little memory and time, opens no
connection and no file, starts no program and reaches no other process.
"""

import ctypes
import resource
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from bot.knowledge.sandbox.landlock import allow_reading_only
from bot.knowledge.sandbox.seccomp import refuse_calls

_ROOT: Final = Path(__file__).parents[3]
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_NO_NEW_PRIVS: Final = 38
_MEGABYTE: Final = 1_000_000
_MOST_FILES: Final = 64


def restrict_process(
    memory_mb: int,
    seconds: float,
    *,
    files: Iterable[Path] = (),
    listed: Iterable[Path] = (),
    has_network: bool = False,
) -> None:
    """Restrict this process. Restrictions that the kernel lacks are skipped; `askback doctor` names them.

    The files, and those below folders, in `files` may be read too. Of `listed`, only the names of files.
    """
    _limit(memory_mb, seconds)
    if not sys.platform.startswith("linux"):
        return
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    # Secrets may lie beside the code, so only the packages are allowed, not their folder.
    libraries = [Path(name) for name in (sys.prefix, sys.base_prefix, "/usr/lib", "/usr/lib64", "/lib", "/lib64")]
    readable = [_ROOT / "bot", _ROOT / "graph", *libraries, *files]
    allow_reading_only(libc, readable, listed=listed, has_network=has_network)
    refuse_calls(libc, has_network=has_network)


def _limit(memory_mb: int, seconds: float) -> None:
    limits = {
        resource.RLIMIT_AS: memory_mb * _MEGABYTE,
        resource.RLIMIT_CPU: max(1, round(seconds)),
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: _MOST_FILES,
    }
    for what, most in limits.items():
        with suppress(ValueError, OSError):
            resource.setrlimit(what, (most, most))
