"""The child process: it restricts itself, reads one file from standard input, and writes the result as a line of JSON.

If it recognises the text of pictures, it also writes a line with a number after each page.
"""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from importlib import import_module
from typing import Any, TextIO

from bot.errors import KnowledgeError
from bot.knowledge.blocks import Parsed
from bot.knowledge.sandbox.hardening import restrict_process


def main() -> None:
    """Read in the format of the first argument; the next ones limit memory, seconds of a processor, and pages."""
    kind, memory_mb, seconds, pages = sys.argv[1:]
    output = own_output()
    read: Callable[..., Parsed] = import_module(f"bot.knowledge.readers.{kind}").read
    if int(pages):
        recognition = import_module("bot.knowledge.readers.ocr.recognition").Recognition(
            int(pages), partial(_write_progress, output)
        )
        read = partial(read, recognition=recognition)
    restrict_process(int(memory_mb), float(seconds))
    _write_line(output, json.dumps(answer(read, sys.stdin.buffer.read())))


def own_output() -> TextIO:
    """Return standard output. What libraries print there goes to standard error from now on."""
    # ASCII needs no error handler, which Python would load later, when it may not open files.
    output = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="ascii")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return output


def _write_progress(output: TextIO, done: int) -> None:
    _write_line(output, str(done))


def _write_line(output: TextIO, line: str) -> None:
    output.write(f"{line}\n")
    output.flush()


def answer(read: Callable[[bytes], Parsed], content: bytes) -> dict[str, Any]:
    """Return what the reader says of the content, or why it failed."""
    try:
        return asdict(read(content))
    except KnowledgeError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": "Reading it takes more memory than it may (ASKBACK_READER_MEMORY_MB): split it."}
    except RecursionError:
        return {"error": "The file is nested too deeply to be read: simplify it."}
    except Exception as error:  # noqa: BLE001 - The libraries raise what they like, and this file is all there is.
        return {"error": f"The file is damaged, or not what its name says ({type(error).__name__}): save it again."}
