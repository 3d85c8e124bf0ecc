"""What a line of Markdown is, a row, a rule or a fence around code; and what Slack adds to it (pure)."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Literal

from graph import patterns

LineKind = Literal["text", "code", "fence"]

_OPENING = patterns.compile(r"\s*(?P<mark>```+|~~~+)[^`]*$")
AFTER_AN_ADDRESS = ".,;:!?'\"*_]’”»«"
"""What may stand behind a bare address and belongs to the sentence: signs, and the ends of quotations and emphasis."""
MENTION = patterns.compile(r"<[@!#][^>]*>")
# "20:00-22:30" holds no emoji: apart from four, the name of each has a letter.
EMOJI = patterns.compile(r":[0-9_+-]*[a-z][a-z0-9_+-]*:|:(?:[+-]1|100|1234):|☺")
_RULE = patterns.compile(r"[\s|:\-–—=*_]*")
_MARKS = " *`"
_BELOW_A_HEAD = patterns.compile(r"[\s|:-]+")


class Fences:
    """Reads one line after another, and tells text from code and from the fences around it.

    A fence ends with as many of the signs that began it, or more, and nothing else. Without an end, all is code.
    """

    def __init__(self, mark: str = "") -> None:
        self.mark = mark
        """The signs that opened the code in which the last line stands; empty outside of code."""

    def kind_of(self, line: str) -> LineKind:
        """Take in the next line, and return what it is."""
        if self.mark:
            bare = line.strip()
            if not bare.startswith(self.mark) or bare.strip(self.mark[0]):
                return "code"
            self.mark = ""
            return "fence"
        if opening := _OPENING.match(line):
            self.mark = opening["mark"]
            return "fence"
        return "text"


class PiecesOfLines:
    """Tells which pieces of a text that comes bit by bit are code or a fence. Only a line's beginning is a fence."""

    def __init__(self) -> None:
        self._fences = Fences()
        self._begins_line = True
        self._kind: LineKind = "text"

    def would_be_code(self, piece: str) -> bool:
        """Tell whether a piece would be code or a fence if it came next."""
        kind = Fences(self._fences.mark).kind_of(piece) if self._begins_line else self._kind
        return kind != "text"

    def is_code(self, piece: str) -> bool:
        """Take in the next piece, a line or a part of one, and tell whether it is code or a fence."""
        if self._begins_line:
            self._kind = self._fences.kind_of(piece)
        self._begins_line = piece.endswith("\n")
        return self._kind != "text"


def kinds_of(lines: Iterable[str]) -> list[LineKind]:
    """Return for each line of a text whether it is text, code or a fence."""
    return [*map(Fences().kind_of, lines)]


def blocks_of_code(lines: Iterable[str]) -> list[int]:
    """Return for each line in which block of code it stands, from 1, with the fences; 0 outside of code."""
    found: list[int] = []
    fences, block = Fences(), 0
    for line in lines:
        was_open = fences.mark
        kind = fences.kind_of(line)
        block += kind == "fence" and not was_open
        found.append(0 if kind == "text" else block)
    return found


def open_fence(text: str) -> str:
    """Return the signs that opened the code in which a text ends; empty if it ends outside of code."""
    fences = Fences()
    for line in text.splitlines():
        fences.kind_of(line)
    return fences.mark


def begins_code(line: str) -> bool:
    """Tell whether a line outside of code is a fence."""
    return _OPENING.match(line) is not None


def is_rule(line: str) -> bool:
    """Tell whether a line is empty or only drawn, as a line across the page or below a heading is."""
    return _RULE.fullmatch(line) is not None


def is_row(line: str) -> bool:
    """Tell whether a line is a row of a table, its head or the rule below that."""
    return line.lstrip().startswith("|")


def is_below_head(line: str) -> bool:
    """Tell whether a row is the rule below a table's head. A row of dashes ("| – | – |") is one without values."""
    return _BELOW_A_HEAD.fullmatch(line) is not None


def cells_of(row: str) -> list[str]:
    """Return the cells of a row; the first and the last may be empty."""
    return [cell.strip() for cell in row.strip().removeprefix("|").removesuffix("|").split("|")]


def tables_of(text: str) -> list[list[str]]:
    """Return the lines of each table in a text."""
    return [[*lines] for is_table, lines in groupby(text.splitlines(), key=is_row) if is_table]


def plain_cells(row: str) -> list[str]:
    """Return the cells of a row without emphasis and marks of code."""
    return [cell.strip(_MARKS) for cell in cells_of(row)]


def columns_of(text: str) -> Iterator[list[str]]:
    """Yield each column of the tables in a text without its name, as plain cells.

    The names of columns are alike, too, if none stands above the first: the rows are properties of what they name.
    """
    for lines in tables_of(text):
        rows = [plain_cells(line) for line in lines if not is_below_head(line)]
        yield from (row for row in rows[:1] if not row[0])
        yield from (list(column) for column in zip(*rows[1:], strict=False))
