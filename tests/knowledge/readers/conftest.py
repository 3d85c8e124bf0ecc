"""Reads files like an ingest: in child processes."""

from collections.abc import Awaitable, Callable

import pytest

from bot.knowledge.documents import Document
from bot.knowledge.read import document_of, read_foreign
from bot.knowledge.sandbox.limits import Limits
from bot.knowledge.sanitize import sanitized

Read = Callable[[str, bytes], Awaitable[Document]]


@pytest.fixture
def read() -> Read:
    """Read a file by its name and content."""

    async def reading(path: str, content: bytes) -> Document:
        parsed = await read_foreign(path, content, Limits(seconds=120, ocr_pages=0))
        assert parsed is not None
        return document_of(path, sanitized(parsed))

    return reading
