"""Recognises the text of a document's pages, up to a budget, and says which were read and which left out."""

from collections.abc import Callable, Sequence
from typing import Final

from PIL.Image import Image, Transpose

from bot.knowledge.readers.ocr.engine import found_in
from bot.knowledge.readers.ocr.layout import FoundLine, flow_of
from bot.knowledge.readers.pdf.lines import Flow
from graph.passages import BY_OCR, READ_BY

_SURE: Final = 0.93
"""A page whose characters are less sure on average is left out: of blurred, tiny or crossed-out text, many words are
wrong."""
_TURNS: Final = (None, Transpose.ROTATE_180, Transpose.ROTATE_90, Transpose.ROTATE_270)
_NAMED: Final = 10


class Recognition:
    """Recognises pictures of pages."""

    def __init__(self, most: int, tell: Callable[[int], None]) -> None:
        """Recognise `most` pages. `tell` is called with the number of pages done, after each."""
        self._most = most
        self._tell = tell
        self._done = 0
        self._read: list[int] = []
        self._unsure: list[int] = []
        self._beyond: list[int] = []

    def flow(self, number: int, picture_of: Callable[[], tuple[Image, float]]) -> Flow:
        """Return the lines and tables of a page; none if it is blank, illegible, or beyond the budget.

        `picture_of` draws the page, and says how many points a pixel is wide.
        """
        if self._done >= self._most:
            self._beyond.append(number)
            return []
        flow = _sure_flow(*picture_of())
        if flow is None:
            self._unsure.append(number)
        elif flow:
            self._read.append(number)
        self._done += 1
        self._tell(self._done)
        return flow or []

    def fields(self) -> dict[str, str]:
        """Return the field that says that a document was read by OCR."""
        return {READ_BY: BY_OCR} if self._read else {}

    def notices(self) -> list[str]:
        """Say which pages were read and which were left out: one sentence for each reason."""
        pages = {
            "read by text recognition (OCR), which may err": self._read,
            "left out, because text recognition (OCR) is not sure of them; scan them again, upright and sharp":
                self._unsure,
            f"left out, because at most {self._most} of a document are recognised (ASKBACK_OCR_PAGES)": self._beyond,
        }  # fmt: skip
        return [f"Pages {what}: {named(numbers)}." for what, numbers in pages.items() if numbers]


def _sure_flow(picture: Image, points: float) -> Flow | None:
    """Return lines and tables in reading order, whichever way it was scanned; `None` if they are not sure."""
    for turn in _TURNS:
        turned = picture if turn is None else picture.transpose(turn)
        found = found_in(turned, points)
        if not found and turn is None:
            return []
        if _sureness(found) >= _SURE:
            return flow_of(found, turned.height * points)
    return None


def _sureness(found: Sequence[FoundLine]) -> float:
    """Return how sure a character is on average (0–1); 0 if there is none."""
    length = sum(len(one.text) for one in found)
    return sum(one.sureness * len(one.text) for one in found) / length if length else 0.0


def named(numbers: Sequence[int]) -> str:
    """Return the numbers of the first pages."""
    return ", ".join(map(str, numbers[:_NAMED])) + (" …" if len(numbers) > _NAMED else "")
