"""A PDF becomes headings, paragraphs, lists and tables, in reading order and without a word lost."""

import io

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from bot.errors import KnowledgeError
from bot.knowledge.blocks import Block
from tests.knowledge.readers import making
from tests.knowledge.readers.conftest import Read

TABLE = (
    "| Country | Per day | Per night |\n| --- | --- | --- |\n| Germany | 28 EUR | 145 EUR |\n"
    "| Portugal | 26 EUR | 130 EUR |"
)

NEARLY = (14.0, 14.1, 14.2, 14.3)
"""Sizes of letters as pdfium measures one size in several lines."""


async def test_a_pdf_keeps_headings_tables_lists_and_the_order(read: Read) -> None:
    document = await read("travel.pdf", making.pdf(title="untitled"))

    assert ("Travel policy", "2025-03-12") == (document.title, document.dated)
    assert document.blocks == (
        Block(text="Effective 12 March 2025."),
        Block(text="Hotels", level=2),
        Block(text=making.HOTELS),
        Block(text=TABLE, whole=True),
        Block(text="Trains", level=2),
        Block(text="- Second class below three hours.\n- First class above."),
        Block(text="Meals", level=3),
        Block(text="Breakfast is paid with the room."),
        Block(text="Cars", level=2),
        Block(text=making.CARS),
        Block(text="Owners of electric cars ask first."),
    )


async def test_headings_of_nearly_the_same_size_are_of_one_level(read: Read) -> None:
    def draw(canvas: Canvas) -> None:
        for place, size in enumerate([20, *NEARLY]):
            canvas.setFont("Helvetica", size)
            canvas.drawString(72, 760 - 80 * place, f"Heading {place}")
            canvas.setFont("Helvetica", 9)
            canvas.drawString(72, 720 - 80 * place, "A rule that stands below this heading.")

    document = await read("headings.pdf", making.drawn_pdf(draw))

    assert [2] * len(NEARLY) == [block.level for block in document.blocks if block.level]


async def test_a_column_is_read_to_its_end_before_the_next(read: Read) -> None:
    document = await read("columns.pdf", making.drawn_pdf(making.columns))

    assert ["The first column begins and goes on below.", "The second column begins and ends here."] == [
        block.text for block in document.blocks
    ]


async def test_words_that_a_line_divides_are_whole_again(read: Read) -> None:
    divided = making.words("Who travels needs an autho-", "rization of the travel desk.")

    document = await read("divided.pdf", making.drawn_pdf(divided))

    assert "authorization of the travel desk." in document.blocks[0].text


async def test_a_title_beside_the_text_and_the_day_of_saving_are_used_if_the_text_says_neither(read: Read) -> None:
    made = io.BytesIO()
    canvas = Canvas(made)
    canvas.setTitle("House rules")
    making.words("The door is closed at nine.")(canvas)
    canvas.save()

    document = await read("scan_0001.pdf", made.getvalue())

    assert "House rules" == document.title
    assert document.dated is not None


async def test_a_pdf_that_is_the_same_whenever_it_is_made_has_no_date(read: Read) -> None:
    made = io.BytesIO()
    canvas = Canvas(made, invariant=1)
    making.words("The door is closed at nine.")(canvas)
    canvas.save()

    assert (await read("rules.pdf", made.getvalue())).dated is None


async def test_a_scan_is_said_to_be_one(read: Read) -> None:
    with pytest.raises(KnowledgeError, match=r"pages are pictures, such as a scan: .*pip install 'askback\[ocr\]'"):
        await read("scan.pdf", making.drawn_pdf(making.scan, making.scan))


async def test_pages_without_text_are_named(read: Read) -> None:
    page = making.words("The door is closed at nine.")

    document = await read("half.pdf", making.drawn_pdf(page, making.scan, page))

    said, how = document.notices
    assert "1 of 3 pages hold no text, such as a scan: 2." == said
    assert "pip install 'askback[ocr]'" in how


async def test_a_pdf_with_a_password_is_refused_and_one_that_only_forbids_to_print_is_read(read: Read) -> None:
    secret = making.pdf(encrypt=StandardEncryption("user", "owner"))
    open_one = making.pdf(encrypt=StandardEncryption("", "owner", canPrint=0))

    with pytest.raises(KnowledgeError, match="has a password"):
        await read("secret.pdf", secret)
    assert "Travel policy" == (await read("open.pdf", open_one)).title
