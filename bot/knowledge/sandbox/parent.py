"""The parent process: starts a child for each file, and ends it if it takes too long or returns too much."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final, TypeAlias

from pydantic import TypeAdapter, ValidationError

from bot.errors import KnowledgeError
from bot.knowledge.blocks import Parsed
from bot.knowledge.sandbox.limits import Limits

_ROOT: Final = Path(__file__).parents[3]
# The child runs the same code as the parent, and nothing from the current folder.
_START: Final = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from bot.knowledge.sandbox.{module} import main; main()"
)
_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
"""The child's environment. It allows few threads, because each thread takes address space, which is limited."""
Tell: TypeAlias = Callable[[int], None]
"""Called with the number of pages done, after each."""
BOUNDS: Final = {
    "memory": "setrlimit",
    "network": "seccomp",
    "files": "Landlock",
    "programs": "seccomp",
    "other processes": "seccomp",
}
"""What a child must not reach or exceed, and the kernel's means against it."""
_NAMES: Final = TypeAdapter(list[str])
_ANSWER: Final[TypeAdapter[Parsed | dict[str, str]]] = TypeAdapter(Parsed | dict[str, str])
_CHUNK: Final = 65_536
_JSON_OF_TEXT: Final = 7
"""The most bytes of JSON for a byte of text: an escaped character in a block of its own."""
_BROKEN: Final = (
    "Its reader broke: the file is damaged, or takes more memory than it may (ASKBACK_READER_MEMORY_MB). Save it again."
)


async def read_sandboxed(
    kind: str, content: bytes, limits: Limits, *, pages: int = 0, tell: Tell = lambda _done: None
) -> Parsed:
    """Return the result of the named reader. Raises `KnowledgeError` that says what to do.

    With `pages`, the text of so many pictures of pages is recognised. Each may take the seconds of the limits.
    """
    arguments = [kind, str(limits.memory_mb), str(limits.seconds * (1 + pages)), str(pages)]
    async with child_process("child", arguments, longest_line=_longest_line(limits)) as child:
        line = await result_of(child, content, limits, pages=pages, tell=tell)
    return _fitting(_parsed(line), limits)


async def bounds_that_hold(limits: Limits) -> list[str]:
    """Let a child try to break all limits, and return those of `BOUNDS` that hold.

    Raises `KnowledgeError` if no child can start.
    """
    arguments = [str(limits.memory_mb), str(limits.seconds)]
    async with child_process("probe", arguments) as child:
        return _NAMES.validate_json(await result_of(child, b"", limits))


async def result_of(
    child: asyncio.subprocess.Process,
    content: bytes,
    limits: Limits,
    *,
    pages: int = 0,
    tell: Tell = lambda _done: None,
) -> bytes:
    """Return the line with the child's result. Up to `pages` lines before it are the numbers of pages done.

    A whole line is the result, whatever the child does then: the caller ends it. Raises `KnowledgeError` if the child
    fails, or exceeds a limit.
    """
    loop, line = asyncio.get_running_loop(), b""
    try:
        async with asyncio.timeout(limits.seconds) as limit:
            await _write(child, content)
            for _ in range(pages + 1):
                line = await _line(child, limits)
                done = _pages_done(line, pages)
                if done is None:
                    break
                tell(done)
                limit.reschedule(loop.time() + limits.seconds)
            code = 0 if line.endswith(b"\n") else await child.wait()
    except TimeoutError:
        raise _too_slow(limits) from None
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        raise _too_slow(limits)
    if code:
        raise KnowledgeError(_BROKEN)
    return line


async def _line(child: asyncio.subprocess.Process, limits: Limits) -> bytes:
    assert child.stdout is not None
    try:
        return await child.stdout.readline()
    except ValueError:
        raise _too_long(limits) from None


def _pages_done(line: bytes, pages: int) -> int | None:
    """Return the number of pages done; `None` if the line does not say it."""
    # Python reads no number of more than 4,300 digits.
    digits = line.strip()
    return int(digits) if digits.isdigit() and len(digits) <= len(str(pages)) else None


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
        await end(child)


async def end(child: asyncio.subprocess.Process) -> None:
    """End a child that leads its own session, and its children."""
    assert child.stdout is not None
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    # `wait` returns only after the end of the output, which asyncio does not see while the buffer is full.
    while await child.stdout.read(_CHUNK):
        pass
    await child.wait()


async def _write(child: asyncio.subprocess.Process, content: bytes) -> None:
    assert child.stdin is not None
    with suppress(BrokenPipeError, ConnectionResetError):
        child.stdin.write(content)
        await child.stdin.drain()
    child.stdin.close()


def _longest_line(limits: Limits) -> int:
    return _JSON_OF_TEXT * limits.text_bytes + _CHUNK


def _fitting(parsed: Parsed, limits: Limits) -> Parsed:
    if sum(len(block.text.encode(errors="replace")) for block in parsed.blocks) > limits.text_bytes:
        raise _too_long(limits)
    return parsed


def _parsed(line: bytes) -> Parsed:
    try:
        answer = _ANSWER.validate_json(line)
    except ValidationError:
        raise KnowledgeError(_BROKEN) from None
    if isinstance(answer, Parsed):
        return answer
    raise KnowledgeError(answer.get("error", _BROKEN))


def _too_slow(limits: Limits) -> KnowledgeError:
    return KnowledgeError(f"Reading it takes longer than {limits.seconds:g} s (ASKBACK_READER_SECONDS): split it.")


def _too_long(limits: Limits) -> KnowledgeError:
    return KnowledgeError(f"It holds more than {limits.text_mb:g} MB of text (ASKBACK_LARGEST_FILE_MB): split it.")
