"""Signs that nobody sees and that change what is seen: they steer a terminal, or turn a text's direction (pure)."""

from typing import Final

_CONTROLS: Final = [code for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"]
_TURNING: Final = [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C]
_UNSEEN: Final = dict.fromkeys([*_CONTROLS, *_TURNING])
_NAMED: Final = {code: f"\\u{code:04x}" for code in (*_UNSEEN, 0x09, 0x0A, 0x2028, 0x2029)}


def seen(text: str) -> str:
    """Return a text without such signs; lines stay."""
    return text.translate(_UNSEEN)


def in_one_line(text: str) -> str:
    """Return a title, a heading or a label without them, in one line."""
    return " ".join(seen(text).split())


def named(name: str) -> str:
    """Return the name of a file with such signs written out: left out, it could be another file's."""
    return name.translate(_NAMED)
