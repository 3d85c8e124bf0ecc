"""The end of a term is reckoned from a day in the question."""

import pytest

from bot.models.offline.writing.writer import QuotingWriter, quoted
from graph.passages import Passage
from tests.graph.evidence import passage

BOOK = passage("fares.md", "A ten-trip book is valid for 6 months.", title="Fares")
SHARED = passage("fares.md", "A ten-trip book is valid for 6 months, for up to two people.", title="Fares")
RECEIPTS = passage("fares.md", "Every employee hands in receipts within 30 days.", title="Receipts")
WARRANTY = passage("warranty.md", "The warranty lasts three years from the date of the invoice.", title="Warranty")
GUARANTEE = passage("garantie.md", "Die Garantie gilt 14 Tage ab Kauf.", title="Garantie", language="de")


@pytest.mark.parametrize(
    ("question", "found", "end"),
    [
        ("She bought the ten-trip book on 10 April 2026. Until when is it valid?", BOOK, "10 October 2026"),
        ("A ten-trip book of 10 April 2026: up to what date?", SHARED, "10 October 2026"),
        ("Paid on 3 June 2026, until when can I hand it in?", RECEIPTS, "3 July 2026"),
        ("Ten-trip book from 31 August 2026, how long is it valid?", BOOK, "28 February 2027"),
        ("Invoice of 10 February 2024, broke on 1 December 2026: still under warranty?", WARRANTY, "10 February 2027"),
        ("Am 25.02.2026 gekauft, bis wann gilt die Garantie?", GUARANTEE, "2026-03-11"),
    ],
)
async def test_the_term_of_a_rule_is_reckoned_from_a_day(question: str, found: Passage, end: str) -> None:
    assert f": {end} [1].\n" in "".join(quoted(question, [found]))
    assert f": {end} [1].\n" in await QuotingWriter().nearest(question, [found])


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Until when is a ten-trip book valid?", "A ten-trip book is valid for 6 months."),
        ("Bought on 10 April 2026: what does a ten-trip book cost?", "A ten-trip book of 6 months costs 80 EUR."),
        ("Bought on 10 April 2026, used on 3 May 2026: until when?", "A ten-trip book is valid for 6 months."),
        ("Bought in April 2026, until when is it valid?", "A ten-trip book is valid for 6 months."),
        ("Bought on 10 April 2026, until when is it valid?", "A ten-trip book is valid for 6 to 8 months."),
        ("Bought on 10 April 2026, until when is it valid?", "A book is valid for 6 months, a card for 2 years."),
        ("Asked on 10 April 2026, when is the answer due?", "The answer is due within five working days."),
        (
            "Tested on 3 June 2025, when is the next one due?",
            "It is renewed every two years, from the age of 55 every year.",
        ),
        ("Bought on 1 March 2023, when is it due?", "You may buy your laptop if it is older than 30 months."),
        ("Bought on 1 March 2023, until when?", "It is valid for up to a maximum of 6 months."),
        ("Bought on 1 March 2023, until when?", "It is valid for at least another full 6 months."),
        ("Bought on 1 March 2023, until when?", "Tell us at least eight weeks before."),
        ("Bought on 1 March 2023, when is it due?", "You may buy your laptop if it is over 30 months old."),
        ("Bought on 31 February 2026, until when is it valid?", "A ten-trip book is valid for 6 months."),
        ("Bought on 10 April 2026, until when is it valid?", "A ten-trip book is valid for 99999 years."),
    ],
)
def test_nothing_is_reckoned_without_one_day_one_term_and_a_question_for_its_end(question: str, text: str) -> None:
    assert "Reckoned" not in "".join(quoted(question, [passage("fares.md", text, title="Fares")]))
