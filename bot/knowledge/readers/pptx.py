"""PowerPoint: each slide under its title, shapes from top to bottom, tables, charts and speaker notes."""

import io
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import Any, Final

from pptx import Presentation

from bot.knowledge.blocks import Block, Parsed
from bot.knowledge.readers.archive import opened, properties
from bot.knowledge.readers.rows import table_of
from bot.knowledge.readers.titles import titled

_LEVEL: Final = 2


def read(content: bytes) -> Parsed:
    """Return the visible slides. Raises `KnowledgeError` if the file cannot be opened."""
    archive = opened(content)
    slides: list[Any] = list(Presentation(io.BytesIO(content)).slides)
    shown = [(number, slide) for number, slide in enumerate(slides, 1) if slide.element.get("show") != "0"]
    blocks = [block for number, slide in shown for block in _slide(slide, number)]
    hidden = len(slides) - len(shown)
    notices = [f"{hidden} of {len(slides)} slides are hidden, and were left out."] if hidden else []
    parsed = titled(Parsed(blocks=blocks, fields=properties(archive), notices=notices))
    if "title" in parsed.fields or not blocks or parsed.blocks[0].level == 1:
        return parsed
    return replace(parsed, fields={**parsed.fields, "title": blocks[0].text})


def _slide(slide: Any, number: int) -> Iterator[Block]:
    title = slide.shapes.title
    name = _line(title.text_frame.text) if title is not None else ""
    yield Block(text=name or f"Slide {number}", level=_LEVEL)
    for shape in _in_order(slide.shapes):
        if title is None or shape.shape_id != title.shape_id:
            yield from _shape(shape)
    notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    if notes is not None and notes.text.strip():
        yield Block(text=f"Notes: {_line(notes.text)}")


def _in_order(shapes: Iterable[Any]) -> Iterator[Any]:
    for shape in sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0)):
        if hasattr(shape, "shapes"):
            yield from _in_order(shape.shapes)
        else:
            yield shape


def _shape(shape: Any) -> list[Block]:
    if getattr(shape, "has_table", False):
        return table_of([[cell.text for cell in row.cells] for row in shape.table.rows])
    if getattr(shape, "has_chart", False):
        return _chart(shape.chart)
    return _text(shape.text_frame.paragraphs) if shape.has_text_frame else []


def _text(paragraphs: Iterable[Any]) -> list[Block]:
    lines = [(paragraph.level, _line(paragraph.text)) for paragraph in paragraphs if paragraph.text.strip()]
    if len(lines) > 1:
        return [Block(text="\n".join(f"{'  ' * level}- {text}" for level, text in lines))]
    return [Block(text=text) for _, text in lines]


def _chart(chart: Any) -> list[Block]:
    title = _line(chart.chart_title.text_frame.text) if chart.has_title and chart.chart_title.has_text_frame else ""
    blocks = [Block(text=title)] if title else []
    try:
        plots = list(chart.plots)
    except ValueError:
        # The library does not support 3D, stock and surface charts.
        return blocks
    for plot in plots:
        series = [list(one.values) for one in plot.series]
        rows = [["", *(one.name for one in plot.series)]]
        for category, *values in zip_longest(map(str, plot.categories), *series):
            rows.append([category or "", *("" if value is None else f"{value:g}" for value in values)])
        blocks += table_of(rows)
    return blocks


def _line(text: str) -> str:
    return " ".join(text.split())
