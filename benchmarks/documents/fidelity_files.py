"""Writes one known text in each format, by other libraries than those that read it wherever there is one."""

import io
import json
import quopri
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any, Final

import xlsxwriter
from docx import Document as WordDocument
from pptx import Presentation
from pptx.util import Inches
from reportlab.lib.colors import black
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    ListFlowable,
    PageTemplate,
    Paragraph,
    Preformatted,
    Table,
)

Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Section:
    """What stands below a heading."""

    heading: str
    level: int = 1
    texts: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    rows: Rows = ()
    """A table, its head first."""
    code: str = ""

    def lines(self) -> list[str]:
        """Return all that it says, in the order of reading."""
        return [self.heading, *self.texts, *self.items, *(" ".join(row) for row in self.rows), *self.code.splitlines()]


TITLE: Final = "Travel and equipment policy"
SECTIONS: Final = (
    Section(
        heading="Hotels",
        texts=(
            "A night costs at most 145 € in cities, and 120 € elsewhere; breakfast (9.50 €) is paid with the room.",
            "Whoever needs more asks the travel desk, and gets an answer within two working days, also in Advent.",
            "Rooms near an office are booked by its reception, which keeps a list of houses without a deposit.",
        ),
    ),
    Section(
        heading="Allowances by country",
        level=2,
        texts=("The rates hold from the day of departure.",),
        rows=(
            ("Country", "Per day", "Per night", "Above 1,500 m"),
            ("Germany", "28 €", "145 €", "160 €"),
            ("Portugal", "26 €", "130 €", "135 €"),
            ("Switzerland", "66 CHF", "180 CHF", "210 CHF"),
            ("Österreich", "33 €", "128 €", "141 €"),
        ),
    ),
    Section(
        heading="Trains and cars",
        texts=("Trains come first.",),
        items=(
            "Second class below three hours",
            "First class above three hours, or with a night on board",
            "A kilometre in your own car is paid with 31 cents",
        ),
    ),
    Section(
        heading="Charging electric cars",
        level=2,
        texts=("Owners of electric cars ask first: the sockets in Porto's garage carry 16 amperes only.",),
    ),
    Section(
        heading="Who pays a broken wallbox",
        level=3,
        texts=("The facility team, up to 400 € a year; what is above that is the owner's.",),
    ),
    Section(
        heading="Equipment",
        texts=("Laptops are replaced after four years. Screens stay until they fail.",),
        rows=(("Item", "Years", "Whom to ask"), ("Laptop", "4", "IT desk"), ("Phone", "3", "IT desk")),
    ),
    Section(
        heading="Registering a device",
        level=2,
        texts=("Run this once, with the number on the lid:",),
        code="enrol --serial 00-4711 \\\n  --owner ada",
        items=("Wait for the mail", "Restart the device"),
    ),
)


