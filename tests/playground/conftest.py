"""A playground for each test, and the bot's real clients.

All tests of this folder share an event loop, because Playwright's driver, which they share too, is bound to one.
"""

from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from playground import Playground
from tests.playground import browsing as browsers
from tests.playground.bots import WebApi, running, web_api
from tests.playground.shapes import complaints
from tests.playground.storyteller import Storyteller

ACK_SECONDS = 120.0
"""So long Slack waits for an acknowledgement, and a trigger holds. A test that waits for it moves the clock."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests of this folder in the loop of their fixtures."""
    for item in items:
        if Path(__file__).parent in item.path.parents and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(loop_scope="session")
async def playground() -> AsyncGenerator[Playground]:
    """The sample workspace, served. In every test, everything that it sends must have Slack's shapes."""
    async with Playground.open(ack_seconds=ACK_SECONDS) as playground:
        yield playground
        assert "" == "\n".join(dict.fromkeys(complaints(playground)))


@pytest.fixture
def client(playground: Playground) -> WebApi:
    """The bot's Web API client."""
    return web_api(playground)


@pytest.fixture(scope="session")
def chromium() -> Generator[str]:
    """A browser. Each test has its own windows in it."""
    with browsers.chromium() as url:
        yield url


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser(chromium: str) -> AsyncGenerator[Browser]:
    """The same browser, as Playwright's driver controls it."""
    async with browsers.connected(chromium) as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="session")
async def browsing(playground: Playground, browser: Browser) -> AsyncGenerator[browsers.Browsing]:
    """The browser at the playground."""
    async with browsers.browsing(playground, browser) as browsing:
        yield browsing


@pytest_asyncio.fixture(loop_scope="session")
async def page(browsing: browsers.Browsing) -> Page:
    """The page, opened as Ada."""
    return await browsing.open()


@pytest_asyncio.fixture(loop_scope="session")
async def bot(playground: Playground) -> AsyncGenerator[Storyteller]:
    """The scripted bot, connected."""
    bot = Storyteller(playground)
    async with running(bot.app, playground):
        yield bot
