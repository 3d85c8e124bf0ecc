"""JSON: nested values become headings, plain values a list, and objects of the same shape a table."""

import json
from collections.abc import Iterator
from typing import Final, TypeAlias

from bot.errors import KnowledgeError
from bot.knowledge.blocks import Block, Parsed
from bot.knowledge.readers.encoding import decode
from bot.knowledge.readers.rows import table_of

Value: TypeAlias = "dict[str, Value] | list[Value] | str | float | bool | None"
_NAMES: Final = ("title", "name", "label", "id", "key")
_DATES: Final = ("updated", "last_updated", "date", "published", "url")
_LOWEST: Final = 6
_WIDEST: Final = 12
_LINE: Final = 200
"""A longer list becomes several lines."""


def read(content: bytes) -> Parsed:
    """Parse JSON or JSON lines. Raises `KnowledgeError` if it is neither."""
    value = _loaded(decode(content))
    top = value if isinstance(value, dict) else {}
    fields = {key: str(top[key]) for key in _DATES if isinstance(top.get(key), str)}
    return Parsed(blocks=list(_blocks(value, 2)), fields={**fields, "title": _name(top)})


def _loaded(text: str) -> Value:
    try:
        return json.loads(text)
    except ValueError as error:
        try:
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError:
            raise KnowledgeError(f"The file is not valid JSON: {error}.") from error


def _blocks(value: Value, level: int) -> Iterator[Block]:
    if isinstance(value, dict):
        yield from _object(value, level)
    elif isinstance(value, list) and (rows := _rows(value)):
        heads = list(dict.fromkeys(key for row in rows for key in row))
        yield from table_of([heads, *([_text(row.get(head)) for head in heads] for row in rows)])
    elif isinstance(value, list) and all(map(_is_plain, value)):
        yield Block(text="\n".join(f"- {_text(one)}" for one in value))
    elif isinstance(value, list):
        for number, one in enumerate(value, 1):
            name = _name(one) if isinstance(one, dict) else ""
            yield Block(text=name or f"No. {number}", level=min(level, _LOWEST))
            yield from _blocks(one, level + 1)
    else:
        yield Block(text=_text(value))


def _object(value: dict[str, Value], level: int) -> Iterator[Block]:
    plain = {key: one for key, one in value.items() if _is_plain(one) or _is_short(one)}
    if plain:
        yield Block(text="\n".join(f"- {key}: {_text(one)}" for key, one in plain.items()))
    for key, one in value.items():
        if key not in plain:
            yield Block(text=key, level=min(level, _LOWEST))
            yield from _blocks(one, level + 1)


def _is_plain(value: Value) -> bool:
    return not isinstance(value, dict | list)


def _is_short(value: Value) -> bool:
    return isinstance(value, list) and all(map(_is_plain, value)) and len(_text(value)) <= _LINE


def _rows(value: list[Value]) -> list[dict[str, Value]]:
    """Return the rows if the value is a table: objects of plain values, with few keys."""
    rows = [row for row in value if isinstance(row, dict) and row and all(map(_is_plain, row.values()))]
    is_table = len(rows) == len(value) and len({key for row in rows for key in row}) <= _WIDEST
    return rows if is_table else []


def _name(value: dict[str, Value]) -> str:
    return next((str(value[key]) for key in _NAMES if isinstance(value.get(key), str)), "")


def _text(value: Value) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    if isinstance(value, bool) or value is None:
        return "" if value is None else "yes" if value else "no"
    return str(value)
