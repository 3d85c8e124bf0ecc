"""The child process that recognises the text of pictures: a line with a number after each page, and then the result."""

import json
import sys
from functools import partial
from importlib import import_module

from bot.knowledge.readers.ocr.recognition import Recognition
from bot.knowledge.sandbox.child import ROOT, answer
from bot.knowledge.sandbox.hardening import bind


def main() -> None:
    """Read in the format of the first argument; the next ones limit memory, seconds of a processor, and pages."""
    kind, memory_mb, seconds, pages = sys.argv[1:]
    read = import_module(f"bot.knowledge.readers.{kind}").read
    sys.stdout.reconfigure(encoding="ascii")  # pyright: ignore[reportAttributeAccessIssue]
    bind(ROOT, int(memory_mb), float(seconds))
    recognition = Recognition(int(pages), _tell)
    print(json.dumps(answer(partial(read, recognition=recognition), sys.stdin.buffer.read())))  # noqa: T201


def _tell(done: int) -> None:
    print(done, flush=True)  # noqa: T201 - The parent reads it.
