"""In the page: people in a real browser, the real bot, a scripted model, and a real MCP server."""

import json
import re
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, expect

from bot.app import open_bot, serving_slack
from bot.cli.demo import import_sample
from bot.settings import Settings
from playground import Playground
from tests.conftest import cloned
from tests.journeys.conversations.test_groq import Request, form_of
from tests.journeys.harness import Harness
from tests.models.groq_server import GroqServer, Reply, Says
from tests.models.obliging import oblige, reading
from tests.playground.browsing import Browsing, browsing, chromium, connected, photograph
from tests.support.fork_server import ForkServer
from tests.support.waiting import PATIENCE, be_patient
from tests.tools.test_mcp_servers import noted, tracker

pytestmark = pytest.mark.asyncio(loop_scope="module")

CHILDCARE = "Where is childcare near the Porto office?"
MILES = "How far is 5 km in miles?"
ISSUE = "Create an issue in the tracker: the printer on floor 2 is broken."
PLANTS = "Who waters the plants on the third floor?"
OLGA = "They are watered by Olga from facilities, every Friday."
STEPS = "5 × 1000 ÷ 1609.344 ≈ 3.1068559612 miles"
CALLS = {
    CHILDCARE: ("places", {"what": "childcare", "near": "the Porto office"}),
    MILES: ("calculator", {"expression": "5 km in miles"}),
    ISSUE: ("tracker.create_issue", {"title": "The printer on floor 2 is broken", "urgent": "true"}),
}
"""What the model plans for each question."""


def script(request: Request) -> Reply:
    """Plan the calls; write from their results; know nothing of plants."""
    prompt = request["messages"][-1]["content"]
    if form_of(request) == "understand":
        planned = [call for question, call in CALLS.items() if question in prompt]
        return reading(tools=[{"tool": tool, "arguments": _given(given)} for tool, given in planned])
    if form_of(request):
        return oblige(request)
    if MILES in prompt:
        return Says(f"EVIDENCE: full\n5 km are **3.1 miles**: {STEPS} [1].", pause_seconds=0.1)
    return Says("EVIDENCE: none") if PLANTS in prompt else oblige(request)


def _given(arguments: dict[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in arguments.items()]


@pytest.fixture(scope="module")
def page_database(server_url: str, handbook_template: str) -> Generator[str]:
    """A database with the handbook."""
    with cloned(server_url, handbook_template) as url:
        yield url


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory, fork_server: ForkServer) -> Path:
    """The file of the calls that reached the MCP server, which the fork server starts."""
    assert fork_server
    return tmp_path_factory.mktemp("tracker") / "calls"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def open_page(page_database: str, calls: Path) -> AsyncGenerator[Browsing]:
    """A browser at a local Slack in which the bot answers."""
    async with AsyncExitStack() as stack:
        monkeypatch = stack.enter_context(pytest.MonkeyPatch.context())
        be_patient(monkeypatch)
        # Elsewhere it stays short, because a server that hangs must be given up there.
        monkeypatch.setattr("bot.tools.mcp.server.START_SECONDS", PATIENCE)
        url = stack.enter_context(chromium())
        playground = await stack.enter_async_context(Playground.open(ack_seconds=120.0))
        groq = await stack.enter_async_context(GroqServer.serve(script))
        harness = Harness(playground, page_database)
        given = {"groq_api_key": "gsk_local", "groq_base_url": groq.url, "review_channel": "C0PEOPLE"}
        settings = Settings.model_validate({**harness.settings, **given, "mcp_servers": servers(calls)})
        bot = await stack.enter_async_context(open_bot(settings, harness.app_url))
        await import_sample(bot.database, "default")
        await bot.tool_servers.servers["tracker"].wait_until_tried()
        await stack.enter_async_context(serving_slack(bot))
        browser = await stack.enter_async_context(connected(url))
        yield await stack.enter_async_context(browsing(playground, browser))


def servers(calls: Path) -> Path:
    """Write the operator's file of MCP servers."""
    file = calls.with_suffix(".json")
    allowed: dict[str, Any] = tracker(calls, reads=["search_issues"], writes=["create_issue"]).model_dump()
    file.write_text(json.dumps({"mcpServers": {"tracker": allowed}}))
    return file


async def ask(page: Page, question: str) -> Locator:
    """Ask the bot by keyboard; return the thread's pane."""
    await page.get_by_role("textbox", name="Message #support").press_sequentially("@ask")
    await page.keyboard.press("Tab")
    await page.keyboard.type(question)
    await page.keyboard.press("Enter")
    return page.locator("#thread")


async def test_a_place_has_a_distance_and_a_map(open_page: Browsing) -> None:
    page = await open_page.open(place="C0SUPPORT")
    thread = await ask(page, CHILDCARE)

    first = thread.get_by_role("link", name="Map").first
    await expect(first).to_have_attribute("href", re.compile(r"https://www\.openstreetmap\.org/\?mlat=41\.\d+&mlon=-8"))
    await expect(thread.get_by_text(re.compile(r"\d km")).first).to_be_visible()
    await photograph(page, "page-places")


async def test_a_calculation_has_its_steps(open_page: Browsing) -> None:
    page = await open_page.open(place="C0SUPPORT")
    thread = await ask(page, MILES)

    await expect(thread.get_by_text(STEPS)).to_be_visible()
    await expect(thread.get_by_text("[1] Calculator: 5 km in miles")).to_be_visible()
    await photograph(page, "page-calculation")


async def test_a_change_is_made_after_a_click(open_page: Browsing, calls: Path) -> None:
    page = await open_page.open(place="C0SUPPORT")
    thread = await ask(page, ISSUE)
    await thread.get_by_role("button", name="Look and approve…").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_text("The printer on floor 2 is broken")).to_be_visible()
    assert [] == noted(calls, "create_issue"), "Nothing is called before the click."
    await photograph(page, "page-approval")
    await dialog.get_by_role("button", name="Approve").click()

    await expect(thread.get_by_text("Created TR-13.").first).to_be_visible()
    await photograph(page, "page-approved")
    assert ["create_issue The printer on floor 2 is broken True"] == noted(calls, "create_issue")


async def test_an_answer_that_one_person_kept_is_told_to_another(open_page: Browsing) -> None:
    ada = await open_page.open(place="C0SUPPORT")
    thread = await ask(ada, PLANTS)
    await thread.get_by_role("button", name="Ask a human").click()
    await expect(thread.get_by_text("A colleague was asked to look at this.")).to_be_visible()
    place = (await ada.evaluate("location.hash")).removeprefix("#U0ADA/")
    chiara = await open_page.open("U0CHIARA", place)
    pane = chiara.locator("#thread")
    await pane.get_by_role("textbox", name="Reply…").fill(OLGA)
    await chiara.keyboard.press("Enter")
    await pane.get_by_role("button", name="Keep this answer").click()
    await expect(pane.get_by_text("I keep this as a verified answer")).to_be_visible()
    await photograph(chiara, "page-kept")

    ben = await open_page.open("U0BEN", "C0SUPPORT")
    told = await ask(ben, "who waters the plants of the third floor")
    await expect(told.get_by_text("Verified by")).to_be_visible()
    await expect(told.get_by_text("watered by Olga from facilities")).to_be_visible()
    await photograph(ben, "page-verified")
