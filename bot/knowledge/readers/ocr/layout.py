"""Puts recognised lines upright and into reading order, and makes their sizes comparable."""

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from statistics import median
from typing import Final, NamedTuple

from bot.knowledge.readers.pdf.lines import Box, Flow, PrintedLine
from bot.knowledge.readers.rows import table_of

Point = tuple[float, float]

_COLUMN: Final = 8
"""A line of a column is at least this many times as long as high. What is shorter is the cell of a table."""
_FEWEST: Final = 3
"""Lines of a column."""
_SIZES: Final = ((1.18, 1.0), (1.75, 1.4))
_LARGEST: Final = 2.1
"""Recognised heights vary by a sixth, so a line is text (below 1.18 of the usual height), a heading, or a title."""


class FoundLine(NamedTuple):
    """A line of a picture."""

    text: str
    corners: Sequence[Point]
    """In points from the top left: upper left, upper right, lower right, lower left."""
    sureness: float
    """0–1."""


def flow_of(found: Sequence[FoundLine], height: float) -> Flow:
    """Return the lines and tables of a page of this height, in points, in reading order."""
    angle = median(_angle(one) for one in found) if found else 0.0
    return _in_order([_upright(one, angle, height) for one in found])


def evened(pages: Sequence[Flow]) -> list[Flow]:
    """Round the heights of all pages' lines, so that the lines of one paragraph, and headings of one level, agree."""
    sizes = [part.size for page in pages for part in page if isinstance(part, PrintedLine)]
    usual = median(sizes) if sizes else 1.0
    return [
        [_of_size(part, _rounded(part.size, usual)) if isinstance(part, PrintedLine) else part for part in page]
        for page in pages
    ]


def _of_size(line: PrintedLine, size: float) -> PrintedLine:
    middle = _middle(line.box)
    return line._replace(size=size, box=line.box._replace(bottom=middle - size / 2, top=middle + size / 2))


def _rounded(size: float, usual: float) -> float:
    return usual * next((rounded for below, rounded in _SIZES if size < below * usual), _LARGEST)


def _angle(one: FoundLine) -> float:
    (left, top), (right, other_top), *_ = one.corners
    return math.atan2(other_top - top, right - left)


def _upright(one: FoundLine, angle: float, height: float) -> PrintedLine:
    cos, sin = math.cos(angle), math.sin(angle)
    corners = [(x * cos + y * sin, height - (y * cos - x * sin)) for x, y in one.corners]
    across, up = zip(*corners, strict=True)
    size = max(1.0, math.dist(one.corners[0], one.corners[3]))
    goes_on = one.text.endswith("-") and one.text[-2:-1].isalpha()
    text = one.text.removesuffix("-") if goes_on else one.text
    return PrintedLine(text, Box(min(across), min(up), max(across), max(up)), size, goes_on=goes_on)


def _in_order(lines: Sequence[PrintedLine]) -> Flow:
    """Return columns of text one after another, and everything else from top to bottom."""
    ordered: Flow = []
    band: list[PrintedLine] = []
    for row in _rows(lines):
        if band and _gutter([*band, *row]) is None:
            ordered += _band(band)
            band = []
        band += row
    return ordered + _band(band)


def _rows(lines: Sequence[PrintedLine]) -> Iterator[list[PrintedLine]]:
    """Yield the lines that stand beside each other."""
    row: list[PrintedLine] = []
    for line in sorted(lines, key=lambda line: -_middle(line.box)):
        if row and _middle(line.box) < row[0].box.bottom:
            yield sorted(row, key=lambda one: one.box.left)
            row = []
        row.append(line)
    if row:
        yield sorted(row, key=lambda one: one.box.left)


def _middle(box: Box) -> float:
    return (box.bottom + box.top) / 2


def _gutter(lines: Sequence[PrintedLine]) -> float | None:
    """Return where no line stands: the widest place from top to bottom, if it is as wide as a line is high."""
    widest, place, end = median(line.size for line in lines), None, math.inf
    for line in sorted(lines, key=lambda line: line.box.left):
        if line.box.left - end > widest:
            widest, place = line.box.left - end, line.box.left
        end = line.box.right if end == math.inf else max(end, line.box.right)
    return place


def _band(lines: list[PrintedLine]) -> Flow:
    place = _gutter(lines) if lines else None
    if place is not None:
        sides = [line for line in lines if line.box.left < place], [line for line in lines if line.box.left >= place]
        if all(map(_is_column, sides)):
            return [part for side in sides for part in _in_order(side)]
    return [part for _, rows in groupby(_rows(lines), len) for part in _cells(list(rows))]


def _cells(rows: Sequence[Sequence[PrintedLine]]) -> Flow:
    """Return rows with equally many cells as a table, and rows that stand alone as lines."""
    if len(rows) > 1 and len(rows[0]) > 1:
        return [*table_of([[cell.text for cell in row] for row in rows])]
    return [_joined(row) for row in rows]


def _is_column(lines: Sequence[PrintedLine]) -> bool:
    lengths = [(line.box.right - line.box.left) / line.size for line in lines]
    return len(lines) >= _FEWEST and median(lengths) > _COLUMN


def _joined(row: Sequence[PrintedLine]) -> PrintedLine:
    box = Box.around([line.box for line in row])
    return PrintedLine(" ".join(line.text for line in row), box, row[0].size, goes_on=row[-1].goes_on)
