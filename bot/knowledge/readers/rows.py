"""Writes rows of cells as a Markdown table. The first row is its head, or the first rows if names have parts below."""

from collections.abc import Sequence
from itertools import pairwise

from bot.knowledge.blocks import Block

_FEWEST = 3
"""Rows of a table whose head may have two."""


def table_of(rows: Sequence[Sequence[str]], *, heads: int = 1) -> list[Block]:
    """Return a table without empty rows and columns; nothing if all are empty. `heads` rows are surely its head."""
    cells = [[_one_line(cell) for cell in row] for row in rows]
    columns = sorted({place for row in cells for place, cell in enumerate(row) if cell})
    filled = [[row[place] if place < len(row) else "" for place in columns] for row in cells if any(row)]
    if not filled:
        return []
    head, *others = _with_one_head(filled, heads)
    lines = [f"| {' | '.join(row)} |" for row in (head, *others)]
    lines.insert(1, "|" + " --- |" * len(columns))
    return [Block(text="\n".join(lines), whole=True)]


def _with_one_head(rows: list[list[str]], heads: int) -> list[list[str]]:
    """Return the rows; of a head of several, each column's names as one: "Charity" above "half day"."""
    above = _spread(rows)
    heads = max(heads, 2 if _names_parts(above, rows) else 1)
    named = ([row[place] for row in (above, *rows[1:heads])] for place in range(len(above)))
    return [[" ".join(dict.fromkeys(filter(None, names))) for names in named], *rows[heads:]]


def _spread(rows: list[list[str]]) -> list[str]:
    """Return the first row; a name goes on over empty cells that have a name below, as of a merged cell."""
    if len(rows) < _FEWEST or rows[1][0]:
        return rows[0]
    spread: list[str] = []
    for place, (name, below) in enumerate(zip(*rows[:2], strict=True)):
        spread.append(spread[-1] if place > 1 and below and not name else name)
    return spread


def _names_parts(above: list[str], rows: list[list[str]]) -> bool:
    """Tell whether the second row names the parts of what one name of the first row stands over."""
    if len(rows) < _FEWEST:
        return False
    below = rows[1]
    is_of_head = below[0] in ("", above[0]) and not any(letter.isdigit() for cell in below[1:] for letter in cell)
    pairs = pairwise(zip(above[1:], below[1:], strict=True))
    return is_of_head and any(one[0] == other[0] != "" and one[1] and other[1] for one, other in pairs)


def _one_line(cell: str) -> str:
    return " ".join(cell.replace("|", "/").split())
