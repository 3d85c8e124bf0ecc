"""Writes rows of cells as a Markdown table. The first row is its head, or the first rows if names have parts below."""

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

from bot.knowledge.blocks import Block

_FEWEST = 3
"""Rows of a table whose head may have two."""
_FEWEST_NAMES = 2


def table_of(rows: Sequence[Sequence[str]], *, heads: int = 1) -> list[Block]:
    """Return a table without empty rows and columns; nothing if all are empty. `heads` rows are surely its head."""
    cells = [[_one_line(cell) for cell in row] for row in rows]
    columns = sorted({place for row in cells for place, cell in enumerate(row) if cell})
    filled = [[row[place] if place < len(row) else "" for place in columns] for row in cells if any(row)]
    if not filled:
        return []
    heads = min(sum(map(any, cells[:heads])), len(filled) - 1)
    head, *others = _with_one_head(filled, max(heads, 1))
    lines = [f"| {' | '.join(row)} |" for row in (head, *others)]
    lines.insert(1, "|" + " --- |" * len(columns))
    return [Block(text="\n".join(lines), whole=True)]


def _with_one_head(rows: list[list[str]], heads: int) -> list[list[str]]:
    """Return the rows; of a head of several, each column's names as one: "Charity" above "half day"."""
    above = _spread(rows)
    if heads == 1 and _names_parts(above, rows):
        rows, heads = [above, *rows[1:]], 2
    named = ([row[place] for row in rows[:heads]] for place in range(len(above)))
    return [[" ".join(dict.fromkeys(filter(None, names))) for names in named], *rows[heads:]]


def _spread(rows: list[list[str]]) -> list[str]:
    """Return the first row. A merged name also stands in the empty cells behind it, if they have names below."""
    if len(rows) < _FEWEST or rows[1][0]:
        return rows[0]
    spread: list[str] = []
    for place, (name, below) in enumerate(zip(*rows[:2], strict=True)):
        spread.append(spread[-1] if place > 1 and below and not name else name)
    return spread


def _names_parts(above: list[str], rows: list[list[str]]) -> bool:
    """Tell whether the second row names the same parts of several names: half and full day of office and school.

    The parts of one name could as well be values: two people below "Contact".
    """
    if len(rows) < _FEWEST or rows[1][0] not in ("", above[0]):
        return False
    columns = zip(above[1:], rows[1][1:], strict=True)
    groups = [(name, [part for _, part in group]) for name, group in groupby(columns, key=itemgetter(0))]
    wide = [(name, parts) for name, parts in groups if len(parts) > 1]
    if len(wide) < _FEWEST_NAMES or not all(name and parts == wide[0][1] for name, parts in wide):
        return False
    parts = wide[0][1]
    are_names = all(parts) and len({*parts}) == len(parts) and not any(sign.isdigit() for sign in "".join(parts))
    return are_names and all(part in ("", name) for name, (part, *more) in groups if not more)


def _one_line(cell: str) -> str:
    return " ".join(cell.replace("|", "/").split())
