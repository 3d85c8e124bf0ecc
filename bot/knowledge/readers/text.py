"""Plain text: paragraphs, and short lines as headings."""

from typing import Final

from bot.knowledge.blocks import Block, Parsed, paragraphs_in
from bot.knowledge.readers.markdown import split_front_matter
from bot.knowledge.sanitize import read_sanitized
from graph.text.mails import with_mails_quoted

_LONGEST_HEADING: Final = 70


def read(content: bytes) -> Parsed:
    """Parse the file. Raises `KnowledgeError` that says what to do."""
    return read_sanitized(content, _parsed)


def text_blocks(text: str) -> list[Block]:
    """Return the paragraphs. A short line alone before a paragraph is a heading."""
    paragraphs = paragraphs_in(text)
    last = len(paragraphs) - 1
    return [
        Block(text=part, level=1) if _is_heading(part) and place < last else Block(text=part)
        for place, part in enumerate(paragraphs)
    ]


def _parsed(text: str) -> Parsed:
    fields, body = split_front_matter(text)
    return Parsed(fields=fields, blocks=text_blocks(with_mails_quoted(body)))


def _is_heading(paragraph: str) -> bool:
    if "\n" in paragraph or paragraph.startswith(">"):
        return False
    return len(paragraph) <= _LONGEST_HEADING and paragraph[-1] not in ".,;!?…"
