"""Decodes bytes in any usual encoding."""

import codecs
from typing import Final

from charset_normalizer import from_bytes

from bot.errors import KnowledgeError
from graph import patterns

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED: Final = patterns.compile(r"(?:charset|encoding|coding)\s*[=:]\s*[\"']?([\w.-]+)", patterns.IGNORE_CASE)
_DECLARED_WITHIN: Final = 1024
_SINGLE_BYTE: Final = [
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "iso8859_2", "koi8_r", "mac_roman",
    "cp437", "cp850",
]  # fmt: skip
_EAST_ASIAN: Final = ["shift_jis", "euc_jp", "gb18030", "big5", "euc_kr"]
"""Common encodings. Each further one could be mistaken for another on a short text."""
_NOT_TEXT: Final = "The file is not text: export it as Markdown, text or HTML."
_SAMPLE: Final = 200_000
_BEYOND_ASCII: Final = bytes(range(128, 256))
_MOST_ASCII: Final = 0.8
"""A text with a larger share of ASCII is not East Asian."""
_WESTERN: Final = "cp1252"
_CONTROLS: Final = frozenset(map(chr, (*range(9), *range(14, 27), *range(28, 32), *range(0x7F, 0xA0))))
"""Control characters, which text does not hold, except for ends of lines and pages, and U+0085."""


def decode(content: bytes) -> str:
    """Return the text with normalised line ends. Raises `KnowledgeError` if the content is no text."""
    text = _decoded(content)
    if "\0" in text:
        raise KnowledgeError(_NOT_TEXT)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decoded(content: bytes) -> str:
    marked = next((name for mark, name in _MARKS if content.startswith(mark)), None) or _wide(content)
    for name in [marked] if marked else ["utf-8", _declared(content)]:
        try:
            return content.decode(name)
        except (UnicodeError, LookupError):
            continue
    if marked or b"\0" in content:
        raise KnowledgeError(_NOT_TEXT)
    return _guessed(content)


def _wide(content: bytes) -> str | None:
    """Return the UTF-16 variant of a text without byte-order mark, if every other byte is mostly zero."""
    sample = content[: _SAMPLE & ~1]
    half = len(sample) // 2
    odd, even = sample[1::2].count(0), sample[::2].count(0)
    if half and odd > half * 0.5 and even < half * 0.05:
        return "utf-16-le"
    return "utf-16-be" if half and even > half * 0.5 and odd < half * 0.05 else None


def _declared(content: bytes) -> str:
    found = _DECLARED.search(content[:_DECLARED_WITHIN].decode("latin-1"))
    return found[1] if found else "utf-8"


def _guessed(content: bytes) -> str:
    """Return the likeliest decoding. Western wins a tie, because most files are."""
    sample = content[:_SAMPLE]
    is_mostly_ascii = len(sample.translate(None, _BEYOND_ASCII)) > _MOST_ASCII * len(sample)
    found = from_bytes(sample, cp_isolation=_SINGLE_BYTE if is_mostly_ascii else [*_SINGLE_BYTE, *_EAST_ASIAN])
    best = found.best()
    if best is None:
        raise KnowledgeError(_NOT_TEXT)
    western = next((match for match in found if match.encoding == _WESTERN), best)
    is_western = western.chaos <= best.chaos and western.coherence >= best.coherence
    text = content.decode((western if is_western else best).encoding, "replace")
    if len(_CONTROLS.intersection(text)) > 1:
        raise KnowledgeError(_NOT_TEXT)
    return text
