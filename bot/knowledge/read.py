"""Files into documents."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bot.errors import KnowledgeError
from bot.knowledge.dating import date_of
from bot.knowledge.documents import Block, Document
from bot.knowledge.html import html_attributes, html_blocks, parse
from bot.knowledge.language import language_of
from bot.knowledge.markdown import markdown_blocks, split_front_matter
from graph import patterns
from graph.text.credentials import redacted
from graph.text.mails import with_mails_quoted

_MARKDOWN = {".md", ".markdown"}
_TEXT = {".txt", ".text"}
_HTML = {".html", ".htm"}
_READABLE = _MARKDOWN | _TEXT | _HTML
_OWN_FIELDS = {"title", "url", "language", "lang", "viewport", "charset", "generator"}
LARGEST_MB = 5.0
"""Of one file, unless a setting says otherwise: a book has one."""
_LONGEST_HEADING = 70
_BLANK_LINES = patterns.compile(r"\n\s*\n")
_DASHES = patterns.compile(r"[-_]+")


class Found(NamedTuple):
    """The files of a source."""

    files: list[Path]
    """Those that can be read, in order."""
    skipped: Counter[str]
    """How many others there are, by how their names end."""


def find_files(source: Path) -> Found:
    """Return the files of a folder, or the one file; hidden ones are passed over."""
    if source.is_file():
        return Found([source], Counter())
    if not source.is_dir():
        raise KnowledgeError(f"{source} does not exist: give a folder or a file.")
    every = sorted(_walk(source))
    readable = [file for file in every if file.suffix.lower() in _READABLE]
    return Found(readable, Counter(file.suffix.lower() for file in every if file.suffix.lower() not in _READABLE))


def read(source: Path, file: Path) -> Document:
    """Read one file; raise `KnowledgeError` that says what to do."""
    return parse_document(path_below(source, file), content_of(file))


def path_below(source: Path, file: Path) -> str:
    """Return the file's path below its source, with `/`; its name where it is the source."""
    return file.name if file == source else file.relative_to(source).as_posix()


def content_of(file: Path, largest_mb: float = LARGEST_MB) -> bytes:
    """Return the file's bytes; raise `KnowledgeError` if it cannot be opened or is too large."""
    largest = int(largest_mb * 1_000_000)
    try:
        with file.open("rb") as opened:
            content = opened.read(largest + 1)  # It may grow while it is read.
    except OSError as error:
        raise KnowledgeError(f"The file cannot be opened: {error.strerror}. Check its permissions.") from error
    if len(content) > largest:
        raise KnowledgeError(f"The file is larger than {largest_mb:g} MB (ASKBACK_LARGEST_FILE_MB): split it.")
    return content


def parse_document(path: str, content: bytes) -> Document:
    """Return the document that `content` holds; raise `KnowledgeError` that says what to do."""
    written = _decode(content)
    shown = redacted(written)
    try:
        fields, blocks = _parse(Path(path).suffix.lower(), shown)
    except RecursionError as error:
        raise KnowledgeError("The file is nested too deeply to be read: simplify it.") from error
    if not any(block.text for block in blocks if not block.level):
        raise KnowledgeError("The file holds no text: remove it, or write something below its headings.")
    title, blocks = _title(fields, blocks, path)
    text = "\n\n".join(block.text for block in blocks)
    language = language_of(text, fields.get("language") or fields.get("lang"))
    return Document(
        path=path,
        title=title,
        blocks=tuple(blocks),
        language=language,
        url=fields.get("url") or None,
        held_credentials=shown != written,
        dated=date_of(fields, path, text, language),
        attributes={key: value for key, value in fields.items() if value and key not in _OWN_FIELDS},
    )


def _walk(folder: Path) -> Iterator[Path]:
    # A link must not lead out of the folder that was given.
    root = folder.resolve()
    for file in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
        if file.is_file() and not hidden and file.resolve().is_relative_to(root):
            yield file


def _parse(suffix: str, text: str) -> tuple[dict[str, str], list[Block]]:
    if suffix in _HTML:
        page = parse(text)
        return html_attributes(page), html_blocks(page)
    if suffix in _TEXT | _MARKDOWN:
        fields, body = split_front_matter(text)
        marked = with_mails_quoted(body)
        return fields, text_blocks(marked) if suffix in _TEXT else markdown_blocks(marked)
    raise KnowledgeError(f"Files that end in {suffix or 'nothing'} cannot be read: give Markdown, text or HTML.")


def text_blocks(text: str) -> list[Block]:
    """Return paragraphs; a short line that stands alone before one is its heading."""
    paragraphs = [part.strip() for part in _BLANK_LINES.split(text) if part.strip()]
    last = len(paragraphs) - 1
    return [
        Block(text=part, level=1) if _is_heading(part) and place < last else Block(text=part)
        for place, part in enumerate(paragraphs)
    ]


def _is_heading(paragraph: str) -> bool:
    if "\n" in paragraph or paragraph.startswith(">"):
        return False
    return len(paragraph) <= _LONGEST_HEADING and paragraph[-1] not in ".,;!?…"


def _decode(content: bytes) -> str:
    if b"\0" in content:
        raise KnowledgeError("The file is not text: export it as Markdown, text or HTML.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise KnowledgeError("The file is not UTF-8: save it in that encoding.") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _title(fields: dict[str, str], blocks: list[Block], path: str) -> tuple[str, list[Block]]:
    # A heading that is the title would stand twice above every passage.
    heads = blocks and blocks[0].level == 1
    if heads and (not fields.get("title") or fields["title"].strip() == blocks[0].text):
        return blocks[0].text, blocks[1:]
    named = _DASHES.sub(" ", Path(path).stem).strip()
    return fields.get("title") or named[:1].upper() + named[1:], blocks
