"""The formats that can be read, by file suffix, with their readers."""

from typing import Final

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
}
"""The same; always in a child process."""
READABLE: Final = frozenset({*OURS, *APART})
NAMED: Final = (
    "Markdown, text, HTML, PDF, Word, PowerPoint, Excel, CSV, mail (.eml), reStructuredText, AsciiDoc and JSON"
)
