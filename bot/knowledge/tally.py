"""Counts what an ingest does to each file, and reports its progress."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from bot.errors import KnowledgeError

Progress: TypeAlias = Callable[[int, int, str], None]
"""Called with the number of files done, the number of all files, and the last path."""


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A file that could not be read completely, and the reason."""

    path: str
    reason: str


@dataclass(kw_only=True)
class Ingested:
    """The result of an ingest."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    failed: list[Failure] = field(default_factory=list[Failure])
    warned: list[Failure] = field(default_factory=list[Failure])
    """Warnings about files that were read."""
    skipped: Counter[str] = field(default_factory=Counter[str])
    """The number of files in other formats, by suffix."""
    hosts: Counter[str] = field(default_factory=Counter[str])
    """The hosts that stored documents name as their own address."""


class Tally:
    """Counts documents and reports progress."""

    def __init__(self, progress: Progress) -> None:
        self.outcome = Ingested()
        self._files = 0
        self._done = 0
        self._progress = progress

    def expect(self, files: int, skipped: Counter[str] | None = None) -> None:
        """Add files to examine, and files in other formats."""
        self._files += files
        self.outcome.skipped += skipped or Counter[str]()

    def count(self, path: str, *, known: bool, host: str) -> None:
        """Count a stored document, new or changed, and note its host."""
        if host:
            self.outcome.hosts[host] += 1
        if known:
            self.outcome.changed += 1
        else:
            self.outcome.added += 1
        self._advance(path)

    def pass_over(self, path: str) -> None:
        """Count an unchanged document."""
        self.outcome.unchanged += 1
        self._advance(path)

    def skip(self, path: str, why: str) -> None:
        """Count a document that holds nothing to store."""
        self.outcome.skipped[why] += 1
        self._advance(path)

    def fail(self, path: str, error: KnowledgeError) -> None:
        """Record a file that could not be read."""
        self.outcome.failed.append(Failure(path=path, reason=str(error)))
        self._advance(path)

    def warn(self, path: str, reason: str) -> None:
        """Record the warnings of a file."""
        self.outcome.warned.append(Failure(path=path, reason=reason))

    def remove(self, documents: int) -> None:
        """Count removed documents."""
        self.outcome.removed += documents

    def counts(self) -> dict[str, int]:
        """Return the counts."""
        outcome = self.outcome
        return {
            "added": outcome.added,
            "changed": outcome.changed,
            "removed": outcome.removed,
            "unchanged": outcome.unchanged,
            "failed": len(outcome.failed),
            "skipped": outcome.skipped.total(),
        }

    def tell(self, path: str, done: int, of: int) -> None:
        """Report the progress inside a long document, in passages."""
        if done:
            self._progress(self._done, self._files, f"{path}, {done} of {of} passages")

    def _advance(self, path: str) -> None:
        self._done += 1
        self._progress(self._done, self._files, path)
