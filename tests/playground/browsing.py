"""A real browser in front of a playground."""

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import DEVNULL
from tempfile import TemporaryDirectory

import pytest
from playwright.async_api import Browser, Locator, Page, ViewportSize, async_playwright, expect

from playground import Playground

PATIENCE_MS = 120_000
"""Timeout of a wait that normally takes a fraction of a second. Only a failing test waits so long."""
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--headless", "--remote-debugging-port=0", "--no-first-run",
    "--no-default-browser-check", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-extensions", "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding", "--disable-ipc-flooding-protection", "--hide-scrollbars", "--mute-audio",
    "--force-color-profile=srgb", "--disable-dev-shm-usage",
)  # fmt: skip
"""Options: a fresh profile, and no throttling in background windows."""
PROGRAMS = "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"
"""The first has the same engine and none of the browser's own pages, which take seven times as much processor time."""
LISTENS = re.compile(r"DevTools listening on (\S+)")


@dataclass
class Browsing:
    """Windows of a browser, and the errors in them."""

    playground: Playground
    browser: Browser
    windows: AsyncExitStack
    complaints: list[str] = field(default_factory=list[str])

    async def open(self, person: str = "U0ADA", place: str = "C0GENERAL") -> Page:
        """Open a window as a person, at a channel, or at a thread as `channel/ts`."""
        size: ViewportSize = {"width": 1280, "height": 800}
        context = await self.windows.enter_async_context(await self.browser.new_context(viewport=size, locale="en-GB"))
        context.set_default_timeout(PATIENCE_MS)
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


@contextmanager
def chromium() -> Generator[str]:
    """Start a browser; yield the address of its debugging port."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("there is no Chromium")
    with (
        TemporaryDirectory(prefix="askback-browser-", ignore_cleanup_errors=True) as folder,
        Path(folder, "said").open("w+") as said,
        subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={folder}"], stdout=DEVNULL, stderr=said, start_new_session=True
        ) as process,
    ):
        try:
            yield where_it_listens(process, Path(said.name))
        finally:
            # The program may be a shell's script that waits for the browser.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.wait(PATIENCE_MS / 1000)


def where_it_listens(process: "subprocess.Popen[bytes]", said: Path) -> str:
    """Wait until a browser prints this address."""
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while time.monotonic() < deadline and process.poll() is None:
        if found := LISTENS.search(said.read_text()):
            return found[1]
        time.sleep(0.05)
    raise TimeoutError(said.read_text())


@asynccontextmanager
async def connected(url: str) -> AsyncGenerator[Browser]:
    """Playwright, connected to a browser. Its driver takes half a second of a processor to start."""
    expect.set_options(timeout=PATIENCE_MS)
    async with async_playwright() as playwright:
        yield await playwright.chromium.connect_over_cdp(url)


@asynccontextmanager
async def browsing(playground: Playground, browser: Browser) -> AsyncGenerator[Browsing]:
    """Windows at a playground. An error on a console or a request elsewhere fails the test."""
    async with AsyncExitStack() as windows:
        opened = Browsing(playground, browser, windows)
        yield opened
    assert [] == opened.complaints


async def more_actions(message: Locator, name: str) -> None:
    """Choose an item of the menu behind a message's "⋮"."""
    await message.hover()
    await message.get_by_role("button", name="More actions").click()
    await message.page.get_by_role("menuitem", name=name).click()


async def photograph(page: Page, name: str) -> None:
    """Save a picture for the documentation if `STORY_IMAGES` names a folder."""
    if folder := os.environ.get("STORY_IMAGES"):
        await page.mouse.move(0, 0)
        await page.screenshot(path=Path(folder) / f"{name}.png", animations="disabled")
