"""Turns the bytes of a file into a document."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final, TypeAlias

from bot.errors import KnowledgeError
from bot.knowledge.blocks import OWN_FIELDS, WRITERS, Block, Parsed
from bot.knowledge.connectors.connector import NoTextError
from bot.knowledge.dates import date_of, is_contradicted
from bot.knowledge.documents import Document
from bot.knowledge.language import language_of
from bot.knowledge.readers import html, markdown, text
from bot.knowledge.readers.formats import IN_PROCESS, NAMED, SANDBOXED
from bot.knowledge.readers.ocr.engine import is_installed
from bot.knowledge.sandbox.limits import Limits
from bot.knowledge.sandbox.parent import read_sandboxed
from bot.knowledge.sanitize import sanitized
from graph.documents.versions import REPLACED
from graph.text.credentials import redacted
from graph.text.invisible import bare, in_one_line, visible

_READERS: Final[Mapping[str, Callable[[bytes], Parsed]]] = {
    "markdown": markdown.read,
    "text": text.read,
    "html": html.read,
}
_LARGE: Final[Mapping[str, int]] = {"markdown": 100_000, "text": 100_000, "html": 10_000}
"""Larger files are read in a child process, which takes a third of a second to start and has a time limit. HTML has a
lower bound, because its parser takes quadratic time for unclosed tags."""
_HOW_TO_RECOGNISE: Final = "install text recognition (pip install 'askback[ocr]'; ASKBACK_OCR_PAGES must not be 0)"
_UNTITLED: Final = "Untitled"
_BEGINNING: Final = 6
"""The blocks at the beginning of a document in which it may say that another one replaces it."""
_LONGEST_HEADING = 300
_LONGEST_KEY = 60
_LONGEST_VALUE = 300
_MOST_ATTRIBUTES = 30

Tell: TypeAlias = Callable[[int, int], None]


async def parsed_of(path: str, content: bytes, limits: Limits, tell: Tell = lambda _done, _of: None) -> Parsed:
    """Return the parsed content, ready to be stored. A child process reads foreign or large content.

    `tell` is called with the pages done, and their number, while the text of pictures is recognised.
    """
    if foreign := await read_foreign(path, content, limits, tell):
        return await asyncio.to_thread(sanitized, foreign)
    kind = IN_PROCESS.get(_ending(path))
    if kind and len(content) > _LARGE[kind]:
        return await read_sandboxed(kind, content, limits)
    return await asyncio.to_thread(_parsed_here, path, content)


async def read_foreign(
    path: str, content: bytes, limits: Limits, tell: Tell = lambda _done, _of: None
) -> Parsed | None:
    """Return what a child process reads; `None` for a format that is read in this process."""
    kind = SANDBOXED.get(_ending(path))
    parsed = await read_sandboxed(kind, content, limits) if kind else None
    if not kind or not parsed or not parsed.scans:
        return parsed
    if recognises(limits):
        most = min(parsed.scans, limits.ocr_pages)
        recognised = await read_sandboxed(
            kind, content, limits, pages=limits.ocr_pages, tell=lambda done: tell(done, most)
        )
        return _legible(recognised)
    if not parsed.blocks:
        raise KnowledgeError(f"Its pages are pictures, such as a scan: {_HOW_TO_RECOGNISE}.")
    return replace(parsed, notices=[*parsed.notices, f"To read them: {_HOW_TO_RECOGNISE}."])


def recognises(limits: Limits) -> bool:
    """Tell whether the text of pictures is recognised."""
    return is_installed() and limits.ocr_pages > 0


def _legible(parsed: Parsed) -> Parsed:
    """Return what was recognised. Raises `KnowledgeError` if that is nothing, and `NoTextError` if there is nothing."""
    if parsed.blocks:
        return parsed
    raise KnowledgeError(" ".join(parsed.notices)) if parsed.notices else NoTextError


def parse_document(path: str, content: bytes) -> Document:
    """Parse content in this process. Raises `KnowledgeError` that says what to do."""
    return document_of(path, _parsed_here(path, content))


def document_of(path: str, parsed: Parsed) -> Document:
    """Return the document with title, language and date. Raises `KnowledgeError` if it holds no text."""
    fields = {key: in_one_line(value) for key, value in parsed.fields.items()}
    if not any(block.text for block in parsed.blocks if not block.level):
        raise KnowledgeError("The file holds no text: remove it, or write something below its headings.")
    title, blocks = _title(fields, [_seen(block) for block in parsed.blocks], path)
    if status := _replaced(blocks):
        fields.setdefault("status", status)
    written = "\n\n".join(block.text for block in blocks)
    language = language_of(written, fields.get("language") or fields.get("lang"))
    return Document(
        path=path,
        title=title,
        blocks=tuple(blocks),
        language=language,
        url=fields.get("url") or None,
        notices=tuple(parsed.notices),
        # The document's own date is more reliable than the time of the last save.
        dated=date_of(fields, path, written, language) or _saved(fields.get("saved", ""), path, written),
        attributes=_attributes(fields),
        writers=tuple(fields.get(WRITERS, "").split()),
    )


def _replaced(blocks: list[Block]) -> str:
    """Return what a document says at its beginning of the one that replaces it; empty if it says nothing of that."""
    above = ""
    for block in blocks[:_BEGINNING]:
        lines = () if block.level else block.text.splitlines()
        for found in filter(None, (REPLACED.match(line.strip()) for line in lines)):
            if found.has("named") or found.has("sure") or "](" in found["by"] or above == "status":
                return in_one_line(found["status"])
        above = block.text.casefold() if block.level else above
    return ""


def _saved(saved: str, path: str, written: str) -> str | None:
    """Return the date of the last save, unless a file's properties and its text are from different years."""
    # Only a file may be made from a template: Notion itself says when a page was edited.
    is_template = _ending(path) in SANDBOXED and is_contradicted(saved, written)
    return None if is_template else date_of({"date": saved}, "", "")


