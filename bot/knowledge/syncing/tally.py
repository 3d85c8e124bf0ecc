"""Counts what an ingest does to each file, and reports its progress."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, TypeAlias

Progress: TypeAlias = Callable[[float, int, str, int], None]
"""Called with the number of files done, the number of all files, the last path, and the number of embedded passages.

Of a long file, a part is done.
"""
NAMED_AT_MOST: Final = 20


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
    embedded: int = 0
    """The number of passages that were embedded. Others had their vector already."""
    named: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The first paths that were added, changed, removed or skipped: `NAMED_AT_MOST` of each."""
    skipped: Counter[str] = field(default_factory=Counter[str])
    """The number of files that were not read, by the suffix of their format or another reason."""
    hosts: Counter[str] = field(default_factory=Counter[str])
    """The hosts that stored documents name as their own address."""
    busy: list[str] = field(default_factory=list[str])
    """The sources that another process was reading."""

    def counts(self) -> dict[str, int]:
        """Return the counts."""
        return {
            "added": self.added,
            "changed": self.changed,
            "removed": self.removed,
            "unchanged": self.unchanged,
            "failed": len(self.failed),
            "skipped": self.skipped.total(),
        }


def summed(outcomes: Iterable[Ingested]) -> Ingested:
    """Return what the ingests of several sources did together."""
    whole = Ingested()
    for one in outcomes:
        whole.added += one.added
        whole.changed += one.changed
        whole.removed += one.removed
        whole.unchanged += one.unchanged
        whole.embedded += one.embedded
        whole.failed += one.failed
        whole.warned += one.warned
        whole.busy += one.busy
        whole.skipped += one.skipped
        whole.hosts += one.hosts
        for what, paths in one.named.items():
            named = whole.named.setdefault(what, [])
            named += paths[: NAMED_AT_MOST - len(named)]
    return whole


class Tally:
    """Counts the documents of one source and reports progress."""

    def __init__(self, progress: Progress) -> None:
        self.outcome = Ingested()
        self._files = 0
        self._done = 0
        self._progress = progress

    def expect(self, files: int) -> None:
        """Add files to examine."""
        self._files += files

    def count_skipped(self, skipped: Mapping[str, str]) -> None:
        """Count files that are not read, with the reason of each."""
        self.outcome.skipped.update(skipped.values())
        self._name("skipped", skipped)

    def count_stored(self, path: str, *, known: bool, host: str) -> None:
        """Count a stored document, new or changed, and note its host."""
        if host:
            self.outcome.hosts[host] += 1
        if known:
            self.outcome.changed += 1
        else:
            self.outcome.added += 1
        self._name("changed" if known else "added", [path])
        self._advance(path)

    def count_unchanged(self, path: str) -> None:
        """Count an unchanged document."""
        self.outcome.unchanged += 1
        self._advance(path)

    def skip(self, path: str, why: str) -> None:
        """Count a document that holds nothing to store."""
        self.count_skipped({path: why})
        self._advance(path)

    def leave_out(self, path: str) -> None:
        """Pass over a document that may not be stored."""
        self._advance(path)

    def fail(self, path: str, reason: str) -> None:
        """Record a file that could not be read."""
        self.outcome.failed.append(Failure(path=path, reason=reason))
        self._advance(path)

    def warn(self, path: str, reason: str) -> None:
        """Record the warnings of a file."""
        self.outcome.warned.append(Failure(path=path, reason=reason))

    def count_removed(self, paths: Iterable[str]) -> None:
        """Count removed documents."""
        removed = [*paths]
        self.outcome.removed += len(removed)
        self._name("removed", removed)

    def count_embedded(self, passages: int) -> None:
        """Count passages that were embedded."""
        self.outcome.embedded += passages

    def report(self, path: str, done: int, of: int, *, what: str = "passages") -> None:
        """Report the progress inside a long document."""
        if done:
            at = f"{path}, {done} of {of} {what}"
            self._progress(self._done + done / of, self._files, at, self.outcome.embedded)

    def _name(self, what: str, paths: Iterable[str]) -> None:
        named = self.outcome.named.setdefault(what, [])
        named += islice(paths, NAMED_AT_MOST - len(named))

    def _advance(self, path: str) -> None:
        self._done += 1
        self._progress(self._done, self._files, path, self.outcome.embedded)
