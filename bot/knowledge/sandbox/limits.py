"""The limits for reading one file."""

from dataclasses import dataclass
from pathlib import Path

from bot.errors import KnowledgeError
from bot.knowledge.readers.formats import SANDBOXED
from bot.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits. The settings have the same defaults."""

    text_mb: float = 10.0
    """The most text; a book has 1 MB."""
    file_mb: float = 50.0
    """The largest file that a child process reads; most of it may be pictures."""
    memory_mb: int = 1024
    seconds: float = 60.0
    ocr_pages: int = 100
    """The most pages of a document whose text is recognised; each may take `seconds`."""
    at_once: int = 2
    """The number of files that are read at the same time."""

    @classmethod
    def of(cls, settings: Settings) -> "Limits":
        """Return the limits of the settings."""
        return cls(
            text_mb=settings.largest_file_mb,
            file_mb=settings.largest_foreign_file_mb,
            memory_mb=settings.reader_memory_mb,
            seconds=settings.reader_seconds,
            ocr_pages=settings.ocr_pages,
            at_once=settings.readers_at_once,
        )

    def largest_mb(self, path: str) -> float:
        """Return the largest size of a file with this name."""
        return self.file_mb if _is_foreign(path) else self.text_mb

    def largest_bytes(self, path: str) -> int:
        """Return the same in bytes."""
        return int(self.largest_mb(path) * 1_000_000)

    def fitting(self, content: bytes, path: str) -> bytes:
        """Return the content of a file with this name. Raises `KnowledgeError` if it is too large."""
        if len(content) > self.largest_bytes(path):
            raise self.too_large(path)
        return content

    def too_large(self, path: str) -> KnowledgeError:
        """Return the error for a larger file."""
        name = "ASKBACK_LARGEST_FOREIGN_FILE_MB" if _is_foreign(path) else "ASKBACK_LARGEST_FILE_MB"
        return KnowledgeError(f"The file is larger than {self.largest_mb(path):g} MB ({name}): split it.")

    @property
    def text_bytes(self) -> int:
        """The most text, in bytes."""
        return int(self.text_mb * 1_000_000)


def _is_foreign(path: str) -> bool:
    return Path(path).suffix.lower() in SANDBOXED
