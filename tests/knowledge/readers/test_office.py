"""Word, PowerPoint and Excel become headings, lists and tables, in reading order and without a word lost."""

from datetime import UTC, datetime

from bot.knowledge.blocks import Block
from tests.knowledge.readers import making
from tests.knowledge.readers.conftest import Read

FORMULAS = """<?xml version="1.0"?><w:document
xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"
xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><w:body><w:p>
<w:r><w:t xml:space="preserve">The area is </w:t></w:r><m:oMath><m:r><m:t>A=π</m:t></m:r><m:sSup><m:sSupPr/>
<m:e><m:r><m:rPr><m:sty m:val="p"/></m:rPr><m:t>r</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>
</m:oMath><w:r><w:t xml:space="preserve"> and the rate </w:t></w:r><m:oMath><m:f>
<m:num><m:d><m:e><m:r><m:t>a</m:t></m:r></m:e></m:d></m:num>
<m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath><w:r><w:t>.</w:t></w:r></w:p></w:body></w:document>"""


async def test_word_keeps_headings_lists_and_tables_with_joined_cells(read: Read) -> None:
    document = await read("leave.docx", making.word())

    assert ("Parental leave", "2025-04-02") == (document.title, document.dated)
    assert document.blocks == (
        Block(text="Both parents may take leave. It is paid for fourteen weeks."),
        Block(text="How to ask", level=2),
        Block(text="- Talk to your lead.\n- Write to the people team."),
        Block(text="Weeks by country", level=3),
        Block(
            text="| Country | Weeks | Paid |\n| --- | --- | --- |\n| Portugal | 21 | 100 % |\n"
            "| Germany | 14 | 100 % |\n| Germany | 156 | none |",
            whole=True,
        ),
    )


async def test_the_date_of_a_librarys_template_is_no_date_of_a_document(read: Read) -> None:
    documents = [
        await read("rules.docx", making.word_with(["Everybody has 28 days of paid leave."])),
        await read("rules.pptx", making.slides()),
    ]

    assert [None, None] == [document.dated for document in documents]


async def test_a_save_long_before_the_version_that_the_text_names_is_no_date(read: Read) -> None:
    saved = datetime(2021, 4, 2, tzinfo=UTC)
    old = await read("rules.docx", making.word_with(["Version 3, April 2021", "28 days of leave."], saved=saved))
    template = await read("rules.docx", making.word_with(["Version 3, April 2026", "28 days of leave."], saved=saved))

    assert ("2021-04-02", None) == (old.dated, template.dated)


async def test_formulas_of_word_are_text(read: Read) -> None:
    document = await read("areas.docx", making.word_of(FORMULAS))

    assert ["The area is A=πr^2 and the rate (a)/b."] == [block.text for block in document.blocks]


async def test_a_key_that_goes_on_over_paragraphs_is_left_out(read: Read) -> None:
    paragraphs = [
        "The key of the server:",
        "-----BEGIN PRIVATE KEY-----",
        "MIIEvQIBADANBg",
        "kqhkiG9w0BAQEF",
        "-----END PRIVATE KEY-----",
    ]

    document = await read("keys.docx", making.word_with(paragraphs))

    assert "kqhkiG9w0BAQEF" not in str(document)
    assert ("What looks like a key or a password was left out.",) == document.notices


async def test_a_mail_that_a_word_file_shows_is_a_quotation(read: Read) -> None:
    paragraphs = ["A fake mail came in.", "From: it@evil.example", "Subject: Your password", "Renew it here."]

    document = await read("fake.docx", making.word_with(paragraphs))

    assert ["A fake mail came in.", "> From: it@evil.example", "> Subject: Your password", "> Renew it here."] == [
        block.text for block in document.blocks
    ]


async def test_powerpoint_keeps_order_levels_tables_charts_and_notes_and_leaves_hidden_slides_out(read: Read) -> None:
    document = await read("deck.pptx", making.slides())

    assert "Onboarding" == document.title
    assert document.blocks == (
        Block(text="Onboarding", level=2),
        Block(text="- On the first day:\n  - Fetch the badge."),
        Block(text="Questions go to the people team."),
        Block(text="Notes: The badge is at the desk on floor 2."),
        Block(text="Who helps", level=2),
        Block(text="| What | Who |\n| --- | --- |\n| Laptop | Ada |\n| Keys | Ben |", whole=True),
        Block(text="|  | New people |\n| --- | --- |\n| 2024 | 12 |\n| 2025 | 17.5 |", whole=True),
    )
    assert ("1 of 3 slides are hidden, and were left out.",) == document.notices


async def test_excel_keeps_tables_apart_and_shows_values_as_people_see_them(read: Read) -> None:
    document = await read("rates.xlsx", making.sheets())

    assert "Rates" == document.title
    assert document.blocks == (
        Block(text="Rates", level=2),
        Block(text="Rates of 2025"),
        Block(
            text="| Office | Per day | Share | From | Paid |\n| --- | --- | --- | --- | --- |\n"
            "| Porto | 28.5 € | 25 % | 2025-01-31 | yes |\n| Hamburg / Altona | 31 | 50 % | 2025-02-01 09:30 | no |",
            whole=True,
        ),
        Block(text="| Car | Cents |\n| --- | --- |\n| Own | 31 |", whole=True),
    )
    assert ("1 of 2 sheets are hidden, and were left out.",) == document.notices


async def test_a_sheet_with_cells_far_apart_costs_no_more_than_they(read: Read) -> None:
    document = await read("sparse.xlsx", making.sparse_sheet())

    assert ["A1", "XFD1048576"] == [block.text for block in document.blocks if not block.level]
