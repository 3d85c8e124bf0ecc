"""The parent process: starts a child for each file, and ends it if it takes too long or returns too much."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from bot.errors import KnowledgeError
from bot.knowledge.blocks import Parsed
from bot.knowledge.sandbox.limits import Limits

_ROOT: Final = Path(__file__).parents[3]
# The child runs the same code as the parent, and nothing from the current folder.
_START: Final = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from bot.knowledge.sandbox.{module} import main; main()"
)
BOUNDS: Final = {
    "memory": "setrlimit", "network": "seccomp", "files": "Landlock", "programs": "seccomp",
    "other processes": "seccomp",
}  # fmt: skip
"""What a child must not reach or exceed, and the kernel's means against it."""
_CHUNK: Final = 65_536
_JSON_OF_TEXT: Final = 7
"""The most bytes of JSON for a byte of text: an escaped character in a block of its own."""
_BROKEN: Final = (
    "Its reader broke: the file is damaged, or takes more memory than it may (ASKBACK_READER_MEMORY_MB). Save it again."
)


async def read_apart(kind: str, content: bytes, limits: Limits) -> Parsed:
    """Return the result of the named reader. Raises `KnowledgeError` that says what to do."""
    parsed = _parsed(await run_child("child", [kind, str(limits.memory_mb), str(limits.seconds)], content, limits))
    if sum(len(block.text.encode(errors="replace")) for block in parsed.blocks) > limits.text_bytes:
        raise _too_long(limits)
    return parsed


_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1"}
"""The child's environment. It allows few threads, because each thread takes address space, which is limited."""


async def bounds_that_hold(limits: Limits) -> list[str]:
    """Let a child try to break all limits, and return those of `BOUNDS` that hold.

    Raises `KnowledgeError` if no child can start.
    """
    arguments = [str(limits.memory_mb), str(limits.seconds)]
    return _NAMES.validate_json(await run_child("probe", arguments, b"", limits))


async def run_child(module: str, arguments: list[str], content: bytes, limits: Limits) -> bytes:
    """Return a child's output. Raises `KnowledgeError` if the child fails or exceeds a limit."""
    try:
        async with asyncio.timeout(limits.seconds), child_process(module, arguments) as child:
            said = await _said(child, content, limits)
            code = await child.wait()
    except TimeoutError:
        raise _too_slow(limits) from None
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        raise _too_slow(limits)
    if code:
        raise KnowledgeError(_BROKEN)
    return said


@asynccontextmanager
async def child_process(
    module: str, arguments: list[str], *, longest_line: int = _CHUNK
) -> AsyncGenerator[asyncio.subprocess.Process]:
    """Start a child without our environment. End the child and its children with the context."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-X", "utf8", "-c", _START.format(module=module), str(_ROOT), *arguments,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        env=_ENVIRONMENT, start_new_session=True, limit=longest_line,
    )  # fmt: skip
    try:
        yield child
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        await child.wait()


async def _said(child: asyncio.subprocess.Process, content: bytes, limits: Limits) -> bytes:
    assert child.stdin is not None
    assert child.stdout is not None
    with suppress(BrokenPipeError, ConnectionResetError):
        child.stdin.write(content)
        await child.stdin.drain()
    child.stdin.close()
    said = bytearray()
    while chunk := await child.stdout.read(_CHUNK):
        said += chunk
        if len(said) > _JSON_OF_TEXT * limits.text_bytes + _CHUNK:
            raise _too_long(limits)
    return bytes(said)


def _parsed(said: bytes) -> Parsed:
    try:
        answer = _ANSWER.validate_json(said)
    except ValidationError:
        raise KnowledgeError(_BROKEN) from None
    if isinstance(answer, Parsed):
        return answer
    raise KnowledgeError(answer.get("error", _BROKEN))


def _too_slow(limits: Limits) -> KnowledgeError:
    return KnowledgeError(f"Reading it takes longer than {limits.seconds:g} s (ASKBACK_READER_SECONDS): split it.")


def _too_long(limits: Limits) -> KnowledgeError:
    return KnowledgeError(f"It holds more than {limits.text_mb:g} MB of text (ASKBACK_LARGEST_FILE_MB): split it.")


_NAMES: Final = TypeAdapter(list[str])
_ANSWER: Final[TypeAdapter[Parsed | dict[str, str]]] = TypeAdapter(Parsed | dict[str, str])
