"""The search of the web, against local servers of the services' documented shape."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from structlog.testing import capture_logs

from bot.errors import SettingsError
from bot.settings import Settings
from bot.tools.web import LARGEST, WebSearch, opened_web, tavily
from graph.tools import LONGEST_RESULT, ToolError, ToolResult
from tests.tools.web_services import Behaviour, WebService, page, serving

PASSPORTS = page("https://gov.example/passports", "Passports", "A passport takes three weeks.")


def vouched(url: str) -> str | None:
    return url if url.startswith("https://gov.example/") else None


@asynccontextmanager
async def searching(service: WebService) -> AsyncGenerator[WebSearch]:
    async with opened_web(Settings(web_search=service.url), vouched) as search:
        assert search
        yield search


async def found(*pages: dict[str, Any]) -> list[ToolResult]:
    async with serving(*pages) as service, searching(service) as search:
        return await search.search("How long does a passport take?")


async def test_a_searxng_is_asked_for_json_and_its_pages_are_results() -> None:
    async with serving(PASSPORTS) as service, searching(service) as search:
        (result,) = await search.search("How long does a passport take?")

    assert [{"q": "How long does a passport take?", "format": "json"}] == service.asked
    assert {
        "title": "Web: gov.example, read today",
        "heading": "Passports",
        "text": "A passport takes three weeks.",
        "url": "https://gov.example/passports",
    } == result


async def test_a_service_is_asked_directly_and_for_what_is_not_compressed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    async with serving(PASSPORTS) as service, searching(service) as search:
        await search.search("passport")

    assert "identity" == service.accepts


async def test_tavily_is_asked_by_its_library_with_the_key() -> None:
    async with serving(PASSPORTS) as service, httpx.AsyncClient() as http:
        ask = tavily("tvly-local", http, address=service.url)
        (result,) = await WebSearch(ask, vouched).search("passport")

    assert [{"query": "passport", "search_depth": "basic", "max_results": 5}] == service.asked
    assert "Web: gov.example, read today" == result["title"]


async def test_a_wrong_key_costs_the_search_only() -> None:
    async with serving(PASSPORTS) as service, httpx.AsyncClient() as http:
        with pytest.raises(ToolError):
            await WebSearch(tavily("tvly-wrong", http, address=service.url), vouched).search("passport")


async def test_only_vouched_addresses_can_be_clicked() -> None:
    (result,) = await found({**PASSPORTS, "url": "https://evil.example/passports"})

    assert "url" not in result


@pytest.mark.parametrize(
    "odd",
    [
        {"url": "javascript:alert(1)"},
        {"url": "https://[broken"},
        {"url": "https://gov.example@evil.example/passports"},
        {"url": "https://evil.example%2f.gov.example/passports"},
        {"content": None},
        {"content": " "},
    ],
    ids=["script", "broken", "two hosts", "written out", "empty", "blank"],
)
async def test_a_page_without_an_address_or_text_is_left_out(odd: dict[str, Any]) -> None:
    assert 1 == len(await found({**PASSPORTS, **odd}, PASSPORTS))


async def test_a_long_page_is_cut_and_only_the_best_pages_are_kept() -> None:
    results = await found(*[{**PASSPORTS, "content": "A passport. " * 1000, "title": "T\n" * 1000}] * 9)

    assert 5 == len(results)
    assert LONGEST_RESULT == len(results[0]["text"])
    assert len(results[0].get("heading", "")) <= 150
    assert "\n" not in results[0].get("heading", "")


async def test_a_key_on_a_page_is_no_part_of_the_result() -> None:
    (result,) = await found({**PASSPORTS, "content": "Use ghp_abcdefghijklmnopqrstuvwxyz0123456789 now."})

    assert "abcdefghij" not in result["text"]


async def test_what_nobody_sees_on_a_page_is_no_part_of_the_result() -> None:
    (result,) = await found({**PASSPORTS, "content": "A passport\u202e takes\U000e0061 three weeks.\0"})

    assert "A passport takes three weeks." == result["text"]


async def test_why_a_service_refuses_is_logged() -> None:
    with capture_logs() as logged:
        async with serving(PASSPORTS, behaviour="refuses") as service, searching(service) as search:
            with pytest.raises(ToolError):
                await search.search("passport")

    assert ["HTTPStatusError"] == [entry["reason"] for entry in logged if entry["event"] == "web_not_searched"]


@pytest.mark.parametrize("behaviour", ["floods", "compresses", "refuses", "redirects", "babbles"])
async def test_a_service_that_misbehaves_costs_the_search_only(behaviour: Behaviour) -> None:
    async with serving(PASSPORTS, behaviour=behaviour) as service, searching(service) as search:
        with pytest.raises(ToolError):
            await search.search("passport")

    assert 1 == len(service.asked)


async def test_a_service_that_hangs_is_left_after_its_time() -> None:
    async with serving(behaviour="hangs") as service, httpx.AsyncClient() as http:
        search = WebSearch(tavily("tvly-local", http, address=service.url), vouched, seconds=0.1)
        with pytest.raises(ToolError):
            await search.search("passport")


async def test_not_more_is_read_of_a_response_than_its_limit() -> None:
    async with serving(behaviour="floods") as service, searching(service) as search:
        with pytest.raises(ToolError) as raised:
            await search.search("passport")

    assert isinstance(raised.value.__cause__, httpx.ReadError)
    assert LARGEST < 10_000_000


async def test_it_is_off_by_default() -> None:
    async with opened_web(Settings(), vouched) as search:
        assert search is None


@pytest.mark.parametrize("service", ["tavily", "google", "http://search.example.com"])
def test_a_service_that_cannot_be_asked_safely_is_refused(service: str) -> None:
    with pytest.raises(ValueError, match="ASKBACK_WEB_SEARCH"):
        Settings(web_search=service)


async def test_without_its_library_tavily_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "tavily", None)
    with pytest.raises(SettingsError, match=r"askback\[tavily\]"):
        tavily("tvly-local", httpx.AsyncClient())
