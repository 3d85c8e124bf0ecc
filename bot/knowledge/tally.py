"""What an ingest did to each file, and how far along it is."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from bot.errors import KnowledgeError

Progress: TypeAlias = Callable[[int, int, str], None]
"""Called with how many files are done, how many there are, and the path of the last."""


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A file that could not be read, or not all of it, and why."""

    path: str
    reason: str


@dataclass(kw_only=True)
class Ingested:
    """What an ingest did, in documents."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    failed: list[Failure] = field(default_factory=list[Failure])
    warned: list[Failure] = field(default_factory=list[Failure])
    """Files that were read, and what is to be known of them."""
    skipped: Counter[str] = field(default_factory=Counter[str])
    """Files of kinds that are not read, by how their names end."""
    hosts: Counter[str] = field(default_factory=Counter[str])
    """Where the documents that were stored say that people read them."""


class Tally:
    """What was done, and how far along it is."""

    def __init__(self, progress: Progress) -> None:
        self.outcome = Ingested()
        self._files = 0
        self._done = 0
        self._progress = progress

    def expect(self, files: int, skipped: Counter[str] | None = None) -> None:
        """Note how many more files are looked at, and how many are not read."""
        self._files += files
        self.outcome.skipped += skipped or Counter[str]()

    def count(self, path: str, *, known: bool, host: str) -> None:
        """Note a document that was stored, in place of a known one or not, and the host of its address."""
        if host:
            self.outcome.hosts[host] += 1
        if known:
            self.outcome.changed += 1
        else:
            self.outcome.added += 1
        self._advance(path)

    def pass_over(self, path: str) -> None:
        """Note a document that did not change."""
        self.outcome.unchanged += 1
        self._advance(path)

    def fail(self, path: str, error: KnowledgeError) -> None:
        """Note a file that could not be read."""
        self.outcome.failed.append(Failure(path=path, reason=str(error)))
        self._advance(path)

    def warn(self, path: str, reason: str) -> None:
        """Note what is to be known of a file that was read."""
        self.outcome.warned.append(Failure(path=path, reason=reason))

    def remove(self, documents: int) -> None:
        """Note documents whose files are gone."""
        self.outcome.removed += documents

    def counts(self) -> dict[str, int]:
        """Return how many documents met with what."""
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
        """Tell how far a long document is, in passages."""
        if done:
            self._progress(self._done, self._files, f"{path}, {done} of {of} passages")

    def _advance(self, path: str) -> None:
        self._done += 1
        self._progress(self._done, self._files, path)
