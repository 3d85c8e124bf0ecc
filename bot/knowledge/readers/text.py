"""Plain text: paragraphs, and short lines that head them."""

from typing import Final

from bot.knowledge.blocks import Block
from graph import patterns

_APART: Final = patterns.compile(r"\n\s*\n")
_LONGEST_HEADING: Final = 70


def text_blocks(text: str) -> list[Block]:
    """Return paragraphs; a short line that stands alone before one is its heading."""
    paragraphs = [part.strip() for part in _APART.split(text) if part.strip()]
    last = len(paragraphs) - 1
    return [
        Block(text=part, level=1) if _is_heading(part) and place < last else Block(text=part)
        for place, part in enumerate(paragraphs)
    ]


def _is_heading(paragraph: str) -> bool:
    if "\n" in paragraph or paragraph.startswith(">"):
        return False
    return len(paragraph) <= _LONGEST_HEADING and paragraph[-1] not in ".,;!?…"
