"""Makes files in foreign formats, like the programs that people use."""

import io
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from email.message import EmailMessage
from typing import Any, Final

from docx import Document as WordDocument
from openpyxl import Workbook
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.slide import Slide
from pptx.util import Inches
from reportlab.lib.colors import black
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    Flowable,
    ListFlowable,
    PageBreak,
    Paragraph,
    SimpleDocTemplate,
    Spacer,
    Table,
)

RATES: Final = [
    ["Country", "Per day", "Per night"],
    ["Germany", "28 EUR", "145 EUR"],
    ["Portugal", "26 EUR", "130 EUR"],
]
HOTELS: Final = (
    "A night costs at most 145 EUR in cities, and 120 EUR elsewhere. Whoever needs more asks the travel desk before"
    " booking, and gets an answer within two working days, also in the weeks before Christmas."
)
CARS: Final = "A kilometre in your own car is paid with 31 cents."
_STYLES: Final = getSampleStyleSheet()
_TITLE: Final = ParagraphStyle("Largest", parent=_STYLES["Title"], fontSize=26, leading=30)


def pdf(**given: Any) -> bytes:
    """Return a travel policy with running heads, a table, a list, and three pages."""
    story: list[Flowable] = [
        Paragraph("Travel policy", _TITLE),
        Paragraph("Effective 12 March 2025.", _STYLES["Normal"]),
        Paragraph("Hotels", _STYLES["Heading1"]),
        Paragraph(HOTELS, _STYLES["Normal"]),
        Spacer(1, 8),
        Table(RATES, style=[("GRID", (0, 0), (-1, -1), 0.5, black)]),
        Paragraph("Trains", _STYLES["Heading1"]),
        ListFlowable(
            [
                Paragraph("Second class below three hours.", _STYLES["Normal"]),
                Paragraph("First class above.", _STYLES["Normal"]),
            ],
            bulletType="bullet",
        ),
        Paragraph("Meals", _STYLES["Heading2"]),
        Paragraph("Breakfast is paid with the room.", _STYLES["Normal"]),
        PageBreak(),
        Paragraph("Cars", _STYLES["Heading1"]),
        Paragraph(CARS, _STYLES["Normal"]),
        PageBreak(),
        Paragraph("Owners of electric cars ask first.", _STYLES["Normal"]),
    ]
    made = io.BytesIO()
    SimpleDocTemplate(made, pagesize=A4, **given).build(story, onFirstPage=_running_head, onLaterPages=_running_head)
    return made.getvalue()


def drawn_pdf(*pages: Callable[[Canvas], None]) -> bytes:
    """Return a PDF whose pages are drawn."""
    made = io.BytesIO()
    canvas = Canvas(made, pagesize=A4)
    for page in pages:
        page(canvas)
        canvas.showPage()
    canvas.save()
    return made.getvalue()


def scan(canvas: Canvas) -> None:
    """Draw shapes without letters."""
    canvas.rect(100, 100, 300, 500, fill=1)


def words(*lines: str, left: float = 72, top: float = 760) -> Callable[[Canvas], None]:
    """Return a function that draws lines of text."""

    def draw(canvas: Canvas) -> None:
        for place, line in enumerate(lines):
            canvas.drawString(left, top - 14 * place, line)

    return draw


def columns(canvas: Canvas) -> None:
    """Draw two columns side by side."""
    words("The first column begins", "and goes on below.", left=72)(canvas)
    words("The second column begins", "and ends here.", left=320)(canvas)


def word() -> bytes:
    """Return a Word file with a title, a list, and a table with a merged cell."""
    document = WordDocument()
    document.core_properties.title = "Word Document"
    document.core_properties.modified = datetime(2025, 4, 2, tzinfo=UTC)
    document.add_heading("Parental leave", 0)
    document.add_paragraph("Both parents may take leave. It is paid for fourteen weeks.")
    document.add_heading("How to ask", 1)
    document.add_paragraph("Talk to your lead.", style="List Bullet")
    document.add_paragraph("Write to the people team.", style="List Bullet")
    document.add_heading("Weeks by country", 2)
    table = document.add_table(rows=0, cols=3)
    for row in (
        ["Country", "Weeks", "Paid"],
        ["Portugal", "21", "100 %"],
        ["Germany", "14", "100 %"],
        ["", "156", "none"],
    ):
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    table.cell(2, 0).merge(table.cell(3, 0))
    return _saved(document)


def long_word(paragraphs: int) -> bytes:
    """Return a Word file with this many paragraphs of 13 words."""
    rules = (f"In the paragraph with the number {n} stands what is the rule {n * 7919}." for n in range(paragraphs))
    return word_of(
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
        + "".join(f"<w:p><w:r><w:t>{rule}</w:t></w:r></w:p>" for rule in rules)
        + "</w:body></w:document>"
    )


