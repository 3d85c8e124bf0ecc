"""A real browser in front of a playground."""

import os
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, async_playwright, expect

from playground import Playground

PATIENCE_MS = 20_000
"""How long a test waits for what takes a fraction of a second; one that fails is slow, none that passes."""
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic"]


@dataclass
class Browsing:
    """Windows of a browser, and what should not have happened in them."""

    playground: Playground
    browser: Browser
    complaints: list[str] = field(default_factory=list[str])

    async def open(self, person: str = "U0ADA", place: str = "C0GENERAL") -> Page:
        """Open a window of somebody's own at a channel, or at a thread as `channel/ts`."""
        context = await self.browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB")
        page = await context.new_page()
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self._expect_own(request.url))
        await page.goto(f"{self.playground.page_url}#{person}/{place}")
        await page.locator("#sidebar button").first.wait_for()
        return page

    def _expect_own(self, url: str) -> None:
        if not url.startswith(self.playground.url):
            self.complaints.append(f"a request to {url}")


@asynccontextmanager
async def browsing(playground: Playground) -> AsyncGenerator[Browsing]:
    """A browser; a complaint on a console or a request to elsewhere fails the test."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("there is no Chromium")
    expect.set_options(timeout=PATIENCE_MS)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        opened = Browsing(playground, browser)
        yield opened
        await browser.close()
    assert [] == opened.complaints


async def photograph(page: Page, name: str) -> None:
    """Keep a picture for the documentation where `STORY_IMAGES` names a folder."""
    if folder := os.environ.get("STORY_IMAGES"):
        await page.mouse.move(0, 0)
        await page.screenshot(path=Path(folder) / f"{name}.png", animations="disabled")
