"""Groups the characters of a PDF page into lines with position and size."""

import ctypes
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import pypdfium2.raw as pdfium

from bot.knowledge.blocks import Block

_PDFIUM: Final[Any] = pdfium
HYPHEN: Final = "\x02"
"""pdfium's mark of a hyphen at a line's end."""
ENDS: Final = ("\n", HYPHEN)
_HYPHENS: Final = (2, 0x2D, 0xAD, 0x2010, 0xFFFE)
_EVERY: Final = 16
"""Ask pdfium for the size once for this many characters; asking for each would take most of the time."""


class Box(NamedTuple):
    """A place on a page, in points from its lower left corner."""

    left: float
    bottom: float
    right: float
    top: float

    @classmethod
    def around(cls, boxes: Sequence["Box"]) -> "Box":
        """Return the place that all of these take."""
        lefts, bottoms, rights, tops = zip(*boxes, strict=True)
        return cls(min(lefts), min(bottoms), max(rights), max(tops))


class Sign(NamedTuple):
    """A character and its position; a space may have none."""

    text: str
    box: Box | None


class PrintedLine(NamedTuple):
    """Characters side by side."""

    text: str
    box: Box
    size: float
    """The height of its letters, including accents and descenders."""
    goes_on: bool = False
    """Whether it ends with a hyphen inside a word."""


Flow: TypeAlias = list[PrintedLine | Block]
"""The lines and finished blocks, such as tables, of a page in reading order."""


def signs_of(page: Any, *, is_each_placed: bool) -> list[Sign]:
    """Return a page's characters in reading order, with positions for enough of them to position the lines."""
    text_page = page.get_textpage()
    raw = text_page.raw
    count, whole = _PDFIUM.FPDFText_CountChars(raw), text_page.get_text_range()
    # `pdfium` can return all characters in one call, but that call omits some, so that indices differ.
    codes = map(ord, whole) if len(whole) == count else (_PDFIUM.FPDFText_GetUnicode(raw, at) for at in range(count))
    texts = [_sign(code, raw, place) for place, code in enumerate(codes)]
    signs: list[Sign] = []
    for place, text in enumerate(texts):
        is_at_end = place == 0 or texts[place - 1] in ENDS or (texts[place + 1] if place + 1 < count else "\n") in ENDS
        is_asked = is_each_placed or is_at_end or place % _EVERY == 0
        signs.append(Sign(text, _box(raw, place) if is_asked and not text.isspace() else None))
    text_page.close()
    return signs


def lines_of(signs: list[Sign]) -> Iterator[PrintedLine]:
    """Yield the lines of the characters."""
    gathered: list[Sign] = []
    for sign in [*signs, Sign("\n", None)]:
        if sign.text not in ENDS:
            gathered.append(sign)
            continue
        if line := _line(gathered, goes_on=sign.text == HYPHEN):
            yield line
        gathered = []


def whole_words(text: str) -> str:
    """Remove hyphens at line ends: "authorization", but "COVID-19"."""
    first, *others = text.split(HYPHEN)
    return first + "".join(other if other[:1].islower() else f"-{other}" for other in others)


def _line(signs: list[Sign], *, goes_on: bool) -> PrintedLine | None:
    boxes = [sign.box for sign in signs if sign.box]
    text = " ".join("".join(sign.text for sign in signs).split())
    if not boxes or not text:
        return None
    sizes = sorted(box.top - box.bottom for box in boxes)
    return PrintedLine(text, Box.around(boxes), sizes[len(sizes) // 2], goes_on=goes_on)


def _sign(code: int, raw: Any, place: int) -> str:
    if code in _HYPHENS and _PDFIUM.FPDFText_IsHyphen(raw, place) == 1:
        return HYPHEN
    # A PDF stores 16-bit units. Half a surrogate pair is dropped.
    if code in (0, 0xFFFE, 0xFFFF) or 0xD800 <= code < 0xE000:  # noqa: PLR2004 - As Unicode has it.
        return ""
    return "\n" if code in (10, 13) else chr(code)


def _box(raw: Any, place: int) -> Box | None:
    box = _PDFIUM.FS_RECTF()
    if not _PDFIUM.FPDFText_GetLooseCharBox(raw, place, ctypes.byref(box)):
        return None
    return Box(box.left, box.bottom, box.right, box.top)
