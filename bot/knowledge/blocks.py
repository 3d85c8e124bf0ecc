"""The result of every reader: blocks in reading order, and the file's own fields."""

from dataclasses import dataclass, field
from typing import Final

from graph import patterns

WRITERS: Final = "slack_writers"
"""The field with the ids of people in Slack whose words a document holds."""
OWN_FIELDS: Final = frozenset(
    {"title", "url", "language", "lang", "viewport", "charset", "generator", "saved", WRITERS}
)
"""The fields that say something of a document itself. All others are its attributes."""
_BLANK_LINES: Final = patterns.compile(r"\n\s*\n")


@dataclass(frozen=True, kw_only=True)
class Block:
    """A heading, or the text between two blank lines."""

    text: str
    """Markdown; a heading without `#`."""
    level: int = 0
    """1–6 for a heading, 0 for text."""
    whole: bool = False
    """Whether it must not be split: a table or code."""


@dataclass(frozen=True, kw_only=True)
class Parsed:
    """A file's blocks and fields."""

    blocks: list[Block]
    fields: dict[str, str] = field(default_factory=dict[str, str])
    """Lower-case keys: title, url, language, dates; `saved` is when a program last wrote the file."""
    notices: list[str] = field(default_factory=list[str])
    """What was left out, one sentence each."""
    scans: int = 0
    """Pages that are pictures, and can be read by text recognition."""


def paragraphs_in(text: str) -> list[str]:
    """Return what blank lines divide."""
    return [part.strip() for part in _BLANK_LINES.split(text) if part.strip()]


def quoted(text: str) -> str:
    """Return a text as a quotation of Markdown."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())
