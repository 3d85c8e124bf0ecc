"""Reads a folder once, as Askback or the plain way does: `python -m benchmarks.documents.ingest_once NAME URL FOLDER`.

The command makes up the vectors: it is for killing.
"""

import asyncio
import sys
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from benchmarks.arena.arena import fill
from benchmarks.documents import plain_ingest as plain
from bot.knowledge.documents import Matrix
from bot.logs import configure_logs
from bot.models.embedding import DIMENSIONS, MiniLm

Name: TypeAlias = Literal["Askback", "plain"]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What reading a folder took."""

    embedded: int
    seconds: float
    processor_seconds: float
    """Of the process, without PostgreSQL's."""


class CountingModel(MiniLm):
    """The built-in model, which counts the passages that it embeds."""

    embedded = 0
    is_instant = False
    """Whether vectors are made up, so that embedding takes no time."""

    def embed_passages(self, texts: list[str]) -> Matrix:
        """Embed and count."""
        self.embedded += len(texts)
        return super().embed_passages(texts)

    def _embed(self, text: str, *, is_query: bool) -> Matrix:
        if not self.is_instant:
            return super()._embed(text, is_query=is_query)
        vector = np.random.default_rng(zlib.crc32(text.encode())).standard_normal(DIMENSIONS, dtype=np.float32)
        return vector / np.float32(np.linalg.norm(vector))


async def read(name: Name, url: str, folder: Path, *, is_instant: bool) -> Reading:
    """Read all documents of a folder into a database, with a model that remembers nothing."""
    model = await asyncio.to_thread(CountingModel.load)
    model.is_instant = is_instant
    began, used = time.perf_counter(), time.process_time()
    if name == "plain":
        await asyncio.to_thread(plain.ingest, url, model, folder)
    else:
        await fill(url, folder, model)
    return Reading(
        embedded=model.embedded,
        seconds=time.perf_counter() - began,
        processor_seconds=time.process_time() - used,
    )


def main() -> None:
    """Read a folder once."""
    configure_logs("console", "error")
    _, which, address, documents = sys.argv
    asyncio.run(read("plain" if which == "plain" else "Askback", address, Path(documents), is_instant=True))


if __name__ == "__main__":
    main()
