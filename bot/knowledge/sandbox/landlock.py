"""Landlock, through `ctypes`: a reader may open only the files of Python and of the readers, for reading."""

import ctypes
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
"""Syscall numbers, the same on every architecture."""
_ASK_VERSION: Final = 1
_BELOW_A_PATH: Final = 1
_READ_FILES_AND_FOLDERS: Final = 0b1100
_READ_FILES: Final = 0b0100
_READ_FOLDERS: Final = 0b1000
_FILE_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 5: 16}
"""The number of file rights, by Landlock version."""
_NETWORK_SINCE: Final = 4
_BIND_AND_CONNECT: Final = 0b11


class _Rules(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64))


class _BelowPath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def allow_reading_only(libc: ctypes.CDLL, places: Iterable[Path], *, listed: Iterable[Path], has_network: bool) -> None:
    """Allow only reading files and below folders, for good, if the kernel can do that.

    Of the folders in `listed`, only the names of files can be read.
    """
    version = libc.syscall(_CREATE, None, 0, _ASK_VERSION)
    if version < 1:
        return
    rights = max(count for since, count in _FILE_RIGHTS.items() if since <= version)
    refuses_network = version >= _NETWORK_SINCE and not has_network
    rules = _Rules((1 << rights) - 1, _BIND_AND_CONNECT if refuses_network else 0)
    ruleset = libc.syscall(_CREATE, ctypes.byref(rules), ctypes.c_size_t(16 if refuses_network else 8), 0)
    if ruleset < 0:
        return
    for place in filter(Path.exists, places):
        _allow(libc, ruleset, place, _READ_FILES_AND_FOLDERS if place.is_dir() else _READ_FILES)
    for folder in filter(Path.is_dir, listed):
        _allow(libc, ruleset, folder, _READ_FOLDERS)
    libc.syscall(_RESTRICT, ruleset, 0)
    os.close(ruleset)


def _allow(libc: ctypes.CDLL, ruleset: int, place: Path, rights: int) -> None:
    opened = os.open(place, os.O_PATH)
    below = _BelowPath(rights, opened)
    libc.syscall(_ADD_RULE, ruleset, _BELOW_A_PATH, ctypes.byref(below), 0)
    os.close(opened)
