"""Divides a long text into parts, each of which fits one message and renders by itself.

A text is divided between paragraphs if possible, otherwise between lines, sentences or words; never within a link. If
code or a table continues, its part is closed, and the next part opens it again. The text and the place alone decide how
a part opens and closes, so that a growing text always divides in the same way.
"""

from typing import Final

from bot.slack.blocks.markdown import spans
from graph import patterns

PART_LIMIT: Final = 9_000
"""Characters of one part: Slack's limit for a message, less the room for blocks below the last part."""

ANSWER_LIMIT: Final = 60_000
"""Characters of an answer. Nobody reads more in a thread, and an endless model stops here."""

_FULL: Final = 0.75
"""The share of a part from which on it may end."""

_LONGEST_OPENING = 1_000
_LONGEST_CLOSING = 10

_FENCE = patterns.compile(r"^[ ]{0,3}(`{3,9}|~{3,9})([^\n`]{0,100})$", patterns.MULTI_LINE)
_TABLE_RULE = patterns.compile(r"^\s*\|(?:\s*:?-+:?\s*\|)+\s*$")
_BORDERS = (
    patterns.compile(r"\n(?:[ \t]*\n)+"),
    patterns.compile(r"\n"),
    patterns.compile(r"[.!?…][\"'”’)*_\]]*[ \t]+"),
    patterns.compile(r"[ \t]+"),
)
"""The ends of a paragraph, a line, a sentence and a word."""


def parts(text: str) -> list[str]:
    """Return the parts of a complete text, as they are shown."""
    begins, found = 0, list[str]()
    while (ends := division(text, begins)) is not None:
        found.append(part(text, begins, ends))
        begins = ends
    return [*found, part(text, begins, len(text))]


def part(text: str, begins: int, ends: int) -> str:
    """Return the content of one part."""
    return opening(text, begins) + text[begins:ends].rstrip() + closing(text, ends)


def division(text: str, begins: int) -> int | None:
    """Return the place between the part that begins at `begins` and the next one; `None` if it is the last."""
    limit = PART_LIMIT - len(opening(text, begins)) - _LONGEST_CLOSING
    if len(text) - begins <= limit:
        return None
    return _border(text, begins + int(PART_LIMIT * _FULL), begins + limit)


def bounded(text: str) -> str:
    """Return the beginning of a text that an answer shows."""
    if len(text) <= ANSWER_LIMIT:
        return text
    return text[: _border(text, ANSWER_LIMIT - PART_LIMIT // 4, ANSWER_LIMIT)].rstrip()


def opening(text: str, at: int) -> str:
    """Return the beginning of a part at `at`: the code's fence, or the table's head."""
    if fence := _code_around(at, _codes(text)):
        return f"{fence[0].strip()}\n"
    return _table_head(text, at)


def closing(text: str, at: int) -> str:
    """Return the end of a part at `at`: the end of the code's fence."""
    fence = _code_around(at, _codes(text))
    return f"\n{fence[1]}" if fence else ""


def _border(text: str, low: int, high: int) -> int:
    if paragraph := _last_paragraph(text, low, high):
        return paragraph
    kept_whole = list(spans(text))
    for border in _BORDERS[1:]:
        ends = [found.end() for found in border.finditer(text, low, high)]
        if free := [end for end in ends if not any(start < end < stop for start, stop in kept_whole)]:
            return free[-1]
    # Nobody can use a link of this length. Keep it whole only if there is room before it.
    return next((start for start, stop in kept_whole if low < start < high < stop), high)


def _last_paragraph(text: str, low: int, high: int) -> int | None:
    codes = _codes(text)
    ends = [found.end() for found in _BORDERS[0].finditer(text, low, high)]
    return next((end for end in reversed(ends) if _code_around(end, codes) is None), None)


def _codes(text: str) -> list[tuple[patterns.Match, int]]:
    """Return the code blocks in a text: the opening line, and the end."""
    found: list[tuple[patterns.Match, int]] = []
    opened: patterns.Match | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]) and not fence[2].strip():
            found.append((opened, fence.end()))
            opened = None
    return found if opened is None else [*found, (opened, len(text) + 1)]


def _code_around(at: int, codes: list[tuple[patterns.Match, int]]) -> patterns.Match | None:
    """Return the opening line of the code block around a place."""
    return next((fence for fence, end in codes if fence.end() <= at < end), None)


def _table_head(text: str, at: int) -> str:
    """Return the first two lines of the table around a place."""
    if not text[at:].lstrip(" ").startswith("|"):
        return ""
    rows: list[str] = []
    for line in reversed(text[:at].splitlines()):
        if not line.lstrip().startswith("|"):
            break
        rows.append(line)
    head = "".join(f"{line}\n" for line in rows[: -3 if len(rows) > 1 else 0 : -1])
    is_table = len(rows) > 1 and _TABLE_RULE.match(rows[-2])
    return head if is_table and len(head) <= _LONGEST_OPENING else ""
