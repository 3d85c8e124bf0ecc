"""The parent process: starts a child for each file, and ends it if it takes too long or returns too much."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable
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
    "memory": "setrlimit",
    "network": "seccomp",
    "files": "Landlock",
    "programs": "seccomp",
    "other processes": "seccomp",
}
"""What a child must not reach or exceed, and the kernel's means against it."""
_CHUNK: Final = 65_536
_JSON_OF_TEXT: Final = 7
"""The most bytes of JSON for a byte of text: an escaped character in a block of its own."""
_BROKEN: Final = (
    "Its reader broke: the file is damaged, or takes more memory than it may (ASKBACK_READER_MEMORY_MB). Save it again."
)


async def read_apart(kind: str, content: bytes, limits: Limits) -> Parsed:
    """Return the result of the named reader. Raises `KnowledgeError` that says what to do."""
    said = await run_child("child", [kind, str(limits.memory_mb), str(limits.seconds)], content, limits)
    return _fitting(_parsed(said), limits)


async def recognise_apart(kind: str, content: bytes, limits: Limits, tell: Callable[[int], None]) -> Parsed:
    """Return the result of the named reader, with the text of pictures. `tell` is called after each page.

    Each page may take the seconds of the limits. Raises `KnowledgeError` that says what to do.
    """
    seconds = limits.seconds * (1 + limits.ocr_pages)
    arguments = [kind, str(limits.memory_mb), str(seconds), str(limits.ocr_pages)]
    try:
        async with child_process("recognising", arguments, longest_line=_most_said(limits)) as child:
            async with asyncio.timeout(limits.seconds):
                await _write(child, content)
            said = await _last_line(child, limits, tell)
            code = await child.wait()
    except TimeoutError:
        raise _too_slow(limits) from None
    return _fitting(_parsed(_checked(said, code, limits)), limits)


_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
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
    return _checked(said, code, limits)


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
    await _write(child, content)
    assert child.stdout is not None
    said = bytearray()
    while chunk := await child.stdout.read(_CHUNK):
        said += chunk
        if len(said) > _most_said(limits):
            raise _too_long(limits)
    return bytes(said)


async def _write(child: asyncio.subprocess.Process, content: bytes) -> None:
    assert child.stdin is not None
    with suppress(BrokenPipeError, ConnectionResetError):
        child.stdin.write(content)
        await child.stdin.drain()
    child.stdin.close()


async def _last_line(child: asyncio.subprocess.Process, limits: Limits, tell: Callable[[int], None]) -> bytes:
    """Return the child's last line. The lines before it are the numbers of pages done, each in time."""
    assert child.stdout is not None
    last = b""
    for _ in range(limits.ocr_pages + 1):
        try:
            async with asyncio.timeout(limits.seconds):
                line = await child.stdout.readline()
        except ValueError:
            raise _too_long(limits) from None
        if line.strip().isdigit():
            tell(int(line))
        elif line:
            last = line
        else:
            break
    return last


def _checked(said: bytes, code: int, limits: Limits) -> bytes:
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        raise _too_slow(limits)
    if code:
        raise KnowledgeError(_BROKEN)
    return said


def _fitting(parsed: Parsed, limits: Limits) -> Parsed:
    if sum(len(block.text.encode(errors="replace")) for block in parsed.blocks) > limits.text_bytes:
        raise _too_long(limits)
    return parsed


def _most_said(limits: Limits) -> int:
    return _JSON_OF_TEXT * limits.text_bytes + _CHUNK


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
