"""The formats that can be read, by file suffix, with their readers."""

from typing import Final

from bot.knowledge.readers.ocr.engine import is_installed

IN_PROCESS: Final = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".text": "text",
    ".html": "html",
    ".htm": "html",
}
"""Modules of `bot.knowledge.readers` that read in this process; a large file, in a sandboxed child process."""
SANDBOXED: Final = {
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
"""Modules that always read in such a child process."""
PICTURES: Final = frozenset(ending for ending, kind in SANDBOXED.items() if kind == "ocr.picture")
"""Files and people's uploads only: a site or a repository is full of logos."""
READABLE: Final = frozenset({*IN_PROCESS, *SANDBOXED}) - PICTURES
NAMED: Final = (
    "Markdown, text, HTML, PDF, Word, PowerPoint, Excel, CSV, mail (.eml), reStructuredText, AsciiDoc and JSON"
)


def is_readable(ending: str) -> bool:
    """Tell whether files with this ending, such as `.md`, can be read. Pictures need the extra `ocr`."""
    return ending in READABLE or (ending in PICTURES and is_installed())
