"""Groups lines into paragraphs, lists and headings, by position and size."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from typing import Final, NamedTuple

from bot.knowledge.blocks import Block
from bot.knowledge.readers.pdf.lines import HYPHEN, Flow, PrintedLine, whole_words
from graph import patterns

_ITEM: Final = patterns.compile(r"^(?:[•▪■●○◦‣·–—*-]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s+")
_BULLET: Final = patterns.compile(r"^[^\w(]\s+")
_HEADS: Final = 1.1
"""A heading is at least this many times as large as the text."""
_ALIKE: Final = 0.08
"""The most that two sizes in one paragraph may differ."""
_SAME_LEVEL: Final = 0.03
"""The most that two headings of one level may differ in size: letters of one font are not measured exactly alike."""
_LONGEST_HEADING: Final = 150
_LOOSE: Final = 1.25
"""A distance this many times the usual one ends a paragraph."""
_SHORT: Final = 0.75
_ENDS: Final = (".", "!", "?", ":", ";")
_HIGHEST: Final = 6


class Paragraph(NamedTuple):
    """Lines of one paragraph."""

    text: str
    size: float


def blocks_of(flow: Flow) -> list[Block]:
    """Group lines into blocks, and keep finished blocks."""
    lines = [part for part in flow if isinstance(part, PrintedLine)]
    body, parts = _body(lines), list(_parts(flow, _pitch(lines)))
    levels = _levels(part.size for part in parts if isinstance(part, Paragraph) and _heads(part, body))
    return list(_merged([part if isinstance(part, Block) else _block(part, body, levels) for part in parts]))


def _parts(flow: Flow, pitch: float) -> Iterator[Paragraph | Block]:
    gathered: list[PrintedLine] = []
    for part in flow:
        if isinstance(part, PrintedLine):
            gathered.append(part)
            continue
        yield from _paragraphs(gathered, pitch)
        gathered = []
        yield part
    yield from _paragraphs(gathered, pitch)


def _body(lines: list[PrintedLine]) -> float:
    counts: Counter[float] = Counter()
    for line in lines:
        counts[round(line.size, 1)] += len(line.text)
    return max(counts, key=counts.__getitem__, default=0.0)


def _pitch(lines: list[PrintedLine]) -> float:
    """Return the usual distance of two lines, in units of their size."""
    distances = Counter(
        round((one.box.top - other.box.top) / one.size, 1)
        for one, other in pairwise(lines)
        if abs(one.size - other.size) < _ALIKE * one.size and 0 < one.box.top - other.box.top < 3 * one.size
    )
    return distances.most_common(1)[0][0] if distances else 1.2


def _paragraphs(lines: list[PrintedLine], pitch: float) -> Iterator[Paragraph]:
    gathered: list[PrintedLine] = []
    widest = max((line.box.right - line.box.left for line in lines), default=0.0)
    for line in lines:
        if gathered and _begins(gathered, line, pitch, widest):
            yield _joined(gathered)
            gathered = []
        gathered.append(line)
    if gathered:
        yield _joined(gathered)


def _begins(gathered: list[PrintedLine], line: PrintedLine, pitch: float, widest: float) -> bool:
    before = gathered[-1]
    if abs(line.size - before.size) > _ALIKE * before.size or _ITEM.search(line.text):
        return True
    distance = before.box.top - line.box.top
    if distance < 0:
        # The next column, or page.
        return before.text.endswith(_ENDS) or not line.text[:1].islower()
    is_indented = line.box.left > gathered[0].box.left + line.size and not _ITEM.search(gathered[0].text)
    is_short = before.text.endswith(_ENDS) and before.box.right - before.box.left < _SHORT * widest
    return distance > _LOOSE * pitch * line.size or is_indented or is_short


def _joined(lines: list[PrintedLine]) -> Paragraph:
    text = "".join(line.text + (HYPHEN if line.goes_on else " ") for line in lines)
    return Paragraph(whole_words(text.strip()), lines[0].size)


def _heads(part: Paragraph, body: float) -> bool:
    return part.size > _HEADS * body and len(part.text) <= _LONGEST_HEADING and any(map(str.isalpha, part.text))


def _levels(sizes: Iterable[float]) -> list[float]:
    """Return the largest size of each level, the first level first."""
    levels: list[float] = []
    for size in sorted(sizes, reverse=True):
        if not levels or size < (1 - _SAME_LEVEL) * levels[-1]:
            levels.append(size)
    return levels


def _block(part: Paragraph, body: float, levels: list[float]) -> Block:
    if _heads(part, body):
        return Block(text=part.text, level=min(sum(size >= part.size for size in levels), _HIGHEST))
    return Block(text=_BULLET.sub(lambda _: "- ", part.text))


def _merged(blocks: list[Block]) -> Iterator[Block]:
    """Yield the blocks, with consecutive items as one list."""
    for is_item, group in groupby(blocks, lambda block: not block.level and bool(_ITEM.search(block.text))):
        if is_item:
            yield Block(text="\n".join(block.text for block in group))
        else:
            yield from group
