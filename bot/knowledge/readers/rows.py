"""Writes rows of cells as a Markdown table. The first row is its head."""

from collections.abc import Sequence

from bot.knowledge.blocks import Block


def table_of(rows: Sequence[Sequence[str]]) -> list[Block]:
    """Return a table without empty rows and columns; nothing if all are empty."""
    cells = [[_one_line(cell) for cell in row] for row in rows]
    columns = sorted({place for row in cells for place, cell in enumerate(row) if cell})
    filled = [[row[place] if place < len(row) else "" for place in columns] for row in cells if any(row)]
    if not filled:
        return []
    lines = [f"| {' | '.join(row)} |" for row in filled]
    lines.insert(1, "|" + " --- |" * len(columns))
    return [Block(text="\n".join(lines), whole=True)]


def _one_line(cell: str) -> str:
    return " ".join(cell.replace("|", "/").split())
