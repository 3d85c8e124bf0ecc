"""The tables of a PDF page: text between ruled lines that cross."""

import ctypes
from bisect import bisect
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, Final, NamedTuple

import pypdfium2.raw as pdfium

from bot.knowledge.blocks import Block
from bot.knowledge.readers.pdf.lines import Box, Sign, whole_words
from bot.knowledge.readers.rows import table_of

_PDFIUM: Final[Any] = pdfium
_NEAR: Final = 3.0
"""Lines this close, in points, are one line, or touch."""
_MOST_RULES: Final = 1_500
"""The most lines of a page with tables; a drawing has more."""
_FEWEST: Final = 3
"""The fewest lines in each direction: two rows and two columns."""


class Grid(NamedTuple):
    """The positions of a table's lines."""

    columns: list[float]
    """From left to right."""
    rows: list[float]
    """From the bottom up."""

    def cell(self, box: Box) -> tuple[int, int] | None:
        """Return the row, from the top, and the column of a character; `None` if it is outside."""
        column = bisect(self.columns, (box.left + box.right) / 2)
        row = bisect(self.rows, (box.bottom + box.top) / 2)
        if 0 < column < len(self.columns) and 0 < row < len(self.rows):
            return len(self.rows) - 1 - row, column - 1
        return None


class PrintedTable(NamedTuple):
    """A grid and the texts of its cells."""

    grid: Grid
    cells: dict[tuple[int, int], str]

    def blocks(self) -> list[Block]:
        """Return it as Markdown."""
        rows, columns = len(self.grid.rows) - 1, len(self.grid.columns) - 1
        return table_of(
            [[whole_words(self.cells.get((row, column), "")) for column in range(columns)] for row in range(rows)]
        )


def without_tables(signs: list[Sign], grids: list[Grid]) -> list[list[Sign] | PrintedTable]:
    """Return a page's characters in order, with tables in place of the characters inside them."""
    if not grids:
        return [signs]
    flow: list[list[Sign] | PrintedTable] = [[]]
    tables: dict[int, PrintedTable] = {}
    place: tuple[int, tuple[int, int]] | None = None
    last: Box | None = None
    for sign in signs:
        before = place
        # A word belongs to the cell of its first character, and a space to the word before it.
        if sign.box and not _goes_on(last, sign.box):
            place = _place(sign.box, grids)
        last = sign.box
        if place is None:
            if isinstance(flow[-1], list):
                flow[-1].append(sign)
            else:
                flow.append([sign])
            continue
        number, cell = place
        if number not in tables:
            tables[number] = PrintedTable(grids[number], {})
            flow.append(tables[number])
        # Text that returns to a cell is its next line.
        cells = tables[number].cells
        cells[cell] = cells.get(cell, "") + (" " if place != before else "") + sign.text
    return flow


def grids_of(page: Any) -> list[Grid]:
    """Return the grids of a page's lines."""
    rules: list[Box] = []
    for rule in _rules(page):
        rules.append(rule)
        if len(rules) > _MOST_RULES:
            return []
    grids = map(_grid, _joined(rules))
    return [grid for grid in grids if len(grid.columns) >= _FEWEST and len(grid.rows) >= _FEWEST]


def _place(box: Box, grids: list[Grid]) -> tuple[int, tuple[int, int]] | None:
    found = ((number, grid.cell(box)) for number, grid in enumerate(grids))
    return next(((number, cell) for number, cell in found if cell), None)


def _goes_on(last: Box | None, box: Box) -> bool:
    if last is None:
        return False
    height = box.top - box.bottom
    return abs(last.bottom - box.bottom) < height / 2 and abs(box.left - last.right) < height / 5


def _rules(page: Any) -> Iterator[Box]:
    """Yield the horizontal and vertical lines of a page."""
    for drawn in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_PATH]):
        matrix = drawn.get_matrix()
        for (left, first), (right, last) in pairwise(matrix.on_point(*point) for point in _points(drawn.raw)):
            box = Box(min(left, right), min(first, last), max(left, right), max(first, last))
            width, height = box.right - box.left, box.top - box.bottom
            if min(width, height) < 1 and max(width, height) > _NEAR:
                yield box


def _points(drawn: Any) -> Iterator[tuple[float, float]]:
    x, y = ctypes.c_float(), ctypes.c_float()
    begins: tuple[float, float] | None = None
    for place in range(min(_PDFIUM.FPDFPath_CountSegments(drawn), _MOST_RULES)):
        segment = _PDFIUM.FPDFPath_GetPathSegment(drawn, place)
        pdfium.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y))
        point = (x.value, y.value)
        if begins is None or pdfium.FPDFPathSegment_GetType(segment) == pdfium.FPDF_SEGMENT_MOVETO:
            begins = point
        yield point
        if pdfium.FPDFPathSegment_GetClose(segment):
            yield begins


def _joined(rules: list[Box]) -> list[list[Box]]:
    """Return the rules in connected groups."""
    groups: list[list[Box]] = []
    for rule in rules:
        meeting = [group for group in groups if any(_meet(rule, other) for other in group)]
        groups = [group for group in groups if group not in meeting]
        groups.append([rule, *(other for group in meeting for other in group)])
    return groups


def _meet(one: Box, other: Box) -> bool:
    beside = one.left > other.right + _NEAR or other.left > one.right + _NEAR
    above = one.bottom > other.top + _NEAR or other.bottom > one.top + _NEAR
    return not beside and not above


def _grid(rules: list[Box]) -> Grid:
    standing = [rule for rule in rules if rule.top - rule.bottom > rule.right - rule.left]
    lying = [rule for rule in rules if rule.top - rule.bottom <= rule.right - rule.left]
    if not standing or not lying:
        return Grid([], [])
    # The outer lines may be missing.
    ends = [min(rule.left for rule in lying), max(rule.right for rule in lying)]
    heights = [min(rule.bottom for rule in standing), max(rule.top for rule in standing)]
    return Grid(_apart([*(rule.left for rule in standing), *ends]), _apart([*(rule.top for rule in lying), *heights]))


def _apart(places: Iterable[float]) -> list[float]:
    kept: list[float] = []
    for place in sorted(places):
        if not kept or place - kept[-1] > _NEAR:
            kept.append(place)
    return kept