def _attributes(fields: dict[str, str]) -> dict[str, str]:
    """Return what divides documents; a model reads it with every passage, so it is short."""
    shown = {key: value for key, value in fields.items() if bare(value).strip() and key not in OWN_FIELDS}
    short = {key: value for key, value in shown.items() if len(key) <= _LONGEST_KEY and len(value) <= _LONGEST_VALUE}
    return dict(islice(short.items(), _MOST_ATTRIBUTES))


def _seen(block: Block) -> Block:
    if not block.level:
        return replace(block, text=visible(block.text))
    heading = in_one_line(block.text)
    # Headings appear above every passage, for people and models. A heading this long is body text.
    return Block(text=heading) if len(heading) > _LONGEST_HEADING else replace(block, text=heading)


def _parsed_here(path: str, content: bytes) -> Parsed:
    read = _READERS.get(IN_PROCESS.get(_ending(path), ""))
    if read is None:
        which = f"Files that end in {_ending(path)}" if _ending(path) else "Files whose names have no ending"
        raise KnowledgeError(f"{which} cannot be read: give {NAMED}.")
    try:
        return read(content)
    except RecursionError as error:
        raise KnowledgeError("The file is nested too deeply to be read: simplify it.") from error


def _ending(path: str) -> str:
    return Path(path).suffix.lower()


def _title(fields: dict[str, str], blocks: list[Block], path: str) -> tuple[str, list[Block]]:
    # People click on a title, and choose among titles: one that nobody sees is none.
    given = fields.get("title", "") if bare(fields.get("title", "")).strip() else ""
    # A heading that equals the title would appear twice above every passage.
    heads = blocks and blocks[0].level == 1 and bare(blocks[0].text).strip()
    if heads and (not given or given.strip() == blocks[0].text):
        return blocks[0].text, blocks[1:]
    # A file's name is no part of its text, so nobody has looked for keys in it.
    named = " ".join(redacted(Path(path).stem).replace("-", " ").replace("_", " ").split())
    return _short(given or (named[:1].upper() + named[1:] if bare(named).strip() else _UNTITLED)), blocks


def _short(title: str) -> str:
    """Return a title, cut to the length that people and models see."""
    return title if len(title) <= _LONGEST_HEADING else f"{title[: _LONGEST_HEADING - 1]}…"
