"""What the reading of one file may take."""

from dataclasses import dataclass

from bot.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bounds of one file; the settings have the same defaults."""

    text_mb: float = 5.0
    """Of its text: a book has one."""
    file_mb: float = 50.0
    """Of a file that is read in a child process; most of it may be pictures."""
    memory_mb: int = 1024
    seconds: float = 60.0
    at_once: int = 2
    """Files that are read at the same time."""

    @classmethod
    def of(cls, settings: Settings) -> "Limits":
        """Return what the settings say."""
        return cls(
            text_mb=settings.largest_file_mb,
            file_mb=settings.largest_foreign_file_mb,
            memory_mb=settings.reader_memory_mb,
            seconds=settings.reader_seconds,
            at_once=settings.readers_at_once,
        )

    @property
    def text_bytes(self) -> int:
        """The most bytes of text."""
        return int(self.text_mb * 1_000_000)
