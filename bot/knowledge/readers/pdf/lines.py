"""The characters of a PDF page as lines, each with its place and size."""

import ctypes
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import pypdfium2.raw as pdfium

_PDFIUM: Final[Any] = pdfium
HYPHEN: Final = "\x02"
"""Ends a line within a word."""


class Box(NamedTuple):
    """A place on a page, in points from its lower left corner."""

    left: float
    bottom: float
    right: float
    top: float


class Sign(NamedTuple):
    """A character and where it stands; a space may stand nowhere."""

    text: str
    box: Box | None


class Line(NamedTuple):
    """Characters that stand beside each other."""

    text: str
    box: Box
    size: float
    """How high its letters are, accents and tails included."""
    goes_on: bool = False
    """Whether it ends within a word, at a hyphen."""


def signs_of(page: Any) -> list[Sign]:
    """Return a page's characters in reading order."""
    text_page = page.get_textpage()
    raw, box = text_page.raw, pdfium.FS_RECTF()
    signs: list[Sign] = []
    for place in range(_PDFIUM.FPDFText_CountChars(raw)):
        sign = _sign(_PDFIUM.FPDFText_GetUnicode(raw, place), is_hyphen=_PDFIUM.FPDFText_IsHyphen(raw, place) == 1)
        has_place = not sign.isspace() and _PDFIUM.FPDFText_GetLooseCharBox(raw, place, ctypes.byref(box))
        signs.append(Sign(sign, Box(box.left, box.bottom, box.right, box.top) if has_place else None))
    text_page.close()
    return signs


def lines_of(signs: list[Sign]) -> Iterator[Line]:
    """Yield the lines that characters make."""
    gathered: list[Sign] = []
    for sign in [*signs, Sign("\n", None)]:
        if sign.text not in ("\n", HYPHEN):
            gathered.append(sign)
            continue
        if line := _line(gathered, goes_on=sign.text == HYPHEN):
            yield line
        gathered = []


def whole_words(text: str) -> str:
    """Return a text without the hyphens at which lines end: "authorization", but "COVID-19"."""
    first, *others = text.split(HYPHEN)
    return first + "".join(other if other[:1].islower() else f"-{other}" for other in others)


def _line(signs: list[Sign], *, goes_on: bool) -> Line | None:
    boxes = [sign.box for sign in signs if sign.box]
    text = " ".join("".join(sign.text for sign in signs).split())
    if not boxes or not text:
        return None
    sizes = sorted(box.top - box.bottom for box in boxes)
    box = Box(
        min(box.left for box in boxes),
        min(box.bottom for box in boxes),
        max(box.right for box in boxes),
        max(box.top for box in boxes),
    )
    return Line(text, box, sizes[len(sizes) // 2], goes_on=goes_on)


def _sign(code: int, *, is_hyphen: bool) -> str:
    if is_hyphen:
        return HYPHEN
    # A PDF writes 16 bits at a time; half a sign beyond them, and what no encoding holds, is left out.
    if code in (0, 0xFFFE, 0xFFFF) or 0xD800 <= code < 0xE000:  # noqa: PLR2004
        return ""
    return "\n" if code in (10, 13) else chr(code)