def text_of(sections: Sequence[Section]) -> str:
    """Return Markdown."""
    parts = [f"# {TITLE}"]
    for one in sections:
        parts += [f"#{'#' * one.level} {one.heading}", *one.texts, "\n".join(f"- {item}" for item in one.items)]
        if one.rows:
            head, *rows = one.rows
            parts.append("\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)))
        parts.append(f"```\n{one.code}\n```" if one.code else "")
    return "\n\n".join(part for part in parts if part)


def html_of(sections: Sequence[Section]) -> str:
    """Return a page with a menu."""
    parts: list[str] = []
    for one in sections:
        parts += [f"<h{1 + one.level}>{escape(one.heading)}</h{1 + one.level}>"]
        parts += [f"<p>{escape(text)}</p>" for text in one.texts]
        parts += ["<ul>", *(f"<li>{escape(item)}</li>" for item in one.items), "</ul>"] if one.items else []
        parts += [f"<table>{''.join(map(_html_row, one.rows))}</table>"] if one.rows else []
        parts += [f"<pre><code>{escape(one.code)}</code></pre>"] if one.code else []
    menu = "<nav><a href='/'>Home</a></nav><script>track()</script>"
    return (
        f"<!doctype html><meta charset=utf-8><title>{TITLE}</title><body>{menu}<h1>{TITLE}</h1>{''.join(parts)}</body>"
    )


def _html_row(row: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>"


def rst_of(sections: Sequence[Section]) -> str:
    """Return reStructuredText, with grid tables."""
    parts = [f"{'=' * len(TITLE)}\n{TITLE}\n{'=' * len(TITLE)}"]
    for one in sections:
        parts += [f"{one.heading}\n{'=-~'[one.level - 1] * len(one.heading)}", *one.texts]
        parts += ["\n".join(f"* {item}" for item in one.items), _grid(one.rows) if one.rows else ""]
        parts += ["::\n\n" + "\n".join(f"    {line}" for line in one.code.splitlines())] if one.code else []
    return "\n\n".join(part for part in parts if part)


def _grid(rows: Rows) -> str:
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = [_rule(widths, "-")]
    for number, row in enumerate(rows):
        cells = (f" {cell.ljust(width)} " for cell, width in zip(row, widths, strict=True))
        lines += [f"|{'|'.join(cells)}|", _rule(widths, "-" if number else "=")]
    return "\n".join(lines)


def _rule(widths: Sequence[int], sign: str) -> str:
    return f"+{'+'.join(sign * (width + 2) for width in widths)}+"


def asciidoc_of(sections: Sequence[Section]) -> str:
    """Return AsciiDoc."""
    parts = [f"= {TITLE}"]
    for one in sections:
        parts += [f"{'=' * (1 + one.level)} {one.heading}", *one.texts, "\n".join(f"* {item}" for item in one.items)]
        if one.rows:
            lines = (" ".join(f"| {cell}" for cell in row) for row in one.rows)
            parts.append("\n".join(["[options=header]", "|===", *lines, "|==="]))
        parts.append(f"----\n{one.code}\n----" if one.code else "")
    return "\n\n".join(part for part in parts if part)


def mail_of(sections: Sequence[Section]) -> bytes:
    """Return a mail in quoted-printable, written by hand."""
    head = f"From: ada@lumenpine.example\nSubject: {TITLE}\nDate: Wed, 12 Mar 2025 10:00:00 +0100\nMIME-Version: 1.0\n"
    body = "\n\n".join("\n".join([*one.texts, *(f"- {item}" for item in one.items)]) for one in sections)
    kind = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
    return (head + kind).encode() + quopri.encodestring(body.encode())


def json_of(sections: Sequence[Section]) -> str:
    """Return an object for each section, its table as objects."""
    said = {one.heading: _json_value(one) for one in sections}
    return json.dumps({"title": TITLE, **said}, ensure_ascii=False)


def _json_value(one: Section) -> dict[str, Any]:
    rows = [dict(zip(one.rows[0], row, strict=True)) for row in one.rows[1:]]
    parts = {"about": list(one.texts), "steps": list(one.items), "rates": rows, "command": one.code}
    return {name: part for name, part in parts.items() if part}


def pdf_of(sections: Sequence[Section], *, columns: int = 1) -> bytes:
    """Return pages in one or two columns."""
    styles = getSampleStyleSheet()
    # By default, a title is no larger than a heading of the first level.
    story: list[Flowable] = [Paragraph(TITLE, ParagraphStyle("Largest", parent=styles["Title"], fontSize=26))]
    for one in sections:
        story.append(Paragraph(one.heading, styles[f"Heading{one.level}"]))
        story += [Paragraph(text, styles["Normal"]) for text in one.texts]
        story += [ListFlowable([Paragraph(item, styles["Normal"]) for item in one.items], bulletType="bullet")]
        story += [Table(one.rows, style=[("GRID", (0, 0), (-1, -1), 0.5, black)])] if one.rows else []
        story += [Preformatted(one.code, styles["Code"])] if one.code else []
    made = io.BytesIO()
    width = (A4[0] - 72) / columns
    frames = [Frame(36 + place * width, 36, width, A4[1] - 72) for place in range(columns)]
    BaseDocTemplate(made, pagesize=A4, pageTemplates=[PageTemplate(frames=frames)]).build(story)
    return made.getvalue()


def word_of(sections: Sequence[Section]) -> bytes:
    """Return a Word file."""
    document = WordDocument()
    document.add_heading(TITLE, 0)
    for one in sections:
        document.add_heading(one.heading, one.level)
        for text in one.texts:
            document.add_paragraph(text)
        for item in one.items:
            document.add_paragraph(item, style="List Bullet")
        table = document.add_table(rows=0, cols=len(one.rows[0])) if one.rows else None
        for row in one.rows if table else ():
            for cell, text in zip(table.add_row().cells, row, strict=True) if table else ():
                cell.text = text
        if one.code:
            document.add_paragraph(one.code)
    return _saved(document)


def slides_of(sections: Sequence[Section]) -> bytes:
    """Return a slide for each section."""
    deck = Presentation()
    for one in (Section(heading=TITLE), *sections):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        title = slide.shapes.title
        assert title
        title.text = one.heading
        box = slide.shapes.add_textbox(Inches(1), Inches(2), Inches(8), Inches(2)).text_frame
        box.text = "\n".join([*one.texts, *one.items])
        if one.rows:
            size = len(one.rows), len(one.rows[0])
            table = slide.shapes.add_table(*size, Inches(1), Inches(4), Inches(8), Inches(2)).table
            for place, row in enumerate(one.rows):
                for column, text in enumerate(row):
                    table.cell(place, column).text = text
        if one.code:
            slide.shapes.add_textbox(Inches(1), Inches(6), Inches(8), Inches(1)).text_frame.text = one.code
    return _saved(deck)


def sheets_of(sections: Sequence[Section]) -> bytes:
    """Return a sheet for each table."""
    made = io.BytesIO()
    with xlsxwriter.Workbook(made) as book:
        for one in sections:
            sheet = book.add_worksheet(one.heading)
            for number, row in enumerate(one.rows):
                sheet.write_row(number, 0, row)
    return made.getvalue()


def csv_of(sections: Sequence[Section]) -> str:
    """Return the first table, divided by semicolons, with quotation marks."""
    return "\n".join(";".join(f'"{cell}"' for cell in row) for row in sections[0].rows)


def _saved(document: Any) -> bytes:
    made = io.BytesIO()
    document.save(made)
    return made.getvalue()


FLAT: Final = tuple(replace(one, level=1) for one in SECTIONS)
"""For formats whose sections do not lie in each other."""
TABLES: Final = tuple(Section(heading=one.heading, rows=one.rows) for one in SECTIONS if one.rows)
PROSE: Final = tuple(Section(heading="", texts=one.texts, items=one.items) for one in SECTIONS)
FILES: Final[Mapping[str, tuple[Callable[[Sequence[Section]], str | bytes], tuple[Section, ...], str]]] = {
    "policy.md": (text_of, SECTIONS, "by hand"),
    "policy.html": (html_of, SECTIONS, "by hand"),
    "policy.rst": (rst_of, SECTIONS, "by hand"),
    "policy.adoc": (asciidoc_of, SECTIONS, "by hand"),
    "policy.json": (json_of, FLAT, "json, which also reads it"),
    "policy.pdf": (pdf_of, SECTIONS, "reportlab"),
    "two_columns.pdf": (lambda sections: pdf_of(sections, columns=2), SECTIONS, "reportlab"),
    "policy.docx": (word_of, SECTIONS, "python-docx"),
    "policy.pptx": (slides_of, FLAT, "python-pptx, which also reads it"),
    "rates.xlsx": (sheets_of, TABLES, "xlsxwriter"),
    "rates.csv": (csv_of, (Section(heading="", rows=SECTIONS[1].rows),), "by hand"),
    "policy.eml": (mail_of, PROSE, "by hand"),
}
"""How each file is made, what of the text it holds, and with what it is written."""
