"""Excel: each visible sheet under its name. Empty rows divide tables."""

import io
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from itertools import groupby
from typing import Any, Final

from openpyxl import load_workbook

from bot.knowledge.blocks import Block, Parsed
from bot.knowledge.readers.archive import opened, properties
from bot.knowledge.readers.rows import table_of
from bot.knowledge.readers.titles import sensible
from graph import patterns

_CURRENCY: Final = patterns.compile(r"€|£|\b(?:EUR|USD|GBP|CHF)\b")
_DOLLARS: Final = ('"$"', "[$$", "\\$")
_Row = list[str]


def read(content: bytes) -> Parsed:
    """Return the sheets, with formulas as their last values. Raises `KnowledgeError` if the file is damaged."""
    archive = opened(content)
    sheets: list[Any] = load_workbook(io.BytesIO(content), read_only=True, data_only=True).worksheets
    shown = [sheet for sheet in sheets if sheet.sheet_state == "visible"]
    blocks: list[Block] = []
    for sheet in shown:
        sheet.reset_dimensions()  # The stored dimensions may be wrong.
        blocks += [Block(text=str(sheet.title), level=2), *_sheet(sheet.iter_rows())]
    hidden = len(sheets) - len(shown)
    notices = [f"{hidden} of {len(sheets)} sheets are hidden, and were left out."] if hidden else []
    return Parsed(blocks=blocks, fields=sensible(properties(archive)), notices=notices)


def _sheet(rows: Iterable[Iterable[Any]]) -> Iterator[Block]:
    texts = ([_text(cell.value, cell.number_format) if cell.value is not None else "" for cell in row] for row in rows)
    for is_filled, group in groupby(texts, any):
        if is_filled:
            yield from _tables(list(group))


def _tables(rows: list[_Row]) -> Iterator[Block]:
    # A single cell above a table is its caption.
    first = next((place for place, row in enumerate(rows) if sum(map(bool, row)) > 1), len(rows))
    for row in rows[:first]:
        yield Block(text="".join(row))
    yield from table_of(rows[first:])


def _text(value: object, form: str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return _number(value, form)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
    return value.isoformat() if isinstance(value, date | time) else str(value).strip()


def _number(value: float, form: str) -> str:
    """Return a number as people see it: 0.25 may be 25 %."""
    if "%" in form:
        return f"{value * 100:.6g} %"
    plain = str(value) if isinstance(value, int) else f"{value:.12g}"
    currency = _CURRENCY.search(form)
    unit = currency[0] if currency else "$" if any(sign in form for sign in _DOLLARS) else ""
    return f"{plain} {unit}".strip()
