"""Chooses a file's title: the visible heading, or the title in the file's properties."""

from dataclasses import replace
from typing import Final

from bot.knowledge.blocks import Block, Parsed
from graph import patterns

_NO_TITLE: Final = patterns.compile(
    r"^\W*$|^(?:untitled|document|presentation|workbook|title|slide|dokument|documento)?\s*\d*$|\.\w{2,5}$"
    r"|^powerpoint|^microsoft",
    patterns.IGNORE_CASE,
)
"""Titles that programs write by default."""
_BEGINNING: Final = 3
"""The title is within the first blocks; a name or a date may precede it."""


def titled(parsed: Parsed) -> Parsed:
    """Move the title to the front as the only heading of level 1, or into the fields."""
    blocks, fields = parsed.blocks, sensible(parsed.fields)
    levels = [block.level for block in blocks if block.level]
    place = next((place for place, block in enumerate(blocks) if block.level), _BEGINNING)
    if place < _BEGINNING and levels[0] == min(levels) and levels.count(levels[0]) == 1:
        fields.pop("title", None)
        blocks = [Block(text=blocks[place].text, level=1), *blocks[:place], *blocks[place + 1 :]]
    elif levels and min(levels) == 1:
        blocks = [_lower(block) for block in blocks]
    return replace(parsed, blocks=blocks, fields=fields)


def sensible(fields: dict[str, str]) -> dict[str, str]:
    """Return the fields without a title that no person wrote."""
    is_title = not _NO_TITLE.search(fields.get("title", "").strip())
    return {key: value for key, value in fields.items() if is_title or key != "title"}


def _lower(block: Block) -> Block:
    # The first of several chapters is not the document's title.
    return Block(text=block.text, level=min(block.level + 1, 6)) if block.level else block
