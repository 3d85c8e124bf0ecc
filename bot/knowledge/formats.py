"""Which files are read, by how their names end, and by whom."""

from typing import Final

MARKDOWN: Final = frozenset({".md", ".markdown"})
TEXT: Final = frozenset({".txt", ".text"})
HTML: Final = frozenset({".html", ".htm"})
APART: Final = {
    ".pdf": "pdf",
    ".docx": "docx",
}
"""The module in `bot.knowledge.readers` that reads it, in a child process."""
READABLE: Final = frozenset({*MARKDOWN, *TEXT, *HTML, *APART})
NAMED: Final = "Markdown, text, HTML, PDF and Word"
