"""Removes invisible characters that control a terminal or change the direction of text (pure)."""

from typing import Final

_CONTROLS: Final = [code for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"]
_TURNING: Final = [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C]
_UNSEEN: Final = dict.fromkeys([*_CONTROLS, *_TURNING])
_NAMED: Final = {code: f"\\u{code:04x}" for code in (*_UNSEEN, 0x09, 0x0A, 0x2028, 0x2029)}


def visible(text: str) -> str:
    """Return a text without such characters, with its line breaks."""
    return text.translate(_UNSEEN)


def in_one_line(text: str) -> str:
    """Return a title, heading or label without such characters, in one line."""
    return " ".join(visible(text).split())


def escaped(name: str) -> str:
    """Return a file's name with such characters escaped. Removed, they could make it another file's name."""
    return name.translate(_NAMED)
