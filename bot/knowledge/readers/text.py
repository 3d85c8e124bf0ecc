"""Plain text: paragraphs, and short lines as headings."""

from typing import Final

from bot.knowledge.blocks import Block, Parsed, paragraphs_in
from bot.knowledge.readers.markdown import split_front_matter
from bot.knowledge.sanitize import read_sanitized
from graph import patterns
from graph.text.mails import with_mails_quoted

_LONGEST_HEADING: Final = 70
_RULE: Final = patterns.compile(r"\s*(?:={3,}|-{3,}|~{3,}|_{3,})\s*")
# A column's names in capitals are far apart. What holds a number, such as a telephone's, must stay quotable.
_IN_CAPITALS: Final = patterns.compile(r"\s*(?:\d{1,3}(?:\.\d{1,3})*[.)]?\s+)?[^\W\d_][^\d\s]*(?: [^\d\s]+)*\s*")
_FEWEST_LETTERS: Final = 4
"""Of at least one word of a heading in capitals; a code or a unit has fewer."""


def read(content: bytes) -> Parsed:
    """Parse the file. Raises `KnowledgeError` that says what to do."""
    return read_sanitized(content, _parsed)


def text_blocks(text: str) -> list[Block]:
    """Return the paragraphs.

    A short line before a paragraph is a heading: one that stands alone, is underlined or is in capitals.
    """
    paragraphs = [part for whole in paragraphs_in(text) for part in _with_heading_apart(whole)]
    last = len(paragraphs) - 1
    return [
        Block(text=part, level=1) if _is_heading(part) and place < last else Block(text=part)
        for place, part in enumerate(paragraphs)
    ]


def _parsed(text: str) -> Parsed:
    fields, body = split_front_matter(text)
    return Parsed(fields=fields, blocks=text_blocks(with_mails_quoted(body)))


def _with_heading_apart(paragraph: str) -> list[str]:
    """Return a paragraph's heading and its other lines; the paragraph if no heading is above its text."""
    first, *rest = paragraph.split("\n")
    if rest and _RULE.fullmatch(rest[0]):
        rest = rest[1:]
    elif not rest or not _is_in_capitals(first) or rest[0].isupper():
        return [paragraph]
    if not _is_heading(first):
        return [paragraph]
    return [part for part in (" ".join(first.split()), "\n".join(rest).strip()) if part]


def _is_in_capitals(line: str) -> bool:
    is_name = any(word.isalpha() and len(word) >= _FEWEST_LETTERS for word in line.split())
    return is_name and line.isupper() and _IN_CAPITALS.fullmatch(line) is not None


def _is_heading(paragraph: str) -> bool:
    if "\n" in paragraph or paragraph.startswith(">"):
        return False
    return len(paragraph) <= _LONGEST_HEADING and paragraph[-1] not in ".,;!?…"
