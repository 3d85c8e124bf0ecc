"""A web page is a source, linked by its own address, and read again while the bot runs."""

from tests.journeys.harness import Harness, text_of
from tests.journeys.knowledge.test_upkeep import OFTEN, keep, known
from tests.knowledge.site import serving


async def test_a_page_that_changes_is_what_the_next_question_is_answered_with_and_links_to(harness: Harness) -> None:
    async with serving() as site:
        site.page("/docs/", "Docs", "All that we know of offices.", "parking")
        site.page("/docs/parking", "Parking in Munich", "A parking space in Munich costs 80 EUR a month.")
        await keep(harness, f"{site.url}/docs/", kind="web")
        async with harness.bot(cadence=OFTEN, web_internal_hosts="127.0.0.1", web_pause_seconds=0):
            await known(harness, 80)
            site.page("/docs/parking", "Parking in Munich", "A parking space in Munich costs 95 EUR a month.")
            await known(harness, 95)
            root = await harness.ask("How much does a parking space cost in Munich?")
            (answer,) = await harness.answers(root)

    assert "95 EUR" in text_of(answer)
    assert f"<{site.url}/docs/parking|Parking in Munich>" in text_of(answer)
