"""PDF: `pdfium` returns the position of each character; positions and sizes give the structure."""

from collections import Counter
from functools import partial
from typing import Any, Final

import pypdfium2
import pypdfium2.raw as pdfium
from PIL.Image import Image

from bot.errors import KnowledgeError
from bot.knowledge.blocks import Block, Parsed
from bot.knowledge.readers.ocr.engine import SIDE
from bot.knowledge.readers.ocr.layout import evened
from bot.knowledge.readers.ocr.recognition import Recognition, named
from bot.knowledge.readers.pdf.lines import Flow, PrintedLine, lines_of, signs_of
from bot.knowledge.readers.pdf.paragraphs import blocks_of
from bot.knowledge.readers.pdf.tables import grids_of, without_tables
from bot.knowledge.readers.titles import titled
from graph import patterns

_MOST_PAGES: Final = 5_000
_MARGIN: Final = 0.1
"""Share of a page's height, at top and bottom, that may hold running heads and page numbers."""
_FEWEST_HEADS: Final = 2
_DIGITS: Final = patterns.compile(r"\d+")
_DAY: Final = patterns.compile(r"^D:(\d{4})(\d{2})(\d{2})")
_NO_DAY: Final = "D:20000101000000"
"""What programs say that write the same bytes each time, such as ReportLab."""


def read(content: bytes, recognition: Recognition | None = None) -> Parsed:
    """Return the text without running heads; that of pictures if it is to be recognised. Otherwise count these pages.

    Raises `KnowledgeError` if the file cannot be opened, or has too many pages.
    """
    document = _opened(content)
    if len(document) > _MOST_PAGES:
        raise KnowledgeError(f"The file has {len(document)} pages, more than {_MOST_PAGES}: split it.")
    pages: list[Flow] = []
    recognised: dict[int, Flow] = {}
    heights: list[float] = []
    for place, page in enumerate(document):
        pages.append(_flow(page))
        heights.append(page.get_height())
        if recognition and not pages[-1]:
            recognised[place] = recognition.flow(place + 1, partial(_picture, page))
        page.close()
    for place, flow in zip(recognised, evened(list(recognised.values())), strict=True):
        pages[place] = flow
    blocks = blocks_of(_without_heads(pages, heights))
    if recognition:
        fields = {**_fields(document), **recognition.fields()}
        return titled(Parsed(blocks=blocks, fields=fields, notices=recognition.notices()))
    empty = [number for number, flow in enumerate(pages, 1) if not flow]
    notice = f"{len(empty)} of {len(pages)} pages hold no text, such as a scan: {named(empty)}."
    notices = [notice] if empty else []
    return titled(Parsed(blocks=blocks, fields=_fields(document), notices=notices, scans=len(empty)))


def _opened(content: bytes) -> Any:
    try:
        return pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        if pdfium.FPDF_GetLastError() == pdfium.FPDF_ERR_PASSWORD or "password" in str(error).lower():
            raise KnowledgeError("The file has a password: save it without one.") from error
        raise KnowledgeError("The file is damaged, or only half of it is here: save it again.") from error


def _flow(page: Any) -> Flow:
    flow: Flow = []
    grids = grids_of(page)
    for part in without_tables(signs_of(page, is_each_placed=bool(grids)), grids):
        flow += lines_of(part) if isinstance(part, list) else part.blocks()
    return flow


def _picture(page: Any) -> tuple[Image, float]:
    """Draw a page, and return it with the width of a pixel in points."""
    longer = max(page.get_size())
    return page.render(scale=SIDE / longer, grayscale=True).to_pil(), longer / SIDE


def _is_in_margin(line: PrintedLine | Block, height: float) -> bool:
    return isinstance(line, PrintedLine) and (
        line.box.bottom > (1 - _MARGIN) * height or line.box.top < _MARGIN * height
    )


def _sameness(line: PrintedLine | Block) -> str:
    return _DIGITS.sub(lambda _: "0", line.text)


def _without_heads(pages: list[Flow], heights: list[float]) -> Flow:
    margins = [
        [_sameness(line) for line in flow if _is_in_margin(line, height)]
        for flow, height in zip(pages, heights, strict=True)
    ]
    counts = Counter(text for margin in margins for text in set(margin))
    most = max(_FEWEST_HEADS, len(pages) / 2)
    heads = {text for text, count in counts.items() if count >= most}
    kept: Flow = []
    for flow, margin in zip(pages, margins, strict=True):
        again = heads.intersection(margin)
        kept += [line for line in flow if _sameness(line) not in again]
    return kept


def _fields(document: Any) -> dict[str, str]:
    metadata: dict[str, str] = document.get_metadata_dict()
    stamps = (metadata.get(key, "") for key in ("ModDate", "CreationDate"))
    days = (_DAY.search(stamp) for stamp in stamps if not stamp.startswith(_NO_DAY))
    day = next(filter(None, days), None)
    return {"title": metadata.get("Title", "").strip(), "saved": f"{day[1]}-{day[2]}-{day[3]}" if day else ""}
