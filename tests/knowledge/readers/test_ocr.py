"""Scans and pictures are read by text recognition, in limits, and what is illegible is said and left out."""

import asyncio
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import psutil
import pytest
from PIL import Image, ImageChops

from benchmarks.documents.fidelity import words_of
from bot.errors import KnowledgeError
from bot.knowledge.connectors.connector import NoTextError
from bot.knowledge.read import document_of, parsed_of
from bot.knowledge.readers.ocr.layout import FoundLine, flow_of
from bot.knowledge.sandbox.limits import Limits
from graph.passages import BY_OCR, READ_BY
from tests.knowledge.readers import making, scanning
from tests.knowledge.readers.test_sandbox import children

LIMITS = Limits(seconds=120)
"""The memory is the usual."""
LETTER = "Ein Übernachtungsgast bezahlt höchstens 145 EUR.", "O pedido não é válido sem a assinatura da direção."
PAGE = making.words(*LETTER, "Breakfast is paid with the room.")


@pytest.fixture(scope="module")
def page() -> Image.Image:
    """Return a slip of paper with three lines, in three languages: recognition takes time for white, too."""
    return scanning.pictures_of(making.drawn_pdf(PAGE))[0].crop((100, 100, 740, 270))


@pytest.fixture(scope="module")
def line(page: Image.Image) -> Image.Image:
    """Return its first line, which is enough where nobody reads the words."""
    return page.crop((0, 20, 640, 72))


async def test_a_scan_keeps_headings_tables_columns_and_every_word() -> None:
    scan = scanning.scanned(scanning.pictures_of(making.pdf()))

    document = document_of("travel.pdf", await parsed_of("travel.pdf", scan, LIMITS))

    assert ("Travel policy", "2025-03-12") == (document.title, document.dated)
    assert ["Hotels", "Trains", "Meals", "Cars"] == [block.text for block in document.blocks if block.level]
    assert making.HOTELS in [block.text for block in document.blocks]
    assert table_of(making.RATES) in [block.text for block in document.blocks]
    assert "Lumenpine handbook" not in " ".join(block.text for block in document.blocks)
    assert BY_OCR == document.attributes[READ_BY]
    assert ("Pages read by text recognition (OCR), which may err: 1, 2, 3.",) == document.notices


async def test_a_tilted_a_noisy_and_a_turned_page_lose_hardly_a_word(page: Image.Image) -> None:
    spoiled = [scanning.tilted(page, 1.5), scanning.noisy(page), page.rotate(180)]

    # One file, because the child that reads it takes longer to begin than for a page.
    parsed = await parsed_of("photos.pdf", scanning.scanned(spoiled), LIMITS)

    read = Counter(words_of(" ".join(block.text for block in parsed.blocks)))
    said = Counter(words_of(" ".join([*LETTER, "Breakfast is paid with the room."] * len(spoiled))))
    assert (said - read).total() <= 1


async def test_an_illegible_page_is_named_and_left_out(line: Image.Image) -> None:
    moved = ImageChops.darker(line, ImageChops.offset(line, 8, 5))

    parsed = await parsed_of("half.pdf", scanning.scanned([line, moved, None]), LIMITS)

    assert [
        "Pages read by text recognition (OCR), which may err: 1.",
        "Pages left out, because text recognition (OCR) is not sure of them; scan them again, upright and sharp: 2.",
    ] == parsed.notices
    with pytest.raises(KnowledgeError, match="not sure of them"):
        await parsed_of("moved.png", scanning.saved(moved), LIMITS)


async def test_pages_beyond_the_budget_are_named_and_the_others_told_one_by_one(line: Image.Image) -> None:
    told: list[tuple[int, int]] = []
    scan = scanning.scanned([line] * 4)

    parsed = await parsed_of("long.pdf", scan, replace(LIMITS, ocr_pages=2), lambda done, of: told.append((done, of)))

    assert [(1, 2), (2, 2)] == told
    assert "ASKBACK_OCR_PAGES): 3, 4." in parsed.notices[1]


