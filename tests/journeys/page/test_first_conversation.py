"""The first conversation of the README, in a real browser, with the bot as the demo starts it."""

from contextlib import AsyncExitStack

from playwright.async_api import expect

from tests.journeys.harness import Harness
from tests.playground.browsing import browsing, chromium, connected, photograph


async def test_what_was_chosen_and_asked_holds_for_the_follow_up(harness: Harness) -> None:
    async with AsyncExitStack() as stack:
        url = stack.enter_context(chromium())
        await stack.enter_async_context(harness.bot())
        browser = await stack.enter_async_context(connected(url))
        opened = await stack.enter_async_context(browsing(harness.playground, browser))
        page = await opened.open(place="C0SUPPORT")
        await page.get_by_role("textbox", name="Message #support").fill("@Askback How many vacation days do I have?")
        await page.keyboard.press("Enter")
        thread = page.locator("#thread")

        await thread.get_by_role("button", name="Porto", exact=True).click()
        await expect(thread.get_by_text("You have 25 days")).to_be_visible()
        await expect(thread.get_by_role("button", name="Good answer")).to_have_count(1)
        await photograph(page, "demo")

        await thread.get_by_role("textbox", name="Reply…").fill("And in Hamburg?")
        await page.keyboard.press("Enter")
        await expect(thread.get_by_text("You have 30 days")).to_be_visible()
        await expect(thread.get_by_role("button", name="Good answer")).to_have_count(2)
