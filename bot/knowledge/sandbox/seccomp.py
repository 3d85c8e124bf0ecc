"""seccomp, through `ctypes`: a filter of the system calls that a reader must not make."""

import ctypes
import platform
import struct
from typing import Final, NamedTuple


class _Machine(NamedTuple):
    audit: int
    """The kernel's number of the architecture."""
    network: tuple[int, ...]
    """System calls for network."""
    others: tuple[int, ...]
    """System calls for programs, other processes, and kernel interfaces."""


_X86_64: Final = _Machine(
    0xC000003E,
    # socket … recvmsg, bind … socketpair, accept4, sendmmsg
    (41, 42, 43, 44, 49, 50, 53, 288, 307),
    # clone … execve, execveat, clone3; kill, tkill, tgkill,
    # signals with values, ptrace, process_vm_*, pidfd_*, prlimit64; perf, bpf, userfaultfd, io_uring.
    (56, 57, 58, 59, 322, 435, 62, 200, 234, 129, 297, 101, 310, 311, 424, 434, 438, 302, 298, 321, 323, 425, 426, 427),
)
_AARCH64: Final = _Machine(
    0xC00000B7,
    (198, 199, 200, 201, 202, 203, 206, 242, 269),
    (220, 221, 281, 435, 129, 130, 131, 138, 240, 117, 270, 271, 424, 434, 438, 261, 241, 280, 282, 425, 426, 427),
)
_MACHINES: Final = {"x86_64": _X86_64, "aarch64": _AARCH64}

_PR_SET_SECCOMP: Final = 22
_MODE_FILTER: Final = 2
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW: Final = 0x7FFF0000
_REFUSE: Final = 0x00050001
"""The call fails with EPERM."""
_OTHER_NUMBERS: Final = 0x40000000
"""x86_64 has a second set of numbers for the same calls, from here on."""


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def refuse_calls(libc: ctypes.CDLL, *, has_network: bool) -> None:
    """Refuse these calls, for good, if the kernel can do that."""
    machine = _MACHINES.get(platform.machine())
    if machine is None:
        return
    code = _code(machine.audit, machine.others if has_network else (*machine.network, *machine.others))
    program = _Program(len(code) // 8, code)
    libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0)


def _code(audit: int, numbers: tuple[int, ...]) -> bytes:
    """Return the filter: jump to the refusal for another architecture or a listed number; allow the rest."""
    count = len(numbers)
    steps = [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 0, count + 3, audit),
        (_LOAD, 0, 0, 0),
        (_AT_LEAST, count + 1, 0, _OTHER_NUMBERS),
        *((_EQUAL, count - place, 0, number) for place, number in enumerate(numbers)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
    return b"".join(struct.pack("<HBBI", *step) for step in steps)
