"""Word, PowerPoint and Excel become headings, lists and tables, in reading order and without a word lost."""

from bot.knowledge.blocks import Block
from tests.knowledge.readers import making
from tests.knowledge.readers.conftest import Read


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