def word_with(paragraphs: list[str], *, saved: datetime | None = None) -> bytes:
    """Return a Word file with these paragraphs, last saved then, or with the template's own date."""
    document = WordDocument()
    if saved:
        document.core_properties.modified = saved
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    return _saved(document)


def word_of(xml: str) -> bytes:
    """Return the smallest Word file whose text is that XML."""
    parts = {
        "[Content_Types].xml": '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/'
        'content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships'
        '+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
        'wordprocessingml.document.main+xml"/></Types>',
        "_rels/.rels": '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
        'relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships'
        '/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": xml,
    }
    return zipped({name: text.encode() for name, text in parts.items()})


def zipped(parts: dict[str, bytes]) -> bytes:
    """Return an archive."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return made.getvalue()


def _saved(document: Any) -> bytes:
    made = io.BytesIO()
    document.save(made)
    return made.getvalue()


def _running_head(canvas: Canvas, document: Any) -> None:
    canvas.setFont("Helvetica", 9)
    canvas.drawString(72, 810, "Lumenpine, for internal use")
    canvas.drawRightString(520, 30, f"Page {document.page} of 3")


def slides() -> bytes:
    """Return three slides, one hidden: a list of two levels, a picture's words, a table, a chart, notes."""
    deck = Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[5])
    _entitle(first, "Onboarding")
    lower = first.shapes.add_textbox(Inches(1), Inches(5), Inches(4), Inches(1))
    lower.text_frame.text = "Questions go to the people team."
    upper = first.shapes.add_textbox(Inches(1), Inches(2), Inches(4), Inches(1))
    upper.text_frame.text = "On the first day:"
    deeper = upper.text_frame.add_paragraph()
    deeper.text, deeper.level = "Fetch the badge.", 1
    notes = first.notes_slide.notes_text_frame
    assert notes
    notes.text = "The badge is at the desk on floor 2."
    second = deck.slides.add_slide(deck.slide_layouts[5])
    _entitle(second, "Who helps")
    table = second.shapes.add_table(3, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
    for place, row in enumerate([["What", "Who"], ["Laptop", "Ada"], ["Keys", "Ben"]]):
        for column, text in enumerate(row):
            table.cell(place, column).text = text
    data: Any = CategoryChartData()  # What a bar chart takes; the signature names its sibling.
    data.categories = ["2024", "2025"]
    data.add_series("New people", (12, 17.5))
    second.shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, Inches(1), Inches(4), Inches(4), Inches(2), data)
    hidden = deck.slides.add_slide(deck.slide_layouts[5])
    _entitle(hidden, "Secret")
    hidden.element.set("show", "0")
    return _saved(deck)


def _entitle(slide: Slide, text: str) -> None:
    title = slide.shapes.title
    assert title
    title.text = text


def sheets() -> bytes:
    """Return a workbook with two tables on a sheet, several types of values, and a hidden sheet."""
    book = Workbook()
    rates = book.create_sheet("Rates", 0)
    rates.append(["Rates of 2025"])
    rates.append(["Office", "Per day", "Share", "From", "Paid"])
    rates.append(["Porto", 28.5, 0.25, datetime(2025, 1, 31), True])  # noqa: DTZ001 - As Excel keeps it.
    rates.append(["Hamburg | Altona", 31, 0.5, datetime(2025, 2, 1, 9, 30), False])  # noqa: DTZ001
    rates["B3"].number_format, rates["B4"].number_format = "#,##0.00 [$€-407]", "0.00"
    rates["C3"].number_format = rates["C4"].number_format = "0 %"
    rates["G8"], rates["H8"], rates["G9"], rates["H9"] = "Car", "Cents", "Own", 31
    book["Sheet"].title = "Hidden"
    book["Hidden"].sheet_state = "hidden"
    book["Hidden"]["A1"] = "Secret"
    return _saved(book)


def sparse_sheet() -> bytes:
    """Return a small workbook with a value in the last possible cell."""
    book = Workbook()
    for place in ("A1", "XFD1048576"):
        book.worksheets[0][place] = place
    return _saved(book)


def mail(body: str = "We meet at nine.\n\nBring the badge.\n\n-- \nAda, Lumenpine", **headers: str) -> bytes:
    """Return a mail with an attachment and a forwarded mail."""
    message, forwarded = EmailMessage(), EmailMessage()
    sent = {"From": "Ada <ada@lumenpine.example>", "To": "all@lumenpine.example", "Subject": "Re: Moving day"}
    for name, value in {**sent, "Date": "Wed, 12 Mar 2025 10:00:00 +0100", **headers}.items():
        message[name] = value
    message.set_content(body, charset="iso-8859-15")
    forwarded["From"], forwarded["Subject"] = "it@evil.example", "Renew"
    forwarded.set_content("Renew your password.")
    message.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="plan.pdf")
    message.add_attachment(forwarded)
    return message.as_bytes()
