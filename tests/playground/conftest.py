"""A playground for each test, and the bot's real clients."""

from collections.abc import AsyncGenerator, Generator

import pytest
from playwright.async_api import Page

from playground import Playground
from tests.playground import browsing as browsers
from tests.playground.bots import WebApi, running, web_api
from tests.playground.shapes import complaints
from tests.playground.storyteller import Storyteller

ACK_SECONDS = 120.0
"""So long Slack waits for an acknowledgement, and a trigger holds. A test that waits for it moves the clock."""


@pytest.fixture
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


@pytest.fixture
async def browsing(playground: Playground, chromium: str) -> AsyncGenerator[browsers.Browsing]:
    """The browser at the playground."""
    async with browsers.browsing(playground, chromium) as browsing:
        yield browsing


@pytest.fixture
async def page(browsing: browsers.Browsing) -> Page:
    """The page, opened as Ada."""
    return await browsing.open()


@pytest.fixture
async def bot(playground: Playground) -> AsyncGenerator[Storyteller]:
    """The scripted bot, connected."""
    bot = Storyteller(playground)
    async with running(bot.app, playground):
        yield bot
