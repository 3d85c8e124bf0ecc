"""Plain text: paragraphs, and short lines as headings."""

from dataclasses import replace
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
    blocks = [block for paragraph in paragraphs_in(text) for block in _blocks_of(paragraph)]
    last = len(blocks) - 1

    def heads(place: int) -> bool:
        # A heading without a text below it would be in no passage. Only the first one is kept, as the title.
        return place < last and (place == 0 or not blocks[place + 1].level)

    return [block if heads(place) else replace(block, level=0) for place, block in enumerate(blocks)]


def _parsed(text: str) -> Parsed:
    fields, body = split_front_matter(text)
    return Parsed(fields=fields, blocks=text_blocks(with_mails_quoted(body)))


def _blocks_of(paragraph: str) -> list[Block]:
    """Return a paragraph, and the heading right above its text apart."""
    first, *rest = paragraph.split("\n")
    # A drawn table's names of columns are far apart.
    if rest and _RULE.fullmatch(rest[0]) and "  " not in first.strip():
        rest = rest[1:]
    elif not rest or not _is_in_capitals(first) or rest[0].isupper() or rest[0].lstrip()[:1].islower():
        # "ALWAYS WEAR A HELMET" may go on in small letters.
        return [Block(text=paragraph, level=int(_is_heading(paragraph)))]
    if not _is_heading(first):
        return [Block(text=paragraph)]
    heading, text = Block(text=" ".join(first.split()), level=1), "\n".join(rest).strip()
    return [heading, Block(text=text)] if text else [heading]


def _is_in_capitals(line: str) -> bool:
    is_name = any(word.isalpha() and len(word) >= _FEWEST_LETTERS for word in line.split())
    return is_name and line.isupper() and _IN_CAPITALS.fullmatch(line) is not None


def _is_heading(paragraph: str) -> bool:
    if "\n" in paragraph or paragraph.startswith(">"):
        return False
    return len(paragraph) <= _LONGEST_HEADING and paragraph[-1] not in ".,;!?…"