async def test_a_picture_without_text_is_no_failure() -> None:
    for blank in (Image.new("L", (800, 600), 255), Image.new("RGBA", (300, 300), (0, 0, 0, 0))):
        with pytest.raises(NoTextError):
            await parsed_of("logo.png", scanning.saved(blank), LIMITS)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("bomb.png", lambda: scanning.huge_png(64_000), "64000 × 64000 pixels"),
        ("half.png", lambda: scanning.huge_png(3_000), "only half of it"),
        ("page.jpg", lambda: b"<html>", "damaged"),
        ("many.pdf", lambda: scanning.pdf_with_picture(10, pages=10_000), "more than 5000"),
    ],
)
async def test_a_hostile_picture_is_one_line(name: str, content: Callable[[], bytes], said: str) -> None:
    with pytest.raises(KnowledgeError, match=said):
        await parsed_of(name, content(), LIMITS)

    assert [] == children()


async def test_a_pdf_with_a_huge_picture_takes_no_more_than_the_memory_allows() -> None:
    before = psutil.Process().memory_info().rss

    with pytest.raises(KnowledgeError):
        await parsed_of("huge.pdf", scanning.pdf_with_picture(64_000), LIMITS)

    assert psutil.Process().memory_info().rss - before < 100_000_000
    assert [] == children()


async def test_a_page_that_takes_too_long_is_ended(page: Image.Image) -> None:
    with pytest.raises(KnowledgeError, match="ASKBACK_READER_SECONDS"):
        await parsed_of("slow.png", scanning.saved(page), Limits(seconds=0.2))

    assert [] == children()


async def test_a_recognition_that_is_cancelled_ends_its_child(line: Image.Image) -> None:
    has_begun = asyncio.Event()
    reading = asyncio.create_task(
        parsed_of("long.pdf", scanning.scanned([line] * 90), LIMITS, lambda _done, _of: has_begun.set())
    )
    async with asyncio.timeout(120):
        await has_begun.wait()

    reading.cancel()
    async with asyncio.timeout(60):
        await asyncio.gather(reading, return_exceptions=True)

    assert reading.cancelled()
    assert [] == children()


TWO_COLUMNS = (
    *[("Title over both columns", 50, 20, 300)],
    *[(f"left {number}", 50, 60 + 14 * number, 220) for number in range(4)],
    *[(f"right {number}", 300, 63 + 14 * number, 220) for number in range(4)],
    ("A foot below both columns", 50, 150, 470),
    *[("Country", 50, 200, 60), ("Rate", 200, 200, 40), ("Portugal", 50, 215, 60), ("28 EUR", 200, 215, 40)],
)


@pytest.mark.parametrize("angle", [0.0, 0.07, -0.07])
def test_columns_are_read_one_after_another_and_tables_by_row(angle: float) -> None:
    found = [FoundLine(text, corners(left, top, width, angle), 1.0) for text, left, top, width in reversed(TWO_COLUMNS)]

    flow = flow_of(found, 842.0)

    assert [
        "Title over both columns",
        *(f"left {number}" for number in range(4)),
        *(f"right {number}" for number in range(4)),
        "A foot below both columns",
        table_of([["Country", "Rate"], ["Portugal", "28 EUR"]]),
    ] == [part.text for part in flow]


def corners(left: float, top: float, width: float, angle: float) -> list[tuple[float, float]]:
    """Return the corners of a line on a page that is tilted around its upper left corner."""
    places = ((left, top), (left + width, top), (left + width, top + 10), (left, top + 10))
    cos, sin = math.cos(angle), math.sin(angle)
    return [(x * cos - y * sin, x * sin + y * cos) for x, y in places]


def table_of(rows: list[list[str]]) -> str:
    """Return rows as Markdown."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])
