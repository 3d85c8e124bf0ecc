"""Finds the beginning of a growing Markdown text that looks the same whatever follows.

A block is stable once another block has begun below it, and a list item once the next item has. In the last block, if
it is a paragraph, the part without an open mark is stable.
"""

from collections.abc import Sequence
from typing import Final

from markdown_it.token import Token

from bot.slack.blocks.markdown_tree import parsed_blocks, parsed_inline
from graph import patterns

_OPEN_AT_THE_END: Final = patterns.compile(
    r"(?:\S*[:/@]\S+|\S+\.\w+|\\|&[#\w]*|\]|\n\s*(?:\d{1,9}[.)]?|[-+*#>=]+)\s*)\z", patterns.IGNORE_CASE
)
"""An address, an escape, a sign's name, a label whose address may follow, or the beginning of another block."""
_MARKER: Final = patterns.compile(r"^\s*(?:[-+*]|\d{1,9}[.)])\s+")
_SIGNS: Final = frozenset("`*_~[]<")
_MOST_TRIES: Final = 16
_LONGEST_PARAGRAPH: Final = 3_000
"""Characters; nobody writes more without an empty line, and such a one is shown once it is over."""


def stable_prefix(text: str) -> str:
    """Return the beginning of a text whose look no continuation changes."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    tokens = parsed_blocks("\n".join(lines))
    begins = _line_of_the_last(tokens)
    if begins is None:
        return ""
    before, last = "".join(f"{line}\n" for line in lines[:begins]), "\n".join(lines[begins:])
    if tokens[-1].type == "paragraph_close":
        is_ended = len(lines) > begins + 1 and not lines[-2].strip() and not lines[-1]
        return before + (last if is_ended else _stable_in_paragraph(last))
    if _is_a_line_of_a_list(tokens):
        marker = _MARKER.match(last)
        begun = marker[0] if marker else ""
        item = _stable_in_paragraph(last[len(begun) :])
        return f"{before}{begun}{item}" if item else before
    return before + (last if _is_ended(tokens, last) else "")


def _line_of_the_last(tokens: Sequence[Token]) -> int | None:
    """Return the line in which the last block begins, or the last item of the list that is the last block."""
    tops = [token for token in tokens if token.level == 0 and token.map]
    if not tops:
        return None
    items = [token for token in tokens if token.type == "list_item_open" and token.level == 1]
    is_list = tops[-1].type.endswith("_list_open")
    last = items[-1] if is_list and items else tops[-1]
    return last.map[0] if last.map else None


def _is_a_line_of_a_list(tokens: Sequence[Token]) -> bool:
    """Tell whether the last block is a list, and its last item one paragraph."""
    kinds = [token.type for token in tokens[-6:]]
    item = ["list_item_open", "paragraph_open", "inline", "paragraph_close", "list_item_close"]
    return kinds[:-1] == item and kinds[-1] in ("bullet_list_close", "ordered_list_close") and tokens[-1].level == 0


def _is_ended(tokens: Sequence[Token], last: str) -> bool:
    """Tell whether a block that is no paragraph is over: code by its last fence, a heading or a rule by its line."""
    match tokens[-1].type:
        case "fence":
            lines = last.rstrip().splitlines()
            return len(lines) > 1 and last.endswith("\n") and lines[-1].strip() in _fences(tokens[-1])
        case "heading_close" | "hr":
            return last.endswith("\n")
        case _:
            return False


def _fences(token: Token) -> frozenset[str]:
    sign = token.markup[0]
    return frozenset(sign * count for count in range(len(token.markup), len(token.markup) + 3))


def _stable_in_paragraph(text: str) -> str:
    if "|" in text or len(text) > _LONGEST_PARAGRAPH:
        return ""  # It may be the head of a table, or take long to read again and again.
    end = len(text)
    for _ in range(_MOST_TRIES):
        if found := _OPEN_AT_THE_END.search(text[:end]):
            end = found.start()
        if not _opens(text[:end]):
            return text[:end]
        end = max((text.rfind(sign, 0, end) for sign in _SIGNS), default=0)
        if end <= 0:
            return ""
    return ""


def _opens(text: str) -> bool:
    """Tell whether a text has signs that stand for themselves now, and may become part of something later."""
    plain = "\n".join(token.content for token in parsed_inline(text) if token.type == "text")
    return any(_may_pair(plain, at) for at, sign in enumerate(plain) if sign in _SIGNS)


def _may_pair(text: str, at: int) -> bool:
    before, after = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    match text[at]:
        case "_":
            return not (before.isalnum() and after.isalnum())
        case "[":
            return not _is_citation(text, at)
        case "]":
            return False
        case "<":
            return bool(after) and not after.isspace() and ">" not in text[at:]
        case _:
            return True


def _is_citation(text: str, at: int) -> bool:
    end = text.find("]", at, at + 5)
    return end > at + 1 and text[at + 1 : end].isdecimal()
