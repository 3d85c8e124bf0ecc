"""What every reader makes of a file: blocks in reading order, and what the file says of itself."""

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Block:
    """A heading, or the text between two blank lines."""

    text: str
    """Markdown; a heading without its marks."""
    level: int = 0
    """1–6 for a heading, 0 for text."""
    whole: bool = False
    """Whether it means nothing in parts: a table or code."""


@dataclass(frozen=True, kw_only=True)
class Parsed:
    """A file's blocks, and what stands beside them."""

    blocks: list[Block]
    fields: dict[str, str] = field(default_factory=dict[str, str])
    """Keys in lower case: title, url, language, dates; `saved` is when a program last wrote the file."""
    notices: list[str] = field(default_factory=list[str])
    """What was left out, in sentences."""
