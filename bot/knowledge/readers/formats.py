"""The formats that can be read, by file suffix, with their readers."""

from typing import Final

from bot.knowledge.readers.ocr.engine import is_installed

OURS: Final = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".text": "text",
    ".html": "html",
    ".htm": "html",
}
"""The module in `bot.knowledge.readers`. A large file is read in a child process."""
APART: Final = {
    ".pdf": "pdf.document",
    ".docx": "docx",
    ".pptx": "pptx",
    ".xlsx": "xlsx",
    ".csv": "csv",
    ".tsv": "csv",
    ".eml": "mail",
    ".rst": "rst",
    ".adoc": "asciidoc",
    ".asciidoc": "asciidoc",
    ".json": "json",
    ".jsonl": "json",
    ".png": "ocr.picture",
    ".jpg": "ocr.picture",
    ".jpeg": "ocr.picture",
}
"""The same; always in a child process."""
PICTURES: Final = frozenset(ending for ending, kind in APART.items() if kind == "ocr.picture")
"""Files and people's uploads only: a site or a repository is full of logos."""
READABLE: Final = frozenset({*OURS, *APART}) - PICTURES
NAMED: Final = (
    "Markdown, text, HTML, PDF, Word, PowerPoint, Excel, CSV, mail (.eml), reStructuredText, AsciiDoc and JSON"
)


def is_readable(ending: str) -> bool:
    """Tell whether files with this ending, such as `.md`, can be read. Pictures need the extra `ocr`."""
    return ending in READABLE or (ending in PICTURES and is_installed())
