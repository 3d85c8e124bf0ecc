"""Runs a bot and samples its processor time by part: `python -m benchmarks.arena.sampled MODULE [ARGUMENTS]`.

One signal starts the sampling and a second one ends it, with a line of JSON on standard error: seconds by part. The
timer counts processor time, so waiting does not count. The timer is coarse, so samples are used as shares of the
process's total.
"""

import json
import os
import runpy
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from types import FrameType
from typing import Final

EVERY_SECONDS: Final = 0.005
PARTS: Final = {
    "Groq's client": ("/langchain_groq/", "/groq/", "/httpx/", "/httpcore/", "/langchain_core/language_models/"),
    "Slack's client, Bolt": ("/slack_sdk/", "/slack_bolt/", "/aiohttp/", "/bot/slack/"),
    "PostgreSQL's client": ("/psycopg/", "/psycopg_pool/", "/pgvector/"),
    "LangGraph": ("/langgraph/", "/langchain_core/", "/langsmith/"),
    "embedding, ranking, grading": ("/bot/models/",),
    "search": ("/bot/knowledge/",),
    "the nodes": ("/graph/",),
    "the inbox": ("/bot/",),
    "the bot's own": ("/benchmarks/plain/",),
}
"""Parts by path of the innermost matching frame; the first match counts."""
ELSE: Final = "asyncio and the rest"
_IDLE: Final = ("/selectors.py", "/concurrent/futures/thread.py", "/threading.py", "/queue.py")


class Sampler:
    """A count of samples by part."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._is_counting = False
        self._began_seconds = 0.0

    def install(self) -> None:
        """Wait for the signals."""
        signal.signal(signal.SIGUSR1, self._toggle)
        signal.signal(signal.SIGPROF, self._sample)

    def _toggle(self, *_: object) -> None:
        self._is_counting = not self._is_counting
        every = EVERY_SECONDS if self._is_counting else 0.0
        signal.setitimer(signal.ITIMER_PROF, every, every)
        if self._is_counting:
            self._began_seconds = time.process_time()
        else:
            share = (time.process_time() - self._began_seconds) / max(self._counts.total(), 1)
            seconds = {part: samples * share for part, samples in self._counts.items()}
            os.write(2, f"{json.dumps({'parts': seconds})}\n".encode())

    def _sample(self, _signal: int, frame: FrameType | None) -> None:
        # If the main thread only waits, another thread used the time.
        main = threading.main_thread().ident
        frames = sys._current_frames()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] (there is no other way)
        others = [other for thread, other in frames.items() if thread != main]
        busy = [one for one in (frame, *others) if one and not one.f_code.co_filename.endswith(_IDLE)]
        self._counts[_part_of(busy[0]) if busy else ELSE] += 1


def _part_of(frame: FrameType) -> str:
    for file in _files(frame):
        for part, places in PARTS.items():
            if any(place in file for place in places):
                return part
    return ELSE


def _files(frame: FrameType | None) -> Iterator[str]:
    while frame is not None:
        yield frame.f_code.co_filename
        frame = frame.f_back


if __name__ == "__main__":
    Sampler().install()
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
