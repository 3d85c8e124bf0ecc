"""Which files are read, by how their names end, and by whom."""

from typing import Final

MARKDOWN: Final = frozenset({".md", ".markdown"})
TEXT: Final = frozenset({".txt", ".text"})
HTML: Final = frozenset({".html", ".htm"})
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
"""The module in `bot.knowledge.readers` that reads it, in a child process."""
READABLE: Final = frozenset({*MARKDOWN, *TEXT, *HTML, *APART})
NAMED: Final = (
    "Markdown, text, HTML, PDF, Word, PowerPoint, Excel, CSV, mail (.eml), reStructuredText, AsciiDoc and JSON"
)
