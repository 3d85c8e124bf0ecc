"""Measures what readers keep of a file, by type: `python -m benchmarks.documents.fidelity`; prints Markdown.

One known text is written in each format (`fidelity_files`), read as an ingest reads it, and compared. Then public
documents of this machine are read, if it has them, and compared with another edition of the same text, or with what a
few lines of code see in the file.
"""

import asyncio
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from statistics import fmean
from typing import TypeAlias

from benchmarks.documents.fidelity_files import FILES, TITLE, Section
from benchmarks.documents.fidelity_public import public_files
from bot.knowledge.documents import Document
from bot.knowledge.read import document_of, parsed_of
from bot.knowledge.sandbox.limits import Limits
from bot.logs import configure_logs

Heading: TypeAlias = tuple[int, str]
"""The level, whose number means nothing but its order, and the text."""
_WORD = re.compile(r"\w+")
_CELL = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, kw_only=True)
class Truth:
    """What a file says."""

    headings: Sequence[Heading] = ()
    rows: Sequence[Sequence[str]] = ()
    """Of all tables."""
    lines: Sequence[str] = ()
    """Paragraphs, items, rows and headings in reading order; none if words are not compared."""


@dataclass(frozen=True, kw_only=True)
class Fidelity:
    """What a reader kept: shares (0–1), `None` where the file has none."""

    headings: float | None
    nesting: float | None
    """Of headings that follow each other, those of which the second is deeper, higher or level as it should be."""
    rows: float | None
    order: float | None
    """Of lines that stand at one place only, those that can be kept in one order."""
    lost: float | None
    """Of the file's words."""
    added: float | None
    """Of the words read."""


def main() -> None:
    """Measure, print."""
    configure_logs("console", "error")
    print(asyncio.run(_tables()))


async def _tables() -> str:
    made = {
        f"`{name}` | {by}": [await fidelity_of(name, as_bytes(write(sections)), truth_of(sections))]
        for name, (write, sections, by) in FILES.items()
    }
    public: dict[str, list[Fidelity]] = {}
    for one in public_files():
        truth = Truth(headings=one.headings, rows=one.rows, lines=one.lines)
        public.setdefault(f"{one.group} | {one.compared}", []).append(
            await fidelity_of(one.file.name, one.file.read_bytes(), truth)
        )
    several = {f"{len(those)} × {label}": those for label, those in public.items()}
    return "\n\n".join([table("made | written by", made), table("public | compared with", several)])


def as_bytes(content: str | bytes) -> bytes:
    """Return content as a file holds it."""
    return content.encode() if isinstance(content, str) else content


def truth_of(sections: Sequence[Section]) -> Truth:
    """Return what a file of these sections says."""
    is_whole = any(one.texts for one in sections)
    title = [(0, TITLE)] if is_whole else []
    return Truth(
        headings=[*title, *((one.level, one.heading) for one in sections if one.heading)],
        rows=[row for one in sections for row in one.rows],
        lines=[*(text for _, text in title), *(line for one in sections for line in one.lines() if line)],
    )


async def fidelity_of(path: str, content: bytes, truth: Truth) -> Fidelity:
    """Read a file and compare. Raises `KnowledgeError` if it cannot be read."""
    document = document_of(path, await parsed_of(path, content, Limits(seconds=120)))
    rows = {row for block in document.blocks for row in _rows_in(block.text)}
    read = [*words_of(document.title), *(word for block in document.blocks for word in words_of(block.text))]
    said = [word for line in truth.lines for word in words_of(line)]
    levels = _levels(document)
    return Fidelity(
        headings=_share(_plain(text) in levels for _, text in truth.headings),
        nesting=_nesting(truth.headings, levels),
        rows=_share(tuple(map(_plain, row)) in rows for row in truth.rows),
        order=_order(truth.lines, read),
        lost=(Counter(said) - Counter(read)).total() / len(said) if said else None,
        added=(Counter(read) - Counter(said)).total() / len(read) if said else None,
    )


def _levels(document: Document) -> dict[str, int]:
    """Return the level of each heading that stands in one place; the title's is 0."""
    headings = [(_plain(block.text), block.level) for block in document.blocks if block.level]
    return {**dict(headings), _plain(document.title): 0}


def _nesting(headings: Sequence[Heading], levels: Mapping[str, int]) -> float | None:
    once = Counter(_plain(text) for _, text in headings)
    found = [
        (level, levels[name])
        for level, text in headings
        for name in [_plain(text)]
        if once[name] == 1 and name in levels
    ]
    return _share(
        (after[0] > before[0], after[0] < before[0]) == (after[1] > before[1], after[1] < before[1])
        for before, after in pairwise(found)
    )


def words_of(text: str) -> list[str]:
    """Return the words of a text, without marks and capitals."""
    return _WORD.findall(text.casefold().replace("_", " "))


def _plain(text: str) -> str:
    return " ".join(words_of(text))


def _rows_in(text: str) -> Iterable[tuple[str, ...]]:
    for line in text.splitlines():
        if line.startswith("|"):
            yield tuple(_plain(cell) for cell in _CELL.split(line.strip())[1:-1])


def _share(hits: Iterable[bool]) -> float | None:
    found = list(hits)
    return fmean(found) if found else None


def _order(lines: Sequence[str], read: Sequence[str]) -> float | None:
    text = f" {' '.join(read)} "
    sought = [line for line, count in Counter(f" {_plain(line)} " for line in lines).items() if count == 1]
    places = [text.find(line) for line in sought if text.count(line) == 1]
    return _longest_rise(places) / len(places) if len(places) > 1 else None


def _longest_rise(places: Sequence[int]) -> int:
    """Return the length of the longest part, with gaps, that does not fall."""
    ends: list[int] = []
    for place in places:
        at = bisect_right(ends, place)
        ends[at : at + 1] = [place]
    return len(ends)


def table(title: str, measured: Mapping[str, Sequence[Fidelity]]) -> str:
    """Return the figures in Markdown, of several files their mean; labels have two cells."""
    return "\n".join(
        [
            f"| {title} | headings | … nested | rows of tables | order | words lost | words added |",
            "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
            *(f"| {label} | {' | '.join(map(_percent, _means(those)))} |" for label, those in measured.items()),
        ]
    )


def _means(those: Sequence[Fidelity]) -> Iterable[float | None]:
    for one in fields(Fidelity):
        found = [share for share in (getattr(fidelity, one.name) for fidelity in those) if share is not None]
        yield fmean(found) if found else None


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


if __name__ == "__main__":
    main()
