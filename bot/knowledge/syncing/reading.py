"""Reads the documents of a source, several at a time: from bytes to passages."""

import asyncio
import hashlib
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Final, TypeAlias

import structlog

from bot.errors import KnowledgeError
from bot.knowledge.connectors.connector import Connector, NoTextError
from bot.knowledge.dates import date_of
from bot.knowledge.documents import Document, NewPassage, ReadDocument
from bot.knowledge.read import document_of, parsed_of, recognises
from bot.knowledge.sandbox.limits import Limits
from bot.knowledge.split import split

READING: Final = "19"
"""The version of reading and splitting. If it grows, every document is read again."""
_IN_PART: Final = "in part "
"""Before the hash of a document with pages that text recognition could read, and did not."""
_SPLIT_AT_ONCE: Final = 64

_logger = structlog.stdlib.get_logger(__name__)


class OldError(NoTextError):
    """The document is older than its source allows."""


Outcome: TypeAlias = ReadDocument | KnowledgeError | None
"""The document, the reason why it could not be read, or `None` if it has not changed."""


@dataclass(kw_only=True)
class SourceReader:
    """Reads documents of one source."""

    connector: Connector
    limits: Limits
    count_tokens: Callable[[str], int]
    hashes: Mapping[str, str]
    """The hashes of the stored documents by path."""
    oldest: str
    """The date (ISO) before which a document is too old."""
    saved: Mapping[str, str] = field(default_factory=dict[str, str])
    """When documents were last saved, by path, as the source says."""

    report: Callable[[str, int, int], None] = lambda _path, _done, _of: None
    """Called with a path, the pages done, and their number, while the text of pictures is recognised."""

    def unfinished(self) -> list[str]:
        """Return the stored documents of which more can be read by now: text recognition was installed since."""
        return [path for path in self.hashes if self._is_unfinished(path)]

    async def read_ahead(self, paths: list[str]) -> AsyncGenerator[tuple[str, Outcome]]:
        """Yield each document or failure in order, and read the next ones meanwhile."""
        left = iter(paths)
        reading: deque[tuple[str, asyncio.Task[Outcome]]] = deque()
        try:
            while True:
                for path in islice(left, self.limits.at_once - len(reading)):
                    reading.append((path, asyncio.create_task(self._read(path))))
                if not reading:
                    return
                path, task = reading.popleft()
                yield path, await task
        finally:
            for _, task in reading:
                task.cancel()
            await asyncio.gather(*(task for _, task in reading), return_exceptions=True)

    async def _read(self, path: str) -> Outcome:
        try:
            return await self._prepare(path, self.hashes.get(path, "").removeprefix(_IN_PART))
        except KnowledgeError as error:
            return error
        except Exception as error:  # noqa: BLE001 — one bad file must not stop the others.
            # The log must not hold its content.
            _logger.warning("file_not_read", path=path, error=type(error).__name__)
            return KnowledgeError(f"Its content cannot be read ({type(error).__name__}): simplify it.")

    async def _prepare(self, path: str, known_hash: str) -> ReadDocument | None:
        content = await self.connector.content(path, self.limits)
        digest = _digest(content)
        if known_hash.startswith(digest) and not self._is_unfinished(path):
            return None
        parsed = await parsed_of(path, content, self.limits, partial(self.report, path))
        document = await asyncio.to_thread(document_of, path, parsed)
        if url := self.connector.url_of(path):
            document = replace(document, url=url)
        # The same text may come in other bytes: a web page may hold a new token each time.
        text_digest = _digest(repr(document).encode())
        if known_hash.endswith(f".{text_digest}"):
            return None
        # Not before: a server may call a page new each time.
        dated = document.dated or date_of({"date": self.saved.get(path, "")}, "", "")
        document = replace(document, dated=dated)
        if dated and dated < self.oldest:
            raise OldError
        mark = _IN_PART if parsed.scans else ""
        return ReadDocument(document=document, hash=f"{mark}{digest}.{text_digest}", pieces=await self._split(document))

    def _is_unfinished(self, path: str) -> bool:
        return self.hashes.get(path, "").startswith(_IN_PART) and recognises(self.limits)

    async def _split(self, document: Document) -> list[NewPassage]:
        """Split a few passages at a time, because Ctrl-C cannot stop a thread in the middle of a book."""
        left = split(document, self.count_tokens)
        pieces: list[NewPassage] = []
        while some := await asyncio.to_thread(lambda: list(islice(left, _SPLIT_AT_ONCE))):
            pieces += some
        return pieces


def _digest(content: bytes) -> str:
    return hashlib.sha256(f"{READING}\n".encode() + content).hexdigest()
