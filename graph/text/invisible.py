"""Removes characters that nobody sees: those that control a terminal, turn text, or hide words or keys (pure)."""

import unicodedata
from typing import Final

_CONTROLS: Final = [code for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"]
_TURNING: Final = [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C]
_HIDING: Final = [
    0x180E,
    *range(0x2061, 0x2065),
    *range(0x206A, 0x2070),
    *range(0xFFF9, 0xFFFC),
    *range(0xE0000, 0xE1000),
]
"""Signs without a shape of their own. Models read one block of them as letters, which people do not see."""
_UNSEEN: Final = dict.fromkeys([*_CONTROLS, *_TURNING, *_HIDING])
_IGNORED: Final = dict.fromkeys(
    [
        0x00AD, 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0x200B, 0x2010),
        *range(0x2060, 0x2070), 0x3164, *range(0xFE00, 0xFE10), 0xFEFF, 0xFFA0, *range(0xFFF0, 0xFFF9),
        *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B),
        # Marks that no letter has taken up, such as a line through it.
        *range(0x0300, 0x0370), *range(0x0483, 0x048A), *range(0x1AB0, 0x1B00), *range(0x1DC0, 0x1E00),
        *range(0x20D0, 0x2100), *range(0xFE20, 0xFE30),
    ]
)  # fmt: skip
"""Signs that texts in some languages need between letters, and that part a word for a rule and not for a reader."""
_NOT_UTF_8: Final = range(0xD800, 0xE000)
"""What Python makes of the other bytes in a file's name. No database stores it."""
_NAMED: Final = {code: f"\\u{code:04x}" for code in (*_UNSEEN, 0x09, 0x0A, 0x2028, 0x2029, *_NOT_UTF_8)}


def visible(text: str) -> str:
    """Return a text without such characters, with its line breaks."""
    # Most texts have none, and each text is asked several times.
    is_plain = text.isascii() and text.replace("\n", " ").replace("\t", " ").isprintable()
    return text if is_plain else text.translate(_UNSEEN)


def bare(text: str) -> str:
    """Return a text for rules: each letter in its usual form, without any sign that nobody sees."""
    return visible(text) if text.isascii() else visible(unicodedata.normalize("NFKC", text)).translate(_IGNORED)


def in_one_line(text: str) -> str:
    """Return a title, heading or label without such characters, in one line."""
    return " ".join(visible(text).split())


def escaped(name: str) -> str:
    """Return a file's name with such characters escaped. Removed, they could make it another file's name."""
    return name.translate(_NAMED)
