"""The tables of a passage: rows with labels, and amounts computed from one row or one column (pure)."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import permutations

from graph.text.markdown import cells_of, is_below_head, tables_of
from graph.text.values import Number, Values, values
from graph.text.words import content_words

_FEWEST_ROWS = 2


@dataclass(frozen=True)
class Row:
    """A row below the table's head."""

    label: frozenset[str]
    """The stems of its first cell."""
    cells: tuple[Values, ...]

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The numbers of all its cells."""
        return tuple(number for cell in self.cells for number in cell.numbers)


@dataclass(frozen=True)
class TableBody:
    """A table without its head."""

    rows: tuple[Row, ...]

    def columns(self) -> list[list[Number]]:
        """Return the columns with exactly one number in every row."""
        width = min(len(row.cells) for row in self.rows)
        columns = [[row.cells[place].numbers for row in self.rows] for place in range(width)]
        return [[cell[0] for cell in column] for column in columns if all(len(cell) == 1 for cell in column)]


@lru_cache(maxsize=1024)
def tables_in(text: str, language: str) -> tuple[TableBody, ...]:
    """Return the tables of Markdown that have at least two rows."""
    tables = [TableBody(tuple(_rows(lines, language))) for lines in tables_of(text)]
    return tuple(table for table in tables if len(table.rows) >= _FEWEST_ROWS)


def reckoned(table: TableBody, rows: tuple[Row, ...]) -> set[Decimal]:
    """Return the amounts that a sentence may state without a sum: of whole columns, and of two cells of a row."""
    return {amount for column in table.columns() for amount in _of_column(column)} | {
        amount for row in rows for one, other in permutations(row.numbers, 2) for amount in _of_two(one, other)
    }


def _rows(lines: list[str], language: str) -> Iterator[Row]:
    for cells in (cells_of(line) for line in lines[1:] if not is_below_head(line)):
        yield Row(frozenset(content_words(cells[0])), tuple(values(cell, language) for cell in cells))


def _of_column(column: list[Number]) -> Iterator[Decimal]:
    if any(number.unit != column[0].unit for number in column):
        return
    amounts = [max(number.amounts) for number in column]
    total = sum(amounts, Decimal(0))
    yield total
    yield total / len(amounts)


def _of_two(one: Number, other: Number) -> Iterator[Decimal]:
    if one.unit != other.unit:
        return
    for first in one.amounts:
        for second in other.amounts:
            yield abs(first - second)
            yield first + second
            if second:
                yield abs(first / second - 1) * 100
