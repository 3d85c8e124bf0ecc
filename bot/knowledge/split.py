"""Documents into passages: by heading, then by block, then by sentence; what is whole stays whole."""

from collections.abc import Callable, Iterable, Iterator

from sentencex import segment

from bot.knowledge.blocks import Block
from bot.knowledge.documents import Document, Piece

Count = Callable[[str], int]

_TARGET = 200
"""Tokens of a passage, so that it fits the embedding model's window of 256 with its title and headings."""
_LARGEST_WHOLE = 600
"""Tokens above which even a table is cut between rows, each part under the table's head."""
_LONGEST = 1500
"""Characters of a sentence or line."""
_LONGEST_TOKEN = 20
"""Characters that count as a token at least: a word without an end is one for the model, however long."""
_TABLE_HEAD = 2
_FENCES = ("```", "~~~")
_QUOTED = "> "


def split(document: Document, count: Count) -> list[Piece]:
    """Return the document's passages in order; `count` measures text in the embedding model's tokens."""
    return list(passages_of(document, count))


def passages_of(document: Document, count: Count) -> Iterator[Piece]:
    """Yield the passages one by one, so that a caller can stop in the middle of a large document."""

    def size(text: str) -> int:
        # What is too long to be kept whole is not counted to its end.
        least = len(text) // _LONGEST_TOKEN
        return least if least > _LARGEST_WHOLE else max(least, count(text))

    for headings, blocks in sections(document.blocks):
        for text in _pack(_parts(blocks, document.language, size), size):
            yield Piece(heading_path=headings, text=text)


def sections(blocks: tuple[Block, ...]) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
    """Yield the text blocks under each heading with the path of headings above them."""
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


def _parts(blocks: list[Block], language: str, count: Count) -> Iterator[str | Iterator[str]]:
    # An iterator is one block that is cut; its neighbours overlap where they fall into different passages.
    for block in blocks:
        size = count(block.text)
        if size <= _TARGET or (block.whole and size <= _LARGEST_WHOLE):
            yield block.text
        elif block.whole:
            yield from _cut_whole(block.text, count)
        else:
            yield _sentences(block.text, language)


def _cut_whole(text: str, count: Count) -> Iterator[str]:
    lines = [f"{part}\n" for line in text.splitlines() for part in _bounded(line)]
    above = _TABLE_HEAD if text.startswith("|") else 1 if text.startswith(_FENCES) else 0
    below = len(lines) - 1 if text.startswith(_FENCES) else len(lines)
    for part in _fill(lines[above:below], count, overlap=0):
        yield "".join([*lines[:above], f"{part}\n", *lines[below:]]).strip()


def _sentences(text: str, language: str) -> Iterator[str]:
    # Each keeps the space or line break that follows it.
    return (unit for line in text.splitlines() for unit in _sentences_of_line(line, language))


def _sentences_of_line(line: str, language: str) -> list[str]:
    found = [part.strip() for part in segment(language, line.removeprefix(_QUOTED)) if part.strip()]
    sentences = [part for sentence in found for part in _bounded(sentence)]
    if line.startswith(_QUOTED):
        # Wherever a quotation is cut, it stays one.
        return [f"{_QUOTED}{sentence}\n" for sentence in sentences]
    return [*(f"{sentence} " for sentence in sentences[:-1]), *(f"{sentence}\n" for sentence in sentences[-1:])]


def _bounded(text: str) -> list[str]:
    # What has no end, such as an image in base64, is cut, where it can be between words.
    parts: list[str] = []
    begin = 0
    while len(text) - begin > _LONGEST:
        latest = begin + _LONGEST
        end = max(text.rfind(space, begin + 1, latest + 1) for space in (" ", "\t")) + 1 or latest
        parts.append(text[begin:end].strip())
        begin = end
    return [*parts, text[begin:].strip()]


def _pack(parts: Iterator[str | Iterator[str]], count: Count) -> Iterator[str]:
    gathered: list[str] = []
    for part in parts:
        if not isinstance(part, str):
            yield from _joined(gathered)
            gathered = []
            yield from _fill(part, count, overlap=1)
        elif gathered and count("\n\n".join([*gathered, part])) > _TARGET:
            yield from _joined(gathered)
            gathered = [part]
        else:
            gathered.append(part)
    yield from _joined(gathered)


def _joined(parts: list[str]) -> list[str]:
    return ["\n\n".join(parts)] if parts else []


def _fill(units: Iterable[str], count: Count, *, overlap: int) -> Iterator[str]:
    filled: list[str] = []
    size = 0
    for unit in units:
        own = count(unit)
        if filled and size + own > _TARGET:
            yield "".join(filled).strip()
            filled = filled[-overlap:] if overlap else []
            size = sum(count(again) for again in filled)
        filled.append(unit)
        size += own
    if filled:
        yield "".join(filled).strip()
