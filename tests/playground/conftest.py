"""A playground for each test, and the bot's real clients to talk to it."""

from collections.abc import AsyncGenerator, Generator

import pytest
from playwright.async_api import Page
from slack_sdk.web.async_client import AsyncWebClient

from playground import Playground
from tests.playground import browsing as browsers
from tests.playground.bots import running
from tests.playground.shapes import complaints
from tests.playground.storyteller import Storyteller


@pytest.fixture
async def playground(request: pytest.FixtureRequest) -> AsyncGenerator[Playground]:
    """The sample workspace, served; what it sends must have the shapes that Slack uses, whatever the test is about.

    A test that waits for what is not acknowledged says by `HASTY` how long; no other may depend on the machine's haste.
    """
    ack_seconds = getattr(request, "param", 10.0)
    async with Playground.open(ack_seconds=ack_seconds, retry_pauses=(0.0, 60.0, 300.0)) as playground:
        yield playground
        assert "" == "\n".join(dict.fromkeys(complaints(playground)))


@pytest.fixture
def client(playground: Playground) -> AsyncWebClient:
    """The bot's Web API client."""
    return AsyncWebClient(playground.bot_token, base_url=playground.api_url)


@pytest.fixture(scope="session")
def chromium() -> Generator[str]:
    """A browser, in which each test has windows of its own."""
    with browsers.chromium() as url:
        yield url


@pytest.fixture
async def browsing(playground: Playground, chromium: str) -> AsyncGenerator[browsers.Browsing]:
    """The browser in front of the playground."""
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
