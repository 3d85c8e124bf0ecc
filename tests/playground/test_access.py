"""The page by keyboard, and its contrast."""

from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Locator, Page, expect

from tests.playground.browsing import Browsing
from tests.playground.storyteller import Storyteller

CONTRAST = Path(__file__).with_name("contrast.js")
MOST_STEPS = 60


async def tab_to(page: Page, target: Locator) -> None:
    """Press Tab until the target has the focus."""
    for _ in range(MOST_STEPS):
        await page.keyboard.press("Tab")
        if await target.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError("the keyboard does not get there")


async def test_everything_can_be_done_by_keyboard(browsing: Browsing, bot: Storyteller) -> None:
    page = await browsing.open()
    support = page.get_by_role("button", name="support")
    await tab_to(page, support)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="# support")).to_be_visible()
    await expect(support).to_be_focused()

    await tab_to(page, page.get_by_role("textbox", name="Message #support"))
    await page.keyboard.type("@ask")
    await page.keyboard.press("Enter")
    await page.keyboard.type("How long?")
    await page.keyboard.press("Enter")
    thread = page.locator("#thread")
    await expect(thread.get_by_role("button", name="Turin")).to_be_visible()
    await tab_to(page, thread.get_by_role("button", name="Turin"))
    await page.keyboard.press("Enter")
    await tab_to(page, thread.get_by_role("button", name="Bad answer"))
    await page.keyboard.press("Enter")
    await expect(thread.get_by_text("Thank you for telling us.")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(thread).to_be_hidden()

    assert ["bad"] == bot.ratings


async def test_a_modal_is_left_by_escape(browsing: Browsing, bot: Storyteller) -> None:
    page = await browsing.open()
    root = await browsing.playground.person("U0ADA").post("C0GENERAL", "How long?", mention_bot=True)
    await page.goto(f"{browsing.playground.url}#U0ADA/C0GENERAL/{root}")
    await page.locator("#thread").get_by_role("button", name="Something else…").press("Enter")
    await expect(page.get_by_role("dialog")).to_be_visible()
    assert [] == await page.evaluate(CONTRAST.read_text())
    await page.keyboard.press("Escape")

    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(page.locator("#thread")).to_be_visible()


async def test_a_draft_waits_for_its_writer(browsing: Browsing) -> None:
    page = await browsing.open()
    await page.get_by_role("textbox", name="Message #general").fill("not yet")
    await page.get_by_role("button", name="support").click()
    await expect(page.get_by_role("textbox", name="Message #support")).to_have_value("")
    await page.get_by_role("button", name="general").click()

    await expect(page.get_by_role("textbox", name="Message #general")).to_have_value("not yet")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_every_text_can_be_read(browsing: Browsing, bot: Storyteller, scheme: Literal["light", "dark"]) -> None:
    page = await browsing.open()
    await page.emulate_media(color_scheme=scheme)
    paper = await page.locator("#channel").evaluate("one => getComputedStyle(one).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")
    look = CONTRAST.read_text()
    assert [] == await page.evaluate(look)
    ada = browsing.playground.person("U0ADA")
    bot.gate.clear()
    root = await ada.post("C0GENERAL", "How long? `code` and <https://example.com|a link>", mention_bot=True)
    await page.goto(f"{browsing.playground.url}#U0ADA/C0GENERAL/{root}")
    thread = page.locator("#thread")
    await thread.get_by_role("button", name="Oslo").click()
    await expect(thread.get_by_role("button", name="Stop")).to_be_visible()
    await ada.react("C0GENERAL", root, "tada")
    assert [] == await page.evaluate(look)
    bot.gate.set()
    await thread.get_by_role("button", name="Good answer").click()
    await expect(thread.get_by_text("Thank you for telling us.")).to_be_visible()
    await page.get_by_role("button", name="Wire").click()
    await page.locator("#wire summary").first.click()
    await page.locator("#channel article").first.hover()

    assert [] == await page.evaluate(look)
