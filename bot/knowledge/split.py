"""Splits documents into passages: by heading, then by block, then by sentence. Tables and code stay whole."""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from sentencex import segment

from bot.knowledge.blocks import Block
from bot.knowledge.documents import Document, NewPassage
from graph.text.markdown import begins_code, blocks_of_code

Count = Callable[[str], int]

TARGET = 200
"""Tokens of a passage; with title and headings it fits the embedding model's window of 256."""
_LARGEST_WHOLE = 600
"""A larger table is cut between rows, and each part repeats the table's head."""
_LONGEST = 1500
"""The most characters of a sentence or line."""
_LONGEST_TOKEN = 20
"""The most characters of a token. The model would count an endless word as one token."""
_TABLE_HEAD = 2
_QUOTED = "> "


class _Sized(NamedTuple):
    """A part with its tokens. Counting takes most of the time; white space ends a token, so sizes can be added."""

    text: str
    tokens: int


def split(document: Document, count: Count) -> Iterator[NewPassage]:
    """Yield the document's passages in order, one by one, so that a caller can stop in the middle of a large document.

    `count` returns a text's length in the embedding model's tokens.
    """

    def size(text: str) -> int:
        # Do not count the tokens of a block that is too long by its characters.
        least = len(text) // _LONGEST_TOKEN
        return least if least > _LARGEST_WHOLE else max(least, count(text))

    for headings, blocks in sections(document.blocks):
        for text in _pack(_parts(blocks, document.language, size), size):
            yield NewPassage(heading_path=headings, text=text)


def sections(blocks: tuple[Block, ...]) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
    """Yield the text blocks under each heading, with the headings above."""
    path: list[Block] = []
    body: list[Block] = []
    for block in blocks:
        if not block.level:
            body.append(block)
            continue
        if body:
            yield tuple(heading.text for heading in path), body
        path, body = [*(above for above in path if above.level < block.level), block], []
    if body:
        yield tuple(heading.text for heading in path), body


def _parts(blocks: list[Block], language: str, count: Count) -> Iterator[_Sized | Iterator[str]]:
    # An iterator is one block that is cut. Its parts overlap if they fall into different passages.
    for block in blocks:
        size = count(block.text)
        if size <= TARGET or (block.whole and size <= _LARGEST_WHOLE):
            yield _Sized(block.text, size)
        elif block.whole:
            yield from (_Sized(part, count(part)) for part in _cut_whole(block.text, count))
        else:
            yield _sentences(block.text, language, count)


def _cut_whole(text: str, count: Count) -> Iterator[str]:
    lines = [f"{part}\n" for line in text.splitlines() for part in _bounded(line)]
    is_code = begins_code(text.partition("\n")[0])
    above = _TABLE_HEAD if text.startswith("|") else 1 if is_code else 0
    below = len(lines) - 1 if is_code else len(lines)
    for part in _fill(lines[above:below], count, overlap=0):
        yield "".join([*lines[:above], f"{part}\n", *lines[below:]]).strip()


def _sentences(text: str, language: str, size: Count) -> Iterator[str]:
    # Each part keeps the following space or line break.
    lines = text.splitlines()
    for block, members in groupby(zip(blocks_of_code(lines), lines, strict=True), key=lambda line: line[0]):
        own = [line for _, line in members]
        code = "".join(f"{line}\n" for line in own)
        if block and size(code) <= _LARGEST_WHOLE:
            yield code
        else:
            yield from (unit for line in own for unit in _sentences_of_line(line, language))


def _sentences_of_line(line: str, language: str) -> list[str]:
    found = [part.strip() for part in _segments(line.removeprefix(_QUOTED), language) if part.strip()]
    sentences = [part for sentence in found for part in _bounded(sentence)]
    if line.startswith(_QUOTED):
        # Each part of a quotation must be a quotation.
        return [f"{_QUOTED}{sentence}\n" for sentence in sentences]
    return [*(f"{sentence} " for sentence in sentences[:-1]), *(f"{sentence}\n" for sentence in sentences[-1:])]


def _segments(line: str, language: str) -> list[str]:
    """Return the sentences of a line. The segmenter cuts off a list's number, and the marks that end bold text."""
    found: list[str] = []
    for part in segment(language, line):
        is_numbered = len(found) == 1 and found[0].strip().rstrip(".)").isdecimal()
        if is_numbered or (found and part.startswith(("*", "_")) and not found[-1][-1:].isspace()):
            found[-1] += part
        else:
            found.append(part)
    return found


def _bounded(text: str) -> list[str]:
    # An endless word, such as a base64 image, is cut; other text is cut between words.
    parts: list[str] = []
    begin = 0
    while len(text) - begin > _LONGEST:
        latest = begin + _LONGEST
        end = max(text.rfind(space, begin + 1, latest + 1) for space in (" ", "\t")) + 1 or latest
        parts.append(text[begin:end].strip())
        begin = end
    return [*parts, text[begin:].strip()]


def _pack(parts: Iterator[_Sized | Iterator[str]], count: Count) -> Iterator[str]:
    gathered: list[str] = []
    size = 0
    for part in parts:
        if not isinstance(part, _Sized):
            yield from _joined(gathered)
            gathered, size = [], 0
            yield from _fill(part, count, overlap=1)
            continue
        if gathered and size + part.tokens > TARGET:
            yield from _joined(gathered)
            gathered, size = [], 0
        gathered.append(part.text)
        size += part.tokens
    yield from _joined(gathered)


def _joined(parts: list[str]) -> list[str]:
    return ["\n\n".join(parts)] if parts else []


def _fill(units: Iterable[str], count: Count, *, overlap: int) -> Iterator[str]:
    filled: list[str] = []
    size = 0
    for unit in units:
        own = count(unit)
        if filled and size + own > TARGET:
            yield "".join(filled).strip()
            # What introduces code is said again before it; code itself is not.
            is_code = begins_code(filled[-1].partition("\n")[0])
            filled = filled[-overlap:] if overlap and not is_code else []
            size = sum(count(again) for again in filled)
        filled.append(unit)
        size += own
    if filled:
        yield "".join(filled).strip()
